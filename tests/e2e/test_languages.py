"""Fortran in its three bindings, and mpi4py: the calls that the user wrote, each once."""

import os
import subprocess
import unittest

from harness import MPIS, NONE, PYTHON, SOURCES, EndToEnd, each_mpi, main


def mpi4py_of():
    """Name of the MPI that mpi4py is built with, None where there is no mpi4py."""
    code = "from mpi4py import MPI; print(MPI.Get_library_version())"
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    out = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True, env=env, timeout=60)
    return None if out.returncode else "openmpi" if out.stdout.startswith("Open MPI") else "mpich"


class Fortran(EndToEnd):
    def check(self, mpi, program):
        if not os.path.exists(mpi.program(program)):
            self.skipTest(f"no Fortran compiler of {mpi.name}")
        p = self.profile(mpi, 2, program)
        self.assert_call(p, "MPI_Init", 1)
        self.assert_call(p, "MPI_Comm_rank", 1)
        self.assert_call(p, "MPI_Comm_size", 1)
        self.assert_call(p, "MPI_Allreduce", 1, 8, 8)
        self.assert_call(p, "MPI_Send", [1, 0], [4, 0])
        self.assert_call(p, "MPI_Recv", [0, 1], 0, [0, 4])
        self.assert_call(p, "MPI_Isend", 1, 8)
        self.assert_call(p, "MPI_Irecv", 1)
        self.assert_call(p, "MPI_Waitall", 1, 0, 8)
        self.assert_call(p, "MPI_Finalize", 1)
        self.assertEqual(len(p.names()), 10, p.names())
        self.assert_signature(p, "MPI_Send", rank=0, peer=1, tag=7, bytes=4, sent=4)
        self.assert_signature(p, "MPI_Recv", rank=1, peer=0, tag=7, bytes=4, received=4)
        self.assertEqual(p.matrix(), {(0, 1): (2, 12), (1, 0): (1, 8)})

    @each_mpi
    def test_mpif_h(self, mpi):
        self.check(mpi, "fortran_mpif")

    @each_mpi
    def test_use_mpi(self, mpi):
        self.check(mpi, "fortran_mpi")

    @each_mpi
    def test_use_mpi_f08(self, mpi):
        self.check(mpi, "fortran_f08")


class Python(EndToEnd):
    @classmethod
    def setUpClass(cls):
        name = mpi4py_of()
        if name is None or not MPIS[name].mpiexec:
            raise unittest.SkipTest("mpi4py is not installed")
        cls.mpi = MPIS[name]

    def command(self, ranks, *arguments):
        return [self.mpi.mpiexec, "-n", str(ranks), PYTHON, *arguments]

    def test_lower_case_calls(self):
        run = self.run_profiled(self.command(2, os.path.join(SOURCES, "lower_case.py")))
        p = self.load(run)
        thing, word = run.numbers()["pickled"]
        self.assert_call(p, "MPI_Send", [1, 0], [thing, 0])
        self.assert_call(p, "MPI_Ssend", [1, 0], [word, 0])
        self.assert_call(p, "MPI_Mprobe", [0, 2])
        self.assert_call(p, "MPI_Mrecv", [0, 2], 0, [0, thing + word])
        self.assert_signature(p, "MPI_Mrecv", peer=0, tag=1, bytes=thing, received=thing)
        self.assertEqual(p.matrix(), {(0, 1): (2, thing + word)})
        self.assert_call(p, "MPI_Finalize", 1)

    def test_helper_processes_are_no_ranks(self):
        p = self.load(self.run_profiled(self.command(2, os.path.join(SOURCES, "helpers.py"))))
        self.assert_call(p, "MPI_Barrier", 2)
        self.assertEqual(len(p.ranks), 2)
        self.assertEqual([r["status"] for r in p.ranks], ["finalized"] * 2)

    def test_futures(self):
        if self.mpi.name != "openmpi":
            self.skipTest("mpi4py.futures hangs with this MPI")
        run = self.run_profiled(self.command(3, "-m", "mpi4py.futures", os.path.join(SOURCES, "futures.py")))
        p = self.load(run)
        self.assertEqual(run.text, "[0, 1, 4]\n")
        self.assertEqual([r["status"] for r in p.ranks], ["finalized"] * 3)
        self.assertEqual({s["root"] for s in p.signatures("MPI_Init_thread")}, {NONE})

    def test_python_without_mpi(self):
        run = self.run_profiled([PYTHON, "-c", "print(6 * 7)"])
        p = self.load(run)
        self.assertEqual((run.text, p.ranks, p.worlds), ("42\n", [], []))


if __name__ == "__main__":
    main()
