"""What recording costs, as the profile itself knows it, and the clock's own part of it."""

import glob
import json
import os

from harness import PROGRAMS, EndToEnd, each_mpi, main

CALLS = 1010  # of MPI_Comm_rank that the program `instructions` makes through the shim


class OwnCost(EndToEnd):
    def dump(self, mpi, clock, *options):
        """The profile, and the dump of the only rank, whose times are ticks."""
        kept = self.path("dumps-" + clock)
        p = self.profile(mpi, 1, "instructions", options=["--keep-dumps", kept, *options], env={"SCOPE_PROFILER_CLOCK": clock})
        (path,) = glob.glob(os.path.join(kept, "rank-*.json"))
        with open(path, encoding="utf-8") as file:
            return p, json.load(file)

    def median(self, row):
        """Ticks, the lower end of its bucket (share/doc/format-dump.md)."""
        left = (row["calls"] + 1) // 2
        for bucket, count in row["histogram"]:
            left -= count
            if left <= 0:
                return bucket if bucket < 8 else (8 + bucket % 8) << (bucket // 8 - 1)
        self.fail("the histogram has fewer calls than the row")

    @each_mpi
    def test_the_clock_is_not_in_short_calls(self, mpi):
        """MPI_Comm_rank takes two nanoseconds; what two reads of the clock around it show is mostly the clock, if it is left in."""
        for clock in ("tsc", "monotonic"):
            _, dump = self.dump(mpi, clock)
            own = dump["clock_ticks"]
            self.assertGreater(own, 0)
            (row,) = [row for row in dump["calls"] if row["name"] == "MPI_Comm_rank"]
            self.assertEqual(row["calls"], CALLS)
            self.assertLess(self.median(row), own, clock)  # with the clock in it, half would not be below
            self.assertEqual(sum(count for _, count in row["histogram"]), CALLS)
            self.assertEqual(sum(s["total"] for s in dump["signatures"] if s["call"] == "MPI_Comm_rank"), row["total"])
            self.assertEqual(sum(row["total"] for row in dump["calls"]), dump["mpi_ticks"], "calls add up to MPI time, tick by tick")

    @each_mpi
    def test_each_rank_knows_its_cost(self, mpi):
        p = self.profile(mpi, 2, "ping_pong")
        for rank in p.ranks:
            self.assertGreater(rank["overhead_ns"], 0)
        self.assertEqual(p.totals["overhead_ns"], sum(rank["overhead_ns"] for rank in p.ranks))

    def test_regions_have_their_cost(self):
        run = self.run_profiled([os.path.join(PROGRAMS, "regions_serial")], calls=False)
        p = self.load(run)
        passed = sum(row["calls"] for row in p.data["regions"])
        self.assertGreater(passed, 0)
        self.assertGreaterEqual(p.totals["overhead_ns"], passed, "a nanosecond each is the least that two clock reads can take")
        self.assertRegex(run.errors, r"Cost of the profiler: .*\(0 calls and [\d,]+ regions? x calibrated cost\)")


if __name__ == "__main__":
    main()
