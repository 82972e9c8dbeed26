"""Every collective in every mode (blocking, nonblocking, persistent, with large counts) and shape (plain, in place, on an
intercommunicator, on neighbourhoods): calls and bytes of each rank, from one table a shape."""

from harness import EndToEnd, each_mpi, main

RANKS = 3
REDUCTION = 24  # three doubles
BLOCK = 16      # two pairs
MINE = [8, 16, 24]  # rank r has r + 1 pairs


def each(function):
    return [function(r) for r in range(RANKS)]


def only(root, value):
    return each(lambda r: value if r == root else 0)


def but(root, value):
    return each(lambda r: 0 if r == root else value)


ROOTED = {"Bcast": (only(1, 24), but(1, 24)), "Reduce": ([24] * 3, only(2, 24)), "Gather": ([BLOCK] * 3, only(0, 48)),
          "Gatherv": (MINE, only(1, 48)), "Scatter": (only(2, 48), [BLOCK] * 3), "Scatterv": (only(0, 48), MINE),
          "Scan": ([8] * 3, [8] * 3), "Exscan": ([8] * 3, [0, 8, 8])}
WHOLE = {"Barrier": ([0] * 3, [0] * 3), "Allreduce": ([24] * 3, [24] * 3), "Allgather": ([BLOCK] * 3, [48] * 3),
         "Allgatherv": (MINE, [48] * 3), "Alltoall": ([48] * 3, [48] * 3), "Reduce_scatter": ([48] * 3, [8, 16, 24]),
         "Reduce_scatter_block": ([48] * 3, [16] * 3)}
PAIRS = {name: ([48, 72, 96], [24, 72, 120]) for name in ("Alltoallv", "Alltoallw")}
PAIRS_IN_PLACE = {name: ([24, 48, 72], [24, 48, 72]) for name in ("Alltoallv", "Alltoallw")}
PLAIN = {**ROOTED, **WHOLE, **PAIRS}
IN_PLACE = {**{k: v for k, v in ROOTED.items() if k != "Bcast"}, **WHOLE, **PAIRS_IN_PLACE}  # the same, but for what differs


def inter(root):
    """{0, 1} and {2}; the rooted ones from the group opposite the root."""
    local = [0, 1, 0]                          # ranks within the group
    opposite = [[2], [2], [0, 1]]              # world ranks of the other group
    far = opposite[root]                       # the group that a rooted one has its members in
    member = lambda value: each(lambda r: value(local[r]) if r in far else 0)
    mine = lambda i: 8 * (i + 1)
    total = sum(mine(local[r]) for r in far)
    pairs = lambda term: each(lambda r: 8 * sum(term(local[r], local[o]) for o in opposite[r]))
    return {
        "Barrier": ([0] * 3, [0] * 3), "Allreduce": ([24] * 3, [24] * 3),
        "Allgather": ([BLOCK] * 3, each(lambda r: BLOCK * len(opposite[r]))),
        "Allgatherv": (each(lambda r: mine(local[r])), each(lambda r: sum(mine(local[o]) for o in opposite[r]))),
        "Alltoall": (each(lambda r: BLOCK * len(opposite[r])),) * 2,
        "Alltoallv": (pairs(lambda me, other: me + 2 * other), pairs(lambda me, other: other + 2 * me)),
        "Alltoallw": (pairs(lambda me, other: me + 2 * other), pairs(lambda me, other: other + 2 * me)),
        "Reduce_scatter": ([24] * 3, [8, 16, 24]), "Reduce_scatter_block": ([16] * 3, [8, 8, 16]),
        "Bcast": (only(root, 24), member(lambda i: 24)), "Reduce": (member(lambda i: 24), only(root, 24)),
        "Gather": (member(lambda i: BLOCK), only(root, BLOCK * len(far))), "Gatherv": (member(mine), only(root, total)),
        "Scatter": (only(root, BLOCK * len(far)), member(lambda i: BLOCK)), "Scatterv": (only(root, total), member(mine))}


