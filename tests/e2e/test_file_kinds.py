"""MPI-IO in every way to say where and how, ports, spawned worlds: calls and bytes of each rank, from tables."""

from harness import NONE, EndToEnd, each_mpi, main

# After MPI_File_write or _read, in the order of file_kinds.c: procedure k moves k + 1 ints. i: nonblocking; b: begin and end.
WAYS = ["_at", "_at_all", "", "_all", "_shared", "_ordered", "i _at", "i _at_all", "i ", "i _all", "i _shared", "b _at_all",
        "b _all", "b _ordered"]


class FileKinds(EndToEnd):
    def check(self, mpi, env=None, c="", without=()):
        arguments = [self.path("data"), "sparse"] if without else [self.path("data")]
        p = self.profile(mpi, 2, "file_kinds_large" if c else "file_kinds", *arguments, env=env)
        tail = 28  # File_read at the end of the file
        for kind in ("write", "read"):
            moved = lambda value: (value, 0) if kind == "write" else (0, value)
            for k, way in enumerate(WAYS):
                if way in without:
                    continue
                size = 4 * (k + 1)
                how, _, where = way.rpartition(" ")
                if how == "b":
                    self.assert_call(p, f"MPI_File_{kind}{where}_begin{c}", 1)
                    self.assert_call(p, f"MPI_File_{kind}{where}_end", 1, *moved(size))
                elif how == "i":
                    name = f"File_i{kind}{where}{c}"
                    self.assert_call(p, "MPI_" + name, 1)
                    rows = p.signatures("MPI_Wait", request=name.lower())
                    self.assertEqual([(s["calls"], s["bytes"], s["bytes_sent"], s["bytes_received"], s["ranks"]) for s in rows],
                                     [(2, size, 2 * moved(size)[0], 2 * moved(size)[1], [0, 1])], name)
                elif (kind, where) == ("read", ""):
                    self.assert_call(p, "MPI_File_read" + c, 2, 0, size + tail)
                else:
                    self.assert_call(p, f"MPI_File_{kind}{where}{c}", 1, *moved(size))
        all_bytes = 4 * sum(k + 1 for k, way in enumerate(WAYS) if way not in without)
        self.assertEqual((p.totals["bytes_sent"], p.totals["bytes_received"]), (2 * all_bytes, 2 * (all_bytes + tail)))
        for name, calls in (("File_open", 1), ("File_close", 1), ("File_set_size", 2), ("File_sync", 1), ("File_seek", 2),
                            ("File_seek_shared", 1), ("Wait", 10 - 2 * len(without)), ("Barrier", 1)):
            self.assertEqual(p.call("MPI_" + name).calls_by_rank, [calls] * 2, name)
        inside = {name for name in p.names() if not name.startswith("MPI_File_")}
        self.assertEqual(inside, {"MPI_" + name for name in ("Init", "Comm_rank", "Barrier", "Wait", "Finalize")})
        self.assertEqual({s["peer"] for s in p.signatures()}, {NONE})

    @each_mpi
    def test_every_way(self, mpi):
        self.check(mpi)

    @each_mpi("openmpi")
    def test_every_way_through_romio(self, mpi):
        self.check(mpi, {"OMPI_MCA_io": "romio321"}, without=("i _at_all", "i _all"))

    @each_mpi("mpich")
    def test_every_way_with_large_counts(self, mpi):
        self.check(mpi, c="_c")


class Processes(EndToEnd):
    @each_mpi("openmpi")  # Debian's MPICH has no ports (UCX)
    def test_ports(self, mpi):
        p = self.profile(mpi, 3, "ports")
        for name, calls in (("Open_port", [1, 0, 0]), ("Close_port", [1, 0, 0]), ("Comm_accept", [1, 1, 0]),
                            ("Comm_connect", [0, 0, 1]), ("Comm_disconnect", 1), ("Comm_split", 1)):
            self.assert_call(p, "MPI_" + name, calls)
        port = p.signatures("MPI_Send", tag=1)[0]["bytes"]
        self.assert_call(p, "MPI_Send", [1, 0, 1], [port, 0, 12])
        self.assert_call(p, "MPI_Recv", [0, 1, 1], 0, [0, 12, port])
        self.assert_call(p, "MPI_Bcast", 1, [20, 0, 0], [0, 0, 20])
        self.assert_call(p, "MPI_Reduce", 1, [0, 0, 8], [8, 0, 0])
        self.assertEqual(p.matrix(), {(0, 2): (1, port), (2, 1): (1, 12)})
        bridge = {s["comm"] for s in p.signatures("MPI_Bcast")} | {s["comm"] for s in p.signatures("MPI_Send", tag=2)}
        self.assertEqual(len(bridge), 1, "both sides know one intercommunicator")

    @each_mpi("openmpi")  # Debian's MPICH cannot spawn
    def test_spawned_worlds(self, mpi):
        p = self.load(self.run_profiled(mpi.command(1, "spawn_kinds")))
        worlds = sorted((w["size"], w["parent"], w["ranks_reported"], w["complete"]) for w in p.worlds if w["id"] != 0)
        self.assertEqual(worlds, [(2, 0, 2, True)] * 2)
        self.assertEqual((p.worlds[0]["size"], p.worlds[0]["parent"]), (1, None))
        parent = [rank["world"] for rank in p.ranks].index(0)
        by_rank = lambda name, key: getattr(p.call(name), key + "_by_rank")
        spread = lambda mine, child: [mine if i == parent else child for i in range(5)]
        for name, mine, child in (("Comm_spawn", 1, 0), ("Comm_spawn_multiple", 1, 0), ("Comm_get_parent", 1, 1), ("Bcast", 2, 1),
                                  ("Reduce", 2, 1), ("Intercomm_merge", 2, 1), ("Barrier", 2, 1), ("Comm_free", 2, 1),
                                  ("Comm_disconnect", 2, 1)):
            self.assertEqual(by_rank("MPI_" + name, "calls"), spread(mine, child), name)
        self.assertEqual(by_rank("MPI_Bcast", "bytes_sent"), spread(40, 0))
        self.assertEqual(by_rank("MPI_Bcast", "bytes_received"), spread(0, 20))
        self.assertEqual(by_rank("MPI_Reduce", "bytes_sent"), spread(0, 8))
        self.assertEqual(by_rank("MPI_Reduce", "bytes_received"), spread(16, 0))


if __name__ == "__main__":
    main()
