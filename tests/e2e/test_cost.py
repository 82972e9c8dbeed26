"""What recording costs, as the profile itself knows it, and the clock's own part of it."""

import glob
import json
import os
import re

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


def resident(text):
    """What programs with our_memory.h say, in order: (word, bytes) or (word, rounds, seconds, bytes)."""
    return [line.split() for line in text.splitlines() if re.match(r"(at|start|signatures|posted|completed|finalized) \d", line)]


class Memory(EndToEnd):
    """Resident bytes of the profiler alone, told apart by their mappings: MPI grows as it likes."""

    @each_mpi
    def test_sixteen_mebibytes_are_the_most(self, mpi):
        bare = self.bare(mpi.command(1, "memory"))
        self.assertEqual({int(row[-1]) for row in resident(bare.errors)}, {0}, bare)
        p = self.profile(mpi, 1, "memory")
        rows = {row[0]: int(row[-1]) for row in resident(p.run.errors)}
        self.assertEqual(list(rows), ["start", "signatures", "posted", "completed", "finalized"])
        print(f"{mpi.name}: {rows}", flush=True)
        self.assertGreater(len(p.signatures()), 57_000)
        # A full table has 65,536 signatures of 112 bytes: as if the rest were there, too.
        rest = (65_536 - len(p.signatures())) * 112
        self.assertGreater(rows["start"], 0)
        self.assertLess(rows["signatures"] + rest, 10 << 20)
        self.assertLess(max(rows.values()) + rest, 16 << 20)
        self.assert_call(p, "MPI_Irecv", 70_000)
        self.assert_call(p, "MPI_Recv", 76_000, 0, 70_000 * 8 + sum(range(6000)))
        self.assertEqual(p.call("MPI_Waitall").calls, 1)
        self.assertIn("requests-untracked", p.warnings)

    @each_mpi
    def test_a_soak_leaves_it_flat(self, mpi):
        """A few seconds; SCOPE_SOAK_SECONDS in the environment sets another time, such as 600."""
        seconds = float(os.environ.get("SCOPE_SOAK_SECONDS", "3"))
        p = self.profile(mpi, 2, "thread_soak", seconds, timeout=seconds + 180)
        rows = [(int(rounds), int(ours)) for _, rounds, _, ours in resident(p.run.text)]
        self.assertEqual(len(rows), 11, p.run)
        print(f"{mpi.name}: {rows}", flush=True)
        rounds = rows[-1][0]
        self.assertLessEqual(rows[-1][1] - rows[0][1], 64 << 10, "bytes that the profiler grew by after 300 rounds")
        self.assertLess(rows[-1][1], 8 << 20)
        # And nothing is lost on the way.
        self.assert_call(p, "MPI_Comm_dup", 4 * rounds)
        self.assert_call(p, "MPI_Comm_create_group", 4 * rounds)
        self.assert_call(p, "MPI_Type_free", 2 * rounds)
        self.assert_call(p, "MPI_Win_free", rounds)
        self.assert_call(p, "MPI_Cancel", 3 * rounds)
        self.assert_call(p, "MPI_Isend", 3 * 33 * rounds, 3 * 33 * 8 * rounds)
        self.assert_call(p, "MPI_Request_free", 3 * 2 * rounds)
        self.assertEqual({rank["threads"] for rank in p.ranks}, {2})


if __name__ == "__main__":
    main()