def neighbours(to):
    """Of a topology in which rank r sends to the ranks to[r]: 2 pairs each; in the v and w forms see neighbour_kinds.c."""
    source = each(lambda r: [s for s in range(RANKS) for d in to[s] if d == r])
    blocks = (each(lambda r: BLOCK * len(to[r])), each(lambda r: BLOCK * len(source[r])))
    gathered = (each(lambda r: 8 * (1 + r) * len(to[r])), each(lambda r: 8 * sum(1 + s for s in source[r])))
    pairs = (each(lambda r: 8 * sum(1 + r + 2 * d for d in to[r])), each(lambda r: 8 * sum(1 + s + 2 * r for s in source[r])))
    return {"Neighbor_allgather": blocks, "Neighbor_alltoall": blocks, "Neighbor_allgatherv": gathered,
            "Neighbor_alltoallv": pairs, "Neighbor_alltoallw": pairs}


TOPOLOGIES = {"line": [[1], [0, 2], [1]], "ring": [[2, 1], [0, 2], [1, 0]], "graph": [[1, 2], [0], [0]],
              "dist": [[1, 2], [2], []]}


class CollectiveKinds(EndToEnd):
    def name(self, mpi, collective, mode, large):
        if mode == "nonblocking":
            name = "MPI_I" + collective.lower()
        elif mode == "persistent":
            name = ("MPIX_" if mpi.name == "openmpi" else "MPI_") + collective + "_init"
        else:
            name = "MPI_" + collective
        return name + "_c" if large and collective != "Barrier" else name

    def check(self, mpi, program, mode, expected, *shape):
        large = program.endswith("_large")
        p = self.profile(mpi, RANKS, program, mode, *shape)
        rounds = 0 if mode == "blocking" else 2 if (mode, mpi.name) == ("persistent", "openmpi") else 1
        for collective, (sent, received) in expected.items():
            name = self.name(mpi, collective, mode, large)
            if mode == "blocking":
                self.assert_call(p, name, 1, sent, received)
                continue
            self.assert_call(p, name, 1, sent if mode == "nonblocking" else 0)
            request = name.partition("_")[2].lower()
            for call, sent_there, received_there in (("MPI_Start", sent, [0] * 3), ("MPI_Wait", [0] * 3, received)):
                if call == "MPI_Start" and mode == "nonblocking":
                    continue
                found = tuple(p.total(what, call, request=request) for what in ("calls", "bytes_sent", "bytes_received"))
                self.assertEqual(found, (rounds * RANKS, rounds * sum(sent_there), rounds * sum(received_there)), (call, request))
        if mode != "blocking":
            add = lambda column: [rounds * sum(pair[column][r] for pair in expected.values()) for r in range(RANKS)]
            self.assert_call(p, "MPI_Wait", rounds * len(expected), 0, add(1))
            if mode == "persistent":
                self.assert_call(p, "MPI_Start", rounds * len(expected), add(0))
                self.assert_call(p, "MPI_Request_free", len(expected))
        self.assertEqual(p.matrix(), {})
        counted = {name for name in p.names() if name.startswith(("MPI_", "MPIX_"))}
        more = {"MPI_Init", "MPI_Finalize", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Comm_split", "MPI_Intercomm_create",
                "MPI_Comm_free", "MPI_Type_vector", "MPI_Type_create_resized", "MPI_Type_commit", "MPI_Type_free", "MPI_Wait",
                "MPI_Start", "MPI_Request_free", "MPI_Cart_create", "MPI_Graph_create", "MPI_Dist_graph_create_adjacent"}
        self.assertEqual(counted - more, {self.name(mpi, collective, mode, large) for collective in expected})

    def modes(self, mpi, program, expected, *shape, large=True):
        for large in ("", "_large") if large and mpi.name == "mpich" else ("",):
            for mode in ("blocking", "nonblocking", "persistent"):
                with self.subTest(mode=mode, large=large):
                    self.check(mpi, program + large, mode, expected, *shape)

    @each_mpi
    def test_plain(self, mpi):
        self.modes(mpi, "collective_kinds", PLAIN, "plain")

    @each_mpi
    def test_in_place(self, mpi):
        self.modes(mpi, "collective_kinds", IN_PLACE, "inplace")

    @each_mpi
    def test_intercommunicator(self, mpi):
        for root in (1, 2):
            self.modes(mpi, "collective_kinds", inter(root), "inter", root, large=root == 1)

    @each_mpi
    def test_neighbourhoods(self, mpi):
        for shape, to in TOPOLOGIES.items():
            self.modes(mpi, "neighbour_kinds", neighbours(to), shape, large=shape in ("line", "dist"))


if __name__ == "__main__":
    main()
