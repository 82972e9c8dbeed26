"""Timelines: every call of the profile is in them, whatever the program does, and what they say when they are not complete."""

import os
import subprocess

from harness import PROGRAMS, EndToEnd, each_mpi, main

# Programs, ranks and words that call in many ways: each call of the profile must be an event, with the same time.
PROGRAMS_OF_ALL_KINDS = [
    ("sendrecv", 3), ("collectives", 3), ("collectives_inplace", 3), ("collectives_nonblocking", 3), ("comm_groups", 3),
    ("neighbours", 3), ("waits", 3), ("request_lives", 2), ("shared_handles", 2), ("p2p_modes", 2), ("persistent", 2), ("probes", 2),
    ("threads", 2), ("thread_storm", 2), ("openmp", 2), ("rma", 2), ("window_kinds", 2, "syncs"), ("subcomm", 4), ("intercomm", 4),
    ("late_callbacks", 2), ("errors", 2), ("recv_unknown", 2), ("message_kinds", 2, "modes"), ("message_kinds", 2, "persistent"),
    ("pcontrol", 2), ("fortran_f08", 2), ("partitioned", 2),
]


class Events:
    """What tests/e2e/timeline_text prints."""

    def __init__(self, text):
        self.ranks, self.calls = [], []
        for line in text.splitlines():
            words = line.split()
            if words[0] == "rank":
                self.ranks.append(words)
            else:
                self.calls.append((int(words[1]), words[2], *map(int, words[3:])))

    def sums(self):
        """(rank, call) -> (calls, total_ns)."""
        result = {}
        for rank, call, _, _, _, begin, end in self.calls:
            count, total = result.get((rank, call), (0, 0))
            result[rank, call] = (count + 1, total + end - begin)
        return result


class Timelines(EndToEnd):
    def events(self, name="trace.timeline"):
        text = subprocess.run([os.path.join(PROGRAMS, "timeline_text"), self.path(name)], capture_output=True, text=True, check=True)
        return Events(text.stdout)

    def check_sums(self, p):
        sums = self.events().sums()
        for row in p.data["calls"]:
            for rank, (calls, total) in enumerate(zip(row["per_rank"]["calls"], row["per_rank"]["total_ns"])):
                found = sums.pop((rank, row["name"]), (0, 0))
                self.assertEqual(found[0], calls, (rank, row["name"]))
                # Each event is rounded on its own, and so is each signature; a wait has one for every request.
                self.assertLessEqual(abs(found[1] - total), calls + len(p.signatures(row["name"], rank)), (rank, row["name"]))
        self.assertEqual(sums, {})
        self.assertEqual(p.data["timeline"]["complete"], True)

    @each_mpi
    def test_every_call_is_an_event(self, mpi):
        for program, ranks, *words in PROGRAMS_OF_ALL_KINDS:
            if not os.path.exists(mpi.program(program)):
                continue
            with self.subTest(program=program, words=words):
                self.check_sums(self.profile(mpi, ranks, program, *words, options=["--trace"], timeout=110))

    @each_mpi
    def test_a_full_timeline_is_said_and_the_common_window_is_used(self, mpi):
        p = self.profile(mpi, 2, "uneven", options=["--trace", "--trace-limit", "1MiB"])
        self.assertEqual(p.call("MPI_Iprobe").calls_by_rank, [600000, 0])  # the profile is exact
        timeline, events = p.data["timeline"], self.events()
        self.assertEqual((timeline["complete"], timeline["notes"]["cut"]), (False, {"world": [0], "rank": [0]}))
        kept = [call for call in events.calls if call[0] == 0]
        self.assertGreater(len(kept), 100000)
        self.assertLess(len(kept), 600000)
        last = max(call[6] for call in kept)
        self.assertGreaterEqual(timeline["to_ns"], last)
        self.assertLess(timeline["to_ns"] - last, 1e9)
        self.assertEqual([row["calls"] for row in timeline["calls"] if row["call"] == "MPI_Barrier"], [2])  # of the two ranks' two each
        self.assertEqual([row["call"] for row in timeline["calls"] if row["call"] in ("MPI_Send", "MPI_Recv", "MPI_Finalize")], [])
        self.assertEqual(timeline["unmatched"], [])  # beyond the window nothing is missed
        self.assertIn("1 of 2 ranks", p.warnings["timeline-cut"])
        self.assertIn("--trace-limit", p.warnings["timeline-cut"])

    @each_mpi
    def test_a_killed_rank_leaves_its_timeline(self, mpi):
        run = self.run_profiled(mpi.command(2, "ends", "kill"), ["--trace"], code=None)
        p = self.load(run)
        self.assertEqual({r["status"] for r in p.ranks} & {"killed", "recovered"} != set(), True, run)
        sums = self.events().sums()
        for row in p.data["calls"]:
            for rank, calls in enumerate(row["per_rank"]["calls"]):
                self.assertEqual(sums.get((rank, row["name"]), (0, 0))[0], calls, (rank, row["name"]))

    @each_mpi("mpich")
    def test_a_rank_without_a_timeline_is_named(self, mpi):
        mark = self.path("without")
        with open(mark, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n[ \"$PMI_RANK\" != 1 ] || unset SCOPE_PROFILER_TRACE_BYTES\nexec \"$@\"\n")
        os.chmod(mark, 0o700)
        run = self.run_profiled([mpi.mpiexec, "-n", "2", mark, mpi.program("sendrecv")], ["--trace"])
        p = self.load(run)
        timeline = p.data["timeline"]
        self.assertEqual((timeline["complete"], timeline["notes"]["without"]), (False, {"world": [0], "rank": [1]}))
        self.assertEqual(timeline["ranks"]["rank"], [0])

    @each_mpi("mpich")
    def test_a_later_run_keeps_the_earlier_timeline(self, mpi):
        self.profile(mpi, 3, "sendrecv", options=["--trace"])
        first = self.events().calls
        self.profile(mpi, 2, "sendrecv", options=["--trace"])
        self.assertEqual(self.events("trace.timeline.old").calls, first)

    @each_mpi("mpich")
    def test_dumps_that_are_kept_make_the_same_timeline(self, mpi):
        self.profile(mpi, 2, "waits", options=["--trace", "--keep-dumps", self.path("dumps")])
        run = self.tool("merge", self.path("dumps"), "-o", self.path("again.json"))
        self.assertEqual(run.code, 0, run)
        self.assertEqual(self.events("again.timeline").calls, self.events().calls)

    @each_mpi("mpich")
    def test_without_room_the_profile_is_there(self, mpi):
        """The directory can't hold the side file: a directory of that name stands there."""
        os.makedirs(self.path("trace.timeline.old", "full"))
        os.makedirs(self.path("trace.timeline", "full"))
        p = self.profile(mpi, 2, "sendrecv", options=["--trace"])
        self.assertIsNone(p.data["timeline"])
        self.assertIn("The timeline could not be made", p.warnings["timeline-missing"])
        self.assertEqual(p.call("MPI_Sendrecv").calls_by_rank != [0, 0], True)

    def test_several_runs_are_refused(self):
        for options in (["--repeat", "2"], ["--versus", "true"]):
            run = self.tool("run", "--trace", *options, "true")
            self.assertEqual((run.code, run.text), (125, ""), run)
            self.assertIn("--trace records one run", run.errors)
        run = self.tool("run", "--trace", "--trace-limit", "4k", "true")
        self.assertEqual(run.code, 125)
        self.assertIn("--trace-limit is at least 1MiB.", run.errors)


if __name__ == "__main__":
    main()
