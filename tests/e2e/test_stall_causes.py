"""--stall-timeout where it is no deadlock, and where more than an MPI launcher is involved."""

import re
import subprocess

from harness import PYTHON, SOURCES, each_mpi, main
from stalled import TIMEOUT, StalledJobs, said


def has_mpi4py():
    return subprocess.run([PYTHON, "-c", "import mpi4py"], capture_output=True).returncode == 0


class Causes(StalledJobs):
    @each_mpi
    def test_polling_in_vain(self, mpi):
        p = self.aborted(mpi, 2, "poll", ["rank 0 asks with MPI_Test again and again, in vain, since S",
                                          "rank 1 is in MPI_Barrier on comm 0 since S",
                                          "MPI_Barrier on comm 0 waits for rank 0, which asks in vain."])
        self.assertGreater(p.call("MPI_Test").calls_by_rank[0], 1000)
        self.assert_call(p, "MPI_Barrier", 1)

    @each_mpi
    def test_a_rank_is_gone(self, mpi):
        # Without these options the launchers end the job themselves.
        option = {"openmpi": "--enable-recovery", "mpich": "-disable-auto-cleanup"}[mpi.name]
        p = self.aborted(mpi, 3, "gone", ["ranks 0, 2 are in MPI_Barrier on comm 0 since S",
                                          "rank 1 is gone (it ended without MPI_Finalize)",
                                          "MPI_Barrier on comm 0 waits for rank 1, which is gone."], [option])
        self.assertEqual([r["in_call"] for r in p.ranks], ["MPI_Barrier", None, "MPI_Barrier"])

    @each_mpi
    def test_a_communicator_of_the_program(self, mpi):
        self.aborted(mpi, 4, "subcomm", ["ranks 0, 2, 3 are in MPI_Barrier on comm 0 since S",
                                         "rank 1 is in MPI_Bcast on comm 3 since S",
                                         "Deadlock: rank 1 waits for rank 3, rank 3 for rank 1."])

    @each_mpi
    def test_a_long_computation_is_said_so(self, mpi):
        run = self.run_profiled(mpi.command(3, "hangs", "compute"), TIMEOUT)
        self.assertEqual(said(run), ["ranks 0, 2 are in MPI_Barrier on comm 0 since S",
                                     "rank 1 is computing (outside MPI) since S",
                                     "MPI_Barrier on comm 0 waits for rank 1, which is computing."])
        self.assertNotIn("eadlock", run.errors)
        self.assertEqual(run.text, "went on\n")
        p = self.load(run)
        self.assertEqual([r["status"] for r in p.ranks], ["finalized"] * 3)
        self.assertEqual([(f["id"], f["severity"], f["evidence"].get("from_computation")) for f in p.data["findings"]],
                         [("stall", "warning", None), ("load-imbalance", "high", 1)])
        self.assertTrue(p.warnings["stalled"].endswith("which is computing. It went on after that."), p.warnings["stalled"])

    @each_mpi("mpich")
    def test_nothing_is_said_of_a_run_that_goes_on(self, mpi):
        run = self.run_profiled(mpi.command(3, "hangs", "compute"), ["--stall-timeout", "20"])
        self.assertNotIn("progress", run.errors)
        self.assertEqual([f["id"] for f in self.load(run).data["findings"]], ["load-imbalance"])

    @each_mpi
    def test_messages_that_nobody_received(self, mpi):
        p = self.profile(mpi, 2, "hangs", "left")
        text = "2 messages were sent and never received: rank 0 to rank 1, tag 4, comm 0: 2."
        self.assertEqual(p.warnings["unmatched-messages"], text)
        self.assertEqual([(f["id"], f["text"], f["evidence"]) for f in p.data["findings"] if f["id"] != "load-imbalance"],
                         [("unmatched-messages", text, {"messages": 2})])

    @each_mpi("openmpi")
    def test_a_script_around_the_launcher(self, mpi):
        launch = subprocess.list2cmdline(mpi.command(2, "hangs", "send"))
        run = self.run_profiled(["sh", "-c", f"trap '' TERM; {launch}; echo after $?"],
                                [*TIMEOUT, "--stall-action", "abort"], code=None, timeout=40)
        self.assertEqual(len(said(run)), 3, run)
        self.assertEqual([r["in_call"] for r in self.load(run).ranks], ["MPI_Send", "MPI_Send"])

    @each_mpi("openmpi")
    def test_a_python_rank_dies_before_its_send(self, mpi):
        if not has_mpi4py():
            self.skipTest("mpi4py is not installed")
        run = self.run_profiled(mpi.command(3, PYTHON, f"{SOURCES}/hangs.py"), [*TIMEOUT, "--stall-action", "abort"],
                                code=None, timeout=30)
        self.assertIn("RuntimeError: before the send", run.errors)
        self.assertEqual([re.sub(r"MPI_(Mprobe|Recv)", "MPI_Recv", line) for line in said(run)],
                         ["rank 0 is in MPI_Recv from rank 1, tag 3, which nobody sent, since S",
                          "rank 1 is in MPI_Finalize since S",
                          "rank 2 is in MPI_Barrier on comm 0 since S", "MPI_Barrier on comm 0 waits for ranks 0, 1.",
                          "Rank 0 waits for rank 1, which is in MPI_Finalize."])
        self.assertEqual(self.load(run).ranks[1]["in_call"], "MPI_Finalize")


if __name__ == "__main__":
    main()
