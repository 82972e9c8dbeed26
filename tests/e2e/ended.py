"""What the tests of ends and of signals share: two ranks of tests/programs/ends.c after their 100 Barriers."""

from harness import EndToEnd

DIED = ("exited", "aborted", "killed", "recovered")


class EndedRanks(EndToEnd):
    def check_two_ranks(self, p):
        self.assertEqual([(w["size"], w["ranks_reported"], w["missing"]) for w in p.worlds], [(2, 2, [])])
        self.assertEqual([r["rank"] for r in p.ranks], [0, 1])
        self.assert_call(p, "MPI_Init", 1)
        self.assert_call(p, "MPI_Comm_rank", 1)
        self.assert_call(p, "MPI_Barrier", 100)

    def check_not_finalized(self, p):
        for rank in p.ranks:
            self.assertIn(rank["status"], DIED, rank)
        self.assert_call(p, "MPI_Finalize", 0)
