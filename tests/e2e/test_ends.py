"""However a rank ends: what had returned is counted, and the profile says how it ended and what it was in."""

import signal

from ended import EndedRanks
from harness import each_mpi, main


class Ends(EndedRanks):
    def ended(self, mpi, how, by_chance=()):
        """Runs `ends HOW` bare and profiled; the same exit code, 100 Barriers on both ranks. Returns the profile.
        `by_chance`: exit codes that come and go, also without the tool."""
        command = mpi.command(2, "ends", how)
        bare = self.bare(command)
        run = self.run_profiled(command, code=None)
        self.assertIn(run.code, {bare.code, *by_chance}, f"another exit code than without the tool\n{run}")
        p = self.load(run)
        p.run = run
        self.check_two_ranks(p)
        self.assertEqual(p.data["metadata"]["exit_status"], run.code)
        return p

    @each_mpi
    def test_exit_code_after_finalize(self, mpi):
        p = self.ended(mpi, "code")
        self.assertEqual([(r["status"], r["signal"], r["in_call"]) for r in p.ranks], [("finalized", None, None)] * 2)
        self.assertEqual(p.run.code, 3)

    @each_mpi
    def test_return_without_finalize(self, mpi):
        p = self.ended(mpi, "exit", (0, 11) if mpi.name == "mpich" else ())  # UCX at times crashes there
        self.check_not_finalized(p)
        self.assertIn("exited", [r["status"] for r in p.ranks])
        self.assertRegex(p.run.errors, r"rank [01] exited")

    @each_mpi
    def test_one_rank_exits(self, mpi):
        # hydra ends the other rank with SIGKILL and gives the code of the one that it reaps first.
        p = self.ended(mpi, "exit1", by_chance=(1, 9) if mpi.name == "mpich" else ())
        self.check_not_finalized(p)
        self.assertEqual(p.ranks[1]["status"], "exited")
        self.assertNotEqual(p.ranks[0]["status"], "exited")

    @each_mpi
    def test_exit_without_handlers(self, mpi):
        self.check_not_finalized(self.ended(mpi, "_exit"))

    @each_mpi
    def test_abort(self, mpi):
        p = self.ended(mpi, "abort")
        self.check_not_finalized(p)
        self.assertEqual(p.ranks[1]["status"], "aborted")
        self.assertIn(p.ranks[0]["status"], ("killed", "recovered"))

    @each_mpi
    def test_sigkill_of_one_rank(self, mpi):
        p = self.ended(mpi, "kill")
        self.check_not_finalized(p)
        self.check_signal(mpi, p.ranks[1], signal.SIGKILL)

    @each_mpi
    def test_segmentation_fault(self, mpi):
        p = self.ended(mpi, "segv")
        self.check_not_finalized(p)
        self.check_signal(mpi, p.ranks[1], signal.SIGSEGV)

    def check_signal(self, mpi, rank, number):
        if mpi.name == "openmpi":
            self.assertEqual((rank["status"], rank["signal"]), ("killed", number))
        else:  # hydra's exit code joins all ranks' ends, so that the signal may be unknown
            self.assertIn((rank["status"], rank["signal"]), (("killed", number), ("recovered", None)))

    @each_mpi
    def test_fatal_mpi_error(self, mpi):
        p = self.ended(mpi, "error")
        self.check_not_finalized(p)
        self.assertEqual(p.ranks[1]["in_call"], "MPI_Send")

    @each_mpi
    def test_the_call_that_a_rank_was_in(self, mpi):
        p = self.ended(mpi, "recv")
        self.check_not_finalized(p)
        self.assertEqual((p.ranks[0]["in_call"], p.ranks[1]["in_call"]), (None, "MPI_Recv"))
        self.check_signal(mpi, p.ranks[0], signal.SIGKILL)


if __name__ == "__main__":
    main()
