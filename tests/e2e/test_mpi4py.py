"""mpi4py by its manual: the same output with and without the tool, and the counts that buffers make known."""

import os
import unittest

from harness import MPIS, PYTHON, SOURCES, EndToEnd, main
from test_languages import mpi4py_of


class Mpi4py(EndToEnd):
    @classmethod
    def setUpClass(cls):
        name = mpi4py_of()
        if name is None or not MPIS[name].mpiexec:
            raise unittest.SkipTest("mpi4py is not installed")
        cls.mpi = MPIS[name]

    def section(self, name, env=None, ranks=2, launch=()):
        """Runs a section of mpi4py_kinds.py bare and profiled, compares what they print and returns the profile."""
        command = [self.mpi.mpiexec, "-n", str(ranks), PYTHON, *launch, os.path.join(SOURCES, "mpi4py_kinds.py"), name]
        outcomes = []
        for kind, start in (("bare", self.bare), ("profiled", self.run_profiled)):
            os.makedirs(self.path(kind))
            outcomes.append(start(command, env={**(env or {}), "FILE_DIRECTORY": self.path(kind)}))
        bare, run = outcomes
        self.assertEqual((run.code, run.lines()), (bare.code, bare.lines()), f"{bare}\n{run}")
        self.assertEqual(bare.code, 0, bare)
        self.assertTrue(run.text.startswith(name + " "), run)
        return self.load(run)

    def test_messages(self):
        p = self.section("messages")
        self.assert_call(p, "MPI_Send", [2, 1], [12 + 24, 24])
        self.assert_call(p, "MPI_Ssend", [1, 0], [8, 0])
        self.assert_call(p, "MPI_Recv", [0, 2], 0, [0, 12 + 8])
        self.assert_call(p, "MPI_Isend", 1, 16)
        self.assert_call(p, "MPI_Irecv", 2)
        self.assert_call(p, "MPI_Wait", 2, 0, 16)
        self.assert_call(p, "MPI_Sendrecv", 1, 4, 4)
        self.assert_call(p, "MPI_Send_init", 1)
        self.assert_call(p, "MPI_Recv_init", 1)
        self.assert_call(p, "MPI_Startall", 3, 60)
        self.assert_call(p, "MPI_Waitall", 3, 0, 60)
        self.assert_call(p, "MPI_Request_free", 2)
        self.assertEqual(p.call("MPI_Test").bytes_received_by_rank, [24, 24])
        self.assertEqual(p.total("completions", "MPI_Test", request="irecv", tag=6, bytes=24), 2)
        self.assertEqual(p.matrix(), {(0, 1): (8, 12 + 8 + 16 + 4 + 60 + 24), (1, 0): (6, 16 + 4 + 60 + 24)})

    def test_objects(self):
        p = self.section("objects")
        sent = p.call("MPI_Send").bytes_sent_by_rank
        self.assert_call(p, "MPI_Send", [1, 0], [sent[0], 0])
        self.assertGreater(sent[0], 20)
        self.assert_call(p, "MPI_Isend", [2, 1], p.call("MPI_Isend").bytes_sent_by_rank)
        self.assertEqual(p.signatures("MPI_Isend", tag=2)[0]["bytes"], sent[0], "the same object is as long in isend")
        self.assert_call(p, "MPI_Mrecv", [1, 2], 0, p.call("MPI_Mrecv").bytes_received_by_rank)
        self.assertEqual(p.signatures("MPI_Mrecv", tag=1)[0]["bytes_received"], sent[0])
        self.assertEqual(p.call("MPI_Mprobe").calls_by_rank, [1, 2])
        self.assertEqual((p.matrix()[0, 1][0], p.matrix()[1, 0][0]), (3, 1))

    def test_collectives(self):
        p = self.section("collectives")
        self.assert_call(p, "MPI_Barrier", 1)
        self.assert_call(p, "MPI_Bcast", 1, [0, 24], [24, 0])
        self.assert_call(p, "MPI_Reduce", 1, 12, [12, 0])
        self.assert_call(p, "MPI_Allreduce", 2, 16 + 28, 16 + 28)
        self.assert_call(p, "MPI_Gather", 1, 8, [16, 0])
        self.assert_call(p, "MPI_Gatherv", 1, [4, 8], [0, 12])
        self.assert_call(p, "MPI_Scatterv", 1, [12, 0], [4, 8])
        self.assert_call(p, "MPI_Allgather", 1, 12, 24)
        self.assert_call(p, "MPI_Allgatherv", 1, [4, 8], 12)
        self.assert_call(p, "MPI_Alltoall", 1, 16, 16)
        self.assert_call(p, "MPI_Alltoallv", 1, [8, 12], [4, 16])
        self.assert_call(p, "MPI_Reduce_scatter", 1, 16, 8)
        self.assert_call(p, "MPI_Scan", 1, 8, 8)
        self.assert_call(p, "MPI_Exscan", 1, 8, [0, 8])
        self.assert_call(p, "MPI_Iallreduce", 1, 20)
        self.assert_call(p, "MPI_Wait", 1, 0, 20)
        self.assert_call(p, "MPI_Op_create", 1)
        self.assert_call(p, "MPI_Op_free", 1)

    def test_object_collectives(self):
        p = self.section("object_collectives")
        self.assert_call(p, "MPI_Gather", 1, 4, [8, 0])       # lengths
        self.assertEqual(p.call("MPI_Gatherv").calls_by_rank, [1, 1])
        self.assert_call(p, "MPI_Scatter", 1, [8, 0], 4)
        self.assertEqual(p.call("MPI_Scatterv").calls_by_rank, [1, 1])
        self.assert_call(p, "MPI_Allgather", 1, 4, 8)
        self.assertEqual(p.call("MPI_Allgatherv").calls_by_rank, [1, 1])
        self.assert_call(p, "MPI_Alltoall", 1, 8, 8)
        self.assertEqual(p.call("MPI_Alltoallv").calls_by_rank, [1, 1])

    def test_communicators(self):
        p = self.section("communicators")
        for name in ("Comm_dup", "Comm_split", "Cart_create", "Cart_shift", "Comm_set_name", "Barrier"):
            self.assert_call(p, "MPI_" + name, 1)
        self.assert_call(p, "MPI_Comm_free", 3)
        self.assert_call(p, "MPI_Bcast", 1, 10, 0)
        self.assert_call(p, "MPI_Neighbor_alltoall", 1, 4, 4)

    def test_windows(self):
        p = self.section("windows")
        self.assert_call(p, "MPI_Put", [2, 0], [20, 0])
        self.assert_call(p, "MPI_Get", 1, 0, 8)
        self.assert_call(p, "MPI_Accumulate", 1, 12)
        self.assert_call(p, "MPI_Win_fence", 2)
        for name, calls in (("lock", 1), ("unlock", 1), ("start", [1, 0]), ("complete", [1, 0]), ("post", [0, 1]),
                            ("wait", [0, 1])):
            self.assert_call(p, "MPI_Win_" + name, calls)
        self.assertEqual(p.matrix("rma"), {(0, 1): (4, 16 + 8 + 12 + 4), (1, 0): (2, 8 + 12)})

    def test_files(self):
        p = self.section("files")
        self.assert_call(p, "MPI_File_write_at", 1, 8)
        self.assert_call(p, "MPI_File_write_at_all", 1, 8)
        self.assert_call(p, "MPI_File_write_ordered", 1, 8)
        self.assert_call(p, "MPI_File_read_at", 1, 0, 8)
        self.assert_call(p, "MPI_File_iread_at", 1)
        self.assert_call(p, "MPI_Wait", 1, 0, 8)

    def test_pickle5(self):
        p = self.section("pickle5")
        self.assertGreater(p.matrix()[0, 1][1], 1000)
        self.assertGreater(sum(b for _, b in p.matrix().values()), 1000)
        self.assertEqual(sum(p.call(n).bytes_received for n in p.names()), sum(b for _, b in p.matrix().values()))

    def test_spawn(self):
        p = self.section("spawn")
        self.assertEqual(sorted((w["size"], w["parent"]) for w in p.worlds[1:]), [(2, 0)])
        bcast, reduce = p.call("MPI_Bcast"), p.call("MPI_Reduce")
        self.assertEqual((bcast.calls, bcast.bytes_sent, bcast.bytes_received), (3, 20, 40))
        self.assertEqual((reduce.calls, reduce.bytes_sent, reduce.bytes_received), (3, 16, 8))
        self.assertEqual({r["status"] for r in p.ranks}, {"finalized"})

    def test_ports(self):
        p = self.section("ports")
        self.assert_call(p, "MPI_Comm_accept", [1, 0])
        self.assert_call(p, "MPI_Comm_connect", [0, 1])
        self.assert_call(p, "MPI_Sendrecv", 1, 6, 6)
        self.assertEqual(p.matrix()[1, 0], (1, 6))

    def test_executors(self):
        p = self.section("executor")
        self.assertEqual([r["status"] for r in p.ranks], ["finalized"] * 2)

    def test_pool_that_spawns(self):
        p = self.section("pool", ranks=1)
        self.assertEqual([(w["size"], w["ranks_reported"]) for w in p.worlds], [(1, 1), (1, 1)])
        self.assertEqual([r["status"] for r in p.ranks], ["finalized"] * 2)

    def test_run_as_a_module(self):
        p = self.section("communicators", launch=("-m", "mpi4py"))
        self.assert_call(p, "MPI_Comm_split", 1)

    def test_settings_from_the_environment(self):
        p = self.section("initialize", env={"MPI4PY_RC_INITIALIZE": "0", "MPI4PY_RC_FINALIZE": "1"})
        self.assert_call(p, "MPI_Init", 1)
        self.assert_call(p, "MPI_Barrier", 1)
        p = self.section_again("messages", {"MPI4PY_RC_THREADS": "0"})
        self.assert_call(p, "MPI_Init", 1)
        self.assertNotIn("MPI_Init_thread", p.names())

    def section_again(self, name, env):
        command = [self.mpi.mpiexec, "-n", "2", PYTHON, os.path.join(SOURCES, "mpi4py_kinds.py"), name]
        return self.load(self.run_profiled(command, env=env))


if __name__ == "__main__":
    main()
