"""Processes that a rank starts are no ranks: they add none, write nothing, and leave the rank's counts alone."""

import os
import unittest

from harness import PYTHON, SOURCES, EndToEnd, each_mpi, main

COUNTED = {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Barrier": 10, "MPI_Finalize": 1}


class Helpers(EndToEnd):
    def check(self, mpi, *helpers):
        bare = self.bare(mpi.command(2, "helper_processes", self.path("bare"), *helpers))
        self.assertEqual(bare.code, 0, bare)
        p = self.profile(mpi, 2, "helper_processes", self.path("mark"), *helpers)
        self.assertEqual({name: p.call(name).calls_by_rank for name in p.names()}, {name: [n, n] for name, n in COUNTED.items()})
        self.assertEqual([r["status"] for r in p.ranks], ["finalized"] * 2)
        self.assertEqual({k: v for k, v in p.warnings.items() if k != "unmatched-messages"}, {})
        left = {name for name in os.listdir(self.directory) if not name.startswith("bare")}
        return left - {"trace.json"}

    @each_mpi
    def test_children_that_end(self, mpi):
        self.assertEqual(self.check(mpi, "system", "popen", "fork", "vfork", "posix_spawn"), set())

    @each_mpi
    def test_children_that_end_as_the_rank_would(self, mpi):
        """exit() with handlers, abort(), MPI calls in a fork, and a program with MPI that never calls MPI_Init."""
        self.assertEqual(self.check(mpi, "exit", "mpi", "abort", "exec"), set())

    @each_mpi
    def test_children_that_outlive_the_rank(self, mpi):
        """They end, through exit(), when the run directory may be gone. Nothing may be made anew."""
        marks = {f"mark.{rank}.{helper}" for rank in (0, 1) for helper in ("outlive", "daemon")}
        self.assertEqual(self.check(mpi, "outlive", "daemon"), marks)

    @each_mpi("openmpi")
    def test_python(self, mpi):
        if self.bare([PYTHON, "-c", "import mpi4py"]).code:
            raise unittest.SkipTest("mpi4py is not installed")
        program = [PYTHON, os.path.join(SOURCES, "helpers_all.py")]
        bare = self.bare([mpi.mpiexec, "-n", "2", *program])
        self.assertEqual(bare.code, 0, bare)
        p = self.load(self.run_profiled([mpi.mpiexec, "-n", "2", *program]))
        self.assertEqual([(w["size"], w["ranks_reported"]) for w in p.worlds], [(2, 2)])
        self.assertEqual([r["status"] for r in p.ranks], ["finalized"] * 2)
        for name, calls in {"MPI_Init_thread": 1, "MPI_Barrier": 2, "MPI_Finalize": 1}.items():
            self.assert_call(p, name, calls)
        self.assertEqual(p.warnings, {})


if __name__ == "__main__":
    main()
