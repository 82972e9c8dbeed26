"""Communicators, windows and files: ids, names, sizes, world ranks of peers, one-sided traffic and I/O."""

import json

from harness import NONE, EndToEnd, each_mpi, main


class Communicators(EndToEnd):
    @each_mpi
    def test_peers_are_world_ranks(self, mpi):
        p = self.profile(mpi, 4, "subcomm")
        self.assert_call(p, "MPI_Send", [0, 0, 1, 1], [0, 0, 12, 12])
        self.assert_call(p, "MPI_Recv", [1, 1, 0, 0], 0, [12, 12, 0, 0])
        self.assertEqual(p.matrix(), {(2, 0): (1, 12), (3, 1): (1, 12)})
        for sender, receiver in ((2, 0), (3, 1)):
            self.assert_signature(p, "MPI_Send", sender, peer=receiver, tag=1, bytes=12, sent=12)
            self.assert_signature(p, "MPI_Recv", receiver, peer=sender, tag=1, bytes=12, received=12)
        self.assert_call(p, "MPI_Barrier", 2)
        comms = {c["id"]: c for c in p.data["communicators"]}
        self.assertEqual((comms[0]["name"], comms[0]["size"], comms[0]["world"]), ("MPI_COMM_WORLD", 4, 0))
        ids = {name: [i for i, c in comms.items() if c["name"] == name] for name in ("even", "odd")}
        self.assertEqual({name: len(i) for name, i in ids.items()}, {"even": 1, "odd": 1}, comms)
        for name, ranks in (("even", (0, 2)), ("odd", (1, 3))):
            comm = ids[name][0]
            self.assertEqual(comms[comm]["size"], 2)
            self.assertEqual({r for s in p.signatures(comm=comm) for r in s["ranks"]}, set(ranks))
            self.assertEqual(p.total("bytes_sent", "MPI_Send", comm=comm), 12)
        barriers = {s["comm"]: s["calls"] for s in p.signatures("MPI_Barrier")}
        self.assertEqual((barriers.pop(0), list(barriers.values())), (4, [4]), "the duplicate is a communicator of its own")

    @each_mpi
    def test_churn_is_bounded(self, mpi):
        p = self.profile(mpi, 2, "comm_churn")
        for name in ("Comm_dup", "Comm_set_name", "Barrier", "Comm_free"):
            self.assert_call(p, "MPI_" + name, 20000)
        self.assertLessEqual(len(p.data["communicators"]), 1100)
        self.assertLess(max(r["max_rss_bytes"] for r in p.ranks), 200 << 20)
        names = [c["name"] for c in p.data["communicators"] if c["name"].startswith("halo")]
        self.assertTrue(names)
        self.assertTrue(all('"' in n and "\t" in n and n.endswith("\ufffd") for n in names), names[:3])
        self.assertEqual(json.loads(json.dumps(names)), names)

    @each_mpi("mpich")
    def test_sessions(self, mpi):
        p = self.load(self.run_profiled(mpi.command(2, "sessions")))
        self.assertEqual(len(p.ranks), 2)
        for name, calls in (("Session_init", 2), ("Comm_create_from_group", 2), ("Barrier", 6), ("Session_finalize", 2)):
            self.assertEqual(p.call("MPI_" + name).calls, calls, name)

    @each_mpi
    def test_one_sided(self, mpi):
        p = self.profile(mpi, 2, "rma")
        self.assert_call(p, "MPI_Put", [1, 0], [16, 0])
        self.assert_call(p, "MPI_Accumulate", [1, 0], [12, 0])
        self.assert_call(p, "MPI_Get", [1, 0], 0, [8, 0])
        self.assert_call(p, "MPI_Get_accumulate", [1, 0], [20, 0], [20, 0])
        self.assert_call(p, "MPI_Fetch_and_op", [1, 0], [4, 0], [4, 0])
        self.assertEqual((p.call("MPI_Compare_and_swap").calls, p.call("MPI_Compare_and_swap").bytes_received), (1, 4))
        self.assert_call(p, "MPI_Rput", [1, 0], [24, 0])
        self.assert_call(p, "MPI_Rget", [1, 0])
        self.assert_call(p, "MPI_Wait", [2, 0], 0, [28, 0])
        self.assert_call(p, "MPI_Win_fence", 2)
        for name in ("Win_lock", "Win_flush", "Win_unlock"):
            self.assert_call(p, "MPI_" + name, [1, 0])
        for name in ("Put", "Accumulate", "Get", "Get_accumulate", "Fetch_and_op", "Compare_and_swap", "Rput", "Rget"):
            self.assertEqual({s["peer"] for s in p.signatures("MPI_" + name)}, {1}, name)
        self.assert_signature(p, "MPI_Wait", request="rget", peer=1, bytes=28, received=28, completions=1)
        self.assertEqual(p.matrix("p2p"), {})
        self.assertEqual(set(p.matrix("rma")), {(0, 1)})
        self.assertEqual(p.matrix("rma")[(0, 1)][0], 8)

    @each_mpi
    def test_files(self, mpi):
        self.check_files(mpi, {})

    @each_mpi("openmpi")
    def test_files_through_romio(self, mpi):
        self.check_files(mpi, {"OMPI_MCA_io": "romio321"})

    def check_files(self, mpi, env):
        p = self.profile(mpi, 2, "mpiio", self.path("data"), env=env)
        self.assert_call(p, "MPI_File_open", 1)
        self.assert_call(p, "MPI_File_write_all", 1, 1024)
        self.assert_call(p, "MPI_File_read_at_all", 1, 0, 1024)
        self.assert_call(p, "MPI_File_write_at", 1, 40)
        self.assert_call(p, "MPI_File_iread_at", 1)
        self.assert_call(p, "MPI_Wait", 1, 0, 40)
        self.assert_call(p, "MPI_File_write_all_begin", 1)
        self.assert_call(p, "MPI_File_write_all_end", 1, 32)
        self.assert_call(p, "MPI_File_read_at", 1, 0, 0)
        self.assert_call(p, "MPI_File_close", 1)
        self.assert_call(p, "MPI_Info_create", 1)
        inside = ("Allreduce", "Bcast", "Irecv", "Isend", "Info_get", "Comm_dup", "Waitall", "Barrier")
        self.assertEqual(p.names() & {"MPI_" + name for name in inside}, set(), "nothing that the library calls inside")
        self.assertEqual({s["peer"] for s in p.signatures("MPI_File_write_all")}, {NONE})


if __name__ == "__main__":
    main()
