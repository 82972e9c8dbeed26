"""Life beside others: the user's LD_PRELOAD and PMPI tools, and everything that the program sees of its surroundings."""

import os

from harness import SHIM, EndToEnd, each_mpi, main


class Preload(EndToEnd):
    def tool_of(self, mpi):
        return mpi.program("pmpi_tool") + ".so"

    def check_both_counted(self, run, p):
        said = sorted(line for line in run.errors.splitlines() if line.startswith("tool: "))
        self.assertEqual(said, ["tool: rank 0 sent 5", "tool: rank 1 sent 0"], run)
        self.assert_call(p, "MPI_Send", [5, 0], [150, 0])
        self.assert_call(p, "MPI_Finalize", 1)
        self.assertEqual(p.call("MPI_Mrecv").bytes_received, 60)

    @each_mpi
    def test_users_tool(self, mpi):
        run = self.run_profiled(mpi.command(2, "probes"), env={"LD_PRELOAD": self.tool_of(mpi)})
        self.check_both_counted(run, self.load(run))

    @each_mpi("openmpi")
    def test_users_tool_by_x(self, mpi):
        run = self.run_profiled([mpi.mpiexec, "-x", "LD_PRELOAD=" + self.tool_of(mpi), "-n", "2", mpi.program("probes")])
        self.check_both_counted(run, self.load(run))

    @each_mpi("mpich")
    def test_users_tool_by_genv(self, mpi):
        command = [mpi.mpiexec, "-genv", "LD_PRELOAD", f"{SHIM}:{self.tool_of(mpi)}", "-n", "2", mpi.program("probes")]
        run = self.run_profiled(command)
        self.check_both_counted(run, self.load(run))

    def test_order(self):
        run = self.run_profiled(["printenv", "LD_PRELOAD"], env={"LD_PRELOAD": "libm.so.6:libdl.so.2"})
        entries = run.text.strip().split(":")
        self.assertTrue(entries[0].endswith("libscope-profiler-mpi.so"), run.text)
        self.assertEqual(entries[1:], ["libm.so.6", "libdl.so.2"])

    def test_missing_library_of_the_user(self):
        bare = self.bare(["true"], env={"LD_PRELOAD": "/nonexistent/lib.so"})
        run = self.run_profiled(["true"], env={"LD_PRELOAD": "/nonexistent/lib.so"})
        self.assertIn("/nonexistent/lib.so", bare.errors)
        self.assertIn("/nonexistent/lib.so", run.errors)


class Surroundings(EndToEnd):
    @each_mpi
    def test_errno_signals_environment(self, mpi):
        command = mpi.command(1, "surroundings")
        bare = self.bare(command)
        run = self.run_profiled(command)
        ours = tuple("environment " + name for name in ("LD_PRELOAD", "SCOPE_PROFILER_", "OMPI_MCA_orte_fork_agent"))
        kept = lambda text: [line for line in text.splitlines() if not line.startswith(ours)]
        self.assertEqual(kept(run.text), kept(bare.text))
        self.assertGreater(len(kept(run.text)), 40)
        p = self.load(run)
        self.assert_call(p, "MPI_Init_thread", 1)
        self.assert_call(p, "MPI_Initialized", 1)

    @each_mpi
    def test_the_runs_directory_is_private_and_gone(self, mpi):
        run = self.run_profiled(mpi.command(2, "hello"))
        self.assertEqual(sorted(run.added), ["trace.json"])


if __name__ == "__main__":
    main()
