"""Collectives: blocking, in place, nonblocking, persistent, on intercommunicators and on neighbourhoods."""

from harness import NONE, EndToEnd, each_mpi, main

MINE = [4, 8, 12]  # rank r has r + 1 ints


def at(root, value, ranks=3):
    return [value if rank == root else 0 for rank in range(ranks)]


def but(root, value, ranks=3):
    return [0 if rank == root else value for rank in range(ranks)]


class Collectives(EndToEnd):
    @each_mpi
    def test_blocking(self, mpi):
        p = self.profile(mpi, 3, "collectives")
        self.assert_call(p, "MPI_Barrier", 1)
        self.assert_call(p, "MPI_Bcast", 1, at(1, 24), but(1, 24))
        self.assert_call(p, "MPI_Reduce", 1, 24, at(2, 24))
        self.assert_call(p, "MPI_Allreduce", 1, 24, 24)
        self.assert_call(p, "MPI_Gather", 1, 8, at(0, 24))
        self.assert_call(p, "MPI_Gatherv", 1, MINE, at(1, 24))
        self.assert_call(p, "MPI_Scatter", 1, at(2, 24), 8)
        self.assert_call(p, "MPI_Scatterv", 1, at(0, 24), MINE)
        self.assert_call(p, "MPI_Allgather", 1, 8, 24)
        self.assert_call(p, "MPI_Allgatherv", 1, MINE, 24)
        self.assert_call(p, "MPI_Alltoall", 1, 24, 24)
        self.assert_call(p, "MPI_Alltoallv", 1, 24, [12, 24, 36])
        self.assert_call(p, "MPI_Alltoallw", 1, 32, [12, 48, 36])
        self.assert_call(p, "MPI_Reduce_scatter", 1, 48, [8, 16, 24])
        self.assert_call(p, "MPI_Reduce_scatter_block", 1, 48, 16)
        self.assert_call(p, "MPI_Scan", 1, 8, 8)
        self.assert_call(p, "MPI_Exscan", 1, 8, [0, 8, 8])
        for name, root in (("Bcast", 1), ("Reduce", 2), ("Gather", 0), ("Gatherv", 1), ("Scatter", 2), ("Allreduce", NONE)):
            rows = p.signatures("MPI_" + name)
            self.assertEqual({(s["root"], s["peer"], s["tag"], s["comm"]) for s in rows}, {(root, NONE, NONE, 0)}, name)
        self.assertEqual(p.matrix(), {}, "collectives are not spread over the matrix")

    @each_mpi
    def test_in_place(self, mpi):
        p = self.profile(mpi, 3, "collectives_inplace")
        pairs = [12 * r + 24 for r in range(3)]
        self.assert_call(p, "MPI_Allgather", 1, 16, 48)
        self.assert_call(p, "MPI_Allgatherv", 1, MINE, 24)
        self.assert_call(p, "MPI_Alltoall", 1, 48, 48)
        self.assert_call(p, "MPI_Alltoallv", 1, pairs, pairs)
        self.assert_call(p, "MPI_Alltoallw", 1, pairs, pairs)
        self.assert_call(p, "MPI_Allreduce", 1, 24, 24)
        self.assert_call(p, "MPI_Reduce", 1, 24, at(1, 24))
        self.assert_call(p, "MPI_Reduce_scatter", 1, 48, [8, 16, 24])
        self.assert_call(p, "MPI_Reduce_scatter_block", 1, 48, 16)
        self.assert_call(p, "MPI_Scan", 1, 8, 8)
        self.assert_call(p, "MPI_Exscan", 1, 8, [0, 8, 8])
        self.assert_call(p, "MPI_Gather", 1, 16, at(0, 48))
        self.assert_call(p, "MPI_Gatherv", 1, MINE, at(0, 24))
        self.assert_call(p, "MPI_Scatter", 1, at(0, 48), 16)
        self.assert_call(p, "MPI_Scatterv", 1, at(0, 24), MINE)

    @each_mpi
    def test_insignificant_arguments_are_not_touched(self, mpi):
        p = self.profile(mpi, 3, "insignificant")
        self.assert_call(p, "MPI_Scatterv", 1, at(0, 48), [8, 16, 24])

    @each_mpi
    def test_nonblocking(self, mpi):
        p = self.profile(mpi, 3, "collectives_nonblocking")
        expected = {  # sent at the call, received at the Wait
            "ibarrier": (0, 0), "ibcast": (at(1, 24), but(1, 24)), "ireduce": (24, at(2, 24)), "iallreduce": (24, 24),
            "igather": (8, at(0, 24)), "igatherv": (MINE, at(1, 24)), "iscatter": (at(2, 24), 8), "iscatterv": (at(0, 24), MINE),
            "iallgather": (8, 24), "iallgatherv": (MINE, 24), "ialltoall": (24, 24), "ireduce_scatter": (48, [8, 16, 24]),
            "iscan": (8, 8), "iexscan": (8, [0, 8, 8]), "ialltoallv": (24, [12, 24, 36]), "ialltoallw": (32, [12, 48, 36]),
            "ireduce_scatter_block": (48, 16)}
        waited = [0, 0, 0]
        for request, (sent, received) in expected.items():
            self.assert_call(p, "MPI_" + request.capitalize(), 1, sent)
            received = received if isinstance(received, list) else [received] * 3
            waited = [a + b for a, b in zip(waited, received)]
            rows = p.signatures("MPI_Wait", request=request)
            self.assertEqual((sum(s["calls"] for s in rows), sum(s["completions"] for s in rows)), (3, 3), request)
            self.assertEqual(sum(s["bytes_received"] for s in rows), sum(received), request)
            self.assertEqual({s["peer"] for s in rows}, {NONE}, request)
        self.assert_call(p, "MPI_Wait", len(expected), received=waited)

    @each_mpi
    def test_persistent(self, mpi):
        p = self.profile(mpi, 2, "collectives_persistent")
        for name in ("Allreduce", "Bcast", "Gatherv"):
            self.assert_call(p, f"MPIX_{name}_init" if mpi.name == "openmpi" else f"MPI_{name}_init", 1)
        self.assert_call(p, "MPI_Start", 120, sent=[800 + 240 + 40, 800 + 0 + 80])
        self.assert_call(p, "MPI_Wait", 120, received=[800, 800 + 240 + 120])
        self.assert_call(p, "MPI_Request_free", 3)
        self.assertEqual(p.total("bytes_sent", "MPI_Start", request="bcast_init"), 240)
        self.assertEqual(p.total("bytes_received", "MPI_Wait", rank=1, request="gatherv_init"), 120)
        keys = {"request": "allreduce_init", "peer": NONE, "tag": NONE, "calls": 200, "completions": 200}
        self.assert_signature(p, "MPI_Start", bytes=8, sent=1600, **keys)
        self.assert_signature(p, "MPI_Wait", received=1600, **keys)
        self.assertEqual(p.matrix(), {})

    @each_mpi("mpich")
    def test_large_counts(self, mpi):
        p = self.profile(mpi, 3, "large_counts")
        self.assert_call(p, "MPI_Send_c", at(0, 1), at(0, 20))
        self.assert_call(p, "MPI_Recv_c", at(1, 1), 0, at(1, 20))
        self.assert_call(p, "MPI_Isend_c", at(1, 1), at(1, 24))
        self.assert_call(p, "MPI_Irecv_c", at(2, 1))
        self.assert_call(p, "MPI_Wait", but(0, 1), 0, at(2, 24))
        self.assert_call(p, "MPI_Allreduce_c", 1, 28, 28)
        self.assert_call(p, "MPI_Gatherv_c", 1, MINE, at(1, 24))
        self.assert_call(p, "MPI_Alltoallv_c", 1, 24, [12, 24, 36])
        self.assert_call(p, "MPI_Reduce_scatter_c", 1, 24, MINE)
        self.assert_signature(p, "MPI_Wait", rank=2, request="irecv_c", peer=1, tag=5, bytes=24, received=24)
        self.assertEqual(p.matrix(), {(0, 1): (1, 20), (1, 2): (1, 24)})

    @each_mpi
    def test_neighbourhoods(self, mpi):
        p = self.profile(mpi, 3, "neighbours")
        self.assert_call(p, "MPI_Neighbor_alltoall", 2, [64 + 32, 64, 32], [32, 32 + 64, 32 + 32])
        self.assert_call(p, "MPI_Ineighbor_allgather", 1, [32, 0, 0])
        self.assert_call(p, "MPI_Wait", 1, received=[0, 16, 16])
        self.assert_call(p, "MPI_Neighbor_alltoallv", 1, [24, 0, 0], [0, 8, 16])
        self.assert_call(p, "MPI_Neighbor_allgatherv", 1, [48, 0, 0], [0, 24, 24])
        self.assert_call(p, "MPI_Neighbor_alltoallw", 1, [16, 0, 0], [0, 8, 8])

    @each_mpi
    def test_intercommunicators(self, mpi):
        p = self.profile(mpi, 4, "intercomm")
        self.assert_call(p, "MPI_Send", [1, 0, 0, 0], [7, 0, 0, 0])
        self.assert_call(p, "MPI_Recv", [0, 0, 0, 1], 0, [0, 0, 0, 7])
        self.assert_signature(p, "MPI_Send", peer=3, tag=2, bytes=7, sent=7)
        self.assert_signature(p, "MPI_Recv", peer=0, tag=2, bytes=7, received=7)
        self.assertEqual(p.matrix(), {(0, 3): (1, 7)})
        self.assert_call(p, "MPI_Bcast", 1, [20, 0, 0, 0], [0, 0, 20, 20])
        self.assert_call(p, "MPI_Allreduce", 1, 8, 8)
        self.assert_call(p, "MPI_Allgather", 1, 4, 8)
        self.assert_call(p, "MPI_Alltoall", 1, 8, 8)
        self.assert_call(p, "MPI_Gather", 1, [0, 0, 4, 4], [8, 0, 0, 0])
        self.assert_call(p, "MPI_Barrier", 1)
        bridge = {s["comm"] for s in p.signatures("MPI_Bcast")}
        self.assertEqual(len(bridge), 1, "both sides know one intercommunicator")
        row = [c for c in p.data["communicators"] if c["id"] in bridge][0]
        self.assertEqual(row["size"] + row.get("remote_size", 0), 4)
        whole = {s["comm"] for s in p.signatures("MPI_Barrier")}
        self.assertEqual((len(whole), whole & (bridge | {0})), (1, set()))


if __name__ == "__main__":
    main()
