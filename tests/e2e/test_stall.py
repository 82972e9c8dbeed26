"""--stall-timeout with --stall-action abort: deadlocks, named in words; the job ends and its profile is whole."""

import os

from harness import SOURCES, each_mpi, main
from stalled import StalledJobs


class Deadlocks(StalledJobs):
    @each_mpi
    def test_sends_to_each_other(self, mpi):
        p = self.aborted(mpi, 2, "send", ["rank 0 is in MPI_Send to rank 1, tag 0 since S",
                                          "rank 1 is in MPI_Send to rank 0, tag 0 since S",
                                          "Deadlock: rank 0 waits for rank 1, rank 1 for rank 0."])
        self.assertEqual([r["in_call"] for r in p.ranks], ["MPI_Send", "MPI_Send"])
        self.assert_call(p, "MPI_Barrier", 1)
        self.assert_call(p, "MPI_Send", 0)

    @each_mpi
    def test_a_rank_skips_a_collective(self, mpi):
        self.aborted(mpi, 3, "skip", ["ranks 0, 2 are in MPI_Barrier on comm 0 since S",
                                      "rank 1 is in MPI_Recv from rank 0, tag 42, which nobody sent, since S",
                                      "Deadlock: rank 0 waits for rank 1, rank 1 for rank 0."])

    @each_mpi
    def test_different_collectives(self, mpi):
        self.aborted(mpi, 3, "mixed", [
            "ranks 0, 1 are in MPI_Allreduce on comm 0 since S", "rank 2 is in MPI_Reduce on comm 0 since S",
            "Different collectives on comm 0 at the same time: MPI_Allreduce by ranks 0, 1, MPI_Reduce by rank 2."])

    @each_mpi
    def test_with_call_sites(self, mpi):
        line = {mark: number for mark in ("recv", "barrier")
                for number, text in enumerate(open(os.path.join(SOURCES, "hangs.c"), encoding="utf-8"), 1) if "@" + mark in text}
        self.aborted(mpi, 2, "tag", [
            f"rank 0 is in MPI_Barrier on comm 0 at hang_tag (hangs.c:{line['barrier']}) since S",
            f"rank 1 is in MPI_Recv from rank 0, tag 42 at hang_tag (hangs.c:{line['recv']}), which nobody sent, since S",
            "Deadlock: rank 0 waits for rank 1, rank 1 for rank 0.",
            "Rank 0 sent tag 41 twice, which was not received; nobody sent tag 42."], options=["--callsites"])

    @each_mpi
    def test_the_wrong_tag(self, mpi):
        self.aborted(mpi, 2, "tag", ["rank 0 is in MPI_Barrier on comm 0 since S",
                                     "rank 1 is in MPI_Recv from rank 0, tag 42, which nobody sent, since S",
                                     "Deadlock: rank 0 waits for rank 1, rank 1 for rank 0.",
                                     "Rank 0 sent tag 41 twice, which was not received; nobody sent tag 42."])

    @each_mpi
    def test_any_source(self, mpi):
        self.aborted(mpi, 2, "any", ["rank 0 is in MPI_Recv from any source, tag 7, which nobody sent, since S",
                                     "rank 1 is in MPI_Barrier on comm 0 since S", "MPI_Barrier on comm 0 waits for rank 0.",
                                     "Nobody is left to send to rank 0: all others wait or have ended."])

    @each_mpi
    def test_a_circle_of_receives(self, mpi):
        self.aborted(mpi, 3, "ring",
                     [f"rank {r} is in MPI_Recv from rank {(r + 1) % 3}, tag 5, which nobody sent, since S" for r in range(3)] +
                     ["Deadlock: rank 0 waits for rank 1, rank 1 for rank 2, rank 2 for rank 0."])

    @each_mpi
    def test_a_wait(self, mpi):
        self.aborted(mpi, 2, "wait", ["rank 0 is in MPI_Wait of MPI_Irecv from rank 1, tag 9, which nobody sent, since S",
                                      "rank 1 is in MPI_Barrier on comm 0 since S",
                                      "Deadlock: rank 0 waits for rank 1, rank 1 for rank 0."])


if __name__ == "__main__":
    main()
