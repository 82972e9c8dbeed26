"""A recorded timeline in the formats of other tools."""

import csv
import json
import os
import shutil

import harness
from harness import EndToEnd, each_mpi, read_json

# sendrecv.c on 3 ranks: 20 B with tag 3 to the right, 16 B with tag 4 to the left.
MESSAGES = sorted([(r, (r + 1) % 3, 20, 3) for r in range(3)] + [(r, (r + 2) % 3, 16, 4) for r in range(3)])


class Exports(EndToEnd):
    def export(self, to, output, profile="trace.json"):
        run = self.tool("export", "--to", to, self.path(profile), "-o", self.path(output))
        self.assertEqual((run.code, run.err), (0, b""), run)
        return self.path(output)

    @each_mpi
    def test_messages_flows_and_frames(self, mpi):
        profile = self.profile(mpi, 3, "sendrecv", options=["--trace"])

        with open(self.export("csv", "messages.csv"), newline="", encoding="utf-8") as file:
            rows = [{k: int(v) for k, v in row.items()} for row in csv.DictReader(file)]
        self.assertEqual(list(rows[0]), ["world", "src", "dst", "start", "end", "bytes", "tag", "comm"])
        self.assertEqual(sorted((r["src"], r["dst"], r["bytes"], r["tag"]) for r in rows), MESSAGES)
        for row in rows:
            self.assertLess(0, row["start"])
            self.assertLess(row["start"], row["end"])
            self.assertEqual(row["world"], 0)

        events = read_json(self.export("chrome-trace", "chrome.json"))["traceEvents"]
        flows = {}
        for event in events:
            if event["ph"] in "sf":
                flows.setdefault(event["id"], {})[event["ph"]] = event
        self.assertEqual(sorted((f["s"]["pid"] - 1, f["f"]["pid"] - 1) for f in flows.values()), sorted(m[:2] for m in MESSAGES))
        slices = [e for e in events if e["ph"] == "X"]
        for end in (flow[phase] for flow in flows.values() for phase in "sf"):
            around = [s["name"] for s in slices if (s["pid"], s["tid"]) == (end["pid"], end["tid"]) and s["ts"] <= end["ts"] < s["ts"] + s["dur"]]
            self.assertTrue(around and around[-1].startswith("MPI_Sendrecv"), (end, around))
        calls = {row["name"]: row["calls"] for row in profile.data["calls"]}
        self.assertEqual({name: sum(s["name"] == name for s in slices) for name in calls}, calls)

        speedscope = read_json(self.export("speedscope", "speedscope.json"))
        self.assertEqual([p["name"].split(" (")[0] for p in speedscope["profiles"]], ["rank 0", "rank 1", "rank 2"])
        names = [frame["name"] for frame in speedscope["shared"]["frames"]]
        opened = [names[e["frame"]] for p in speedscope["profiles"] for e in p["events"] if e["type"] == "O"]
        self.assertEqual({name: opened.count(name) for name in calls}, calls)

    @each_mpi
    def test_as_profile_of_the_python_package(self, mpi):
        profile = self.profile(mpi, 2, "sendrecv", options=["--trace"])
        data = read_json(self.export("profile-json", "python.json"))
        self.assertEqual((data["event_data_available"], data["num_ranks"]), (True, 2))
        rows = data["regions"]
        self.assertEqual(len({(r["name"], r["rank"]) for r in rows}), len(rows), "one row a name and rank")
        calls, totals = {}, {}
        for row in rows:
            starts, ends = row["start_times_ns"], row["end_times_ns"]
            self.assertEqual((len(starts), starts), (len(ends), sorted(starts)), row["name"])
            if row["name"] == "program":
                continue
            name = next(tag.split(":")[1] for tag in row["tags"] if tag.startswith("mpi.operation:"))
            calls.setdefault(name, [0, 0])[row["rank"]] += len(starts)
            totals.setdefault(name, [0, 0])[row["rank"]] += sum(ends) - sum(starts)
        for row in profile.data["calls"]:
            name = row["name"][4:].lower()
            self.assertEqual(calls.pop(name), row["per_rank"]["calls"], name)
            for rank in (0, 1):
                self.assertAlmostEqual(totals[name][rank], row["per_rank"]["total_ns"][rank], delta=2 * sum(row["per_rank"]["calls"]), msg=name)
        self.assertEqual(calls, {})
        back = self.tool("report", "--format", "json", self.path("python.json"))
        self.assertEqual({c["call"]: c["calls"] for c in json.loads(back.text)["by_call"]}, {c["name"]: c["calls"] for c in profile.data["calls"]})
        os.remove(self.path("trace.timeline"))
        run = self.tool("export", "--to", "profile-json", self.path("trace.json"))
        self.assertFalse(json.loads(run.text)["event_data_available"])
        self.assertIn("What is written is without the timeline.", run.errors)

    @each_mpi("openmpi")
    def test_to_standard_output_and_to_nobody(self, mpi):
        self.profile(mpi, 2, "sendrecv", options=["--trace"])
        run = self.tool("export", "--to", "csv", self.path("trace.json"))
        self.assertEqual((run.code, run.out.count(b"\r\n"), run.err), (0, 5, b""), run)
        run = self.bare(["sh", "-c", f"'{harness.TOOL}' export --to chrome-trace '{self.path('trace.json')}' | true"])
        self.assertEqual((run.code, run.err), (0, b""), run)

    @each_mpi("mpich")
    def test_what_is_missing_or_of_another_run(self, mpi):
        self.profile(mpi, 2, "sendrecv")
        run = self.tool("export", "--to", "speedscope", self.path("trace.json"))
        self.assertEqual(run.code, 2)
        self.assertIn("trace.json: --to speedscope needs a timeline, and this profile has none. Record one with: scope-profiler run --trace", run.errors)

        for _ in range(2):
            self.profile(mpi, 2, "sendrecv", options=["--trace"])
        new, old = self.export("csv", "new.csv"), self.export("csv", "old.csv", "trace.json.old")
        self.assertNotEqual(open(new, "rb").read(), open(old, "rb").read(), "each has its own")
        self.assertEqual(self.tool("export", "--to", "csv", self.path("trace.json"), "-o", self.path("trace.timeline")).code, 2)

        os.remove(self.path("trace.timeline.old"))
        run = self.tool("export", "--to", "csv", self.path("trace.json.old"))
        self.assertEqual(run.code, 2)
        self.assertIn("is the timeline of another run", run.errors)
        shutil.copy(self.path("trace.json"), self.path("alone.json"))
        os.remove(self.path("trace.timeline"))
        run = self.tool("export", "--to", "csv", self.path("alone.json"))
        self.assertEqual(run.code, 2)
        self.assertIn("trace.timeline: No such file or directory; it belongs beside the profile, copy both", run.errors)

    @each_mpi("openmpi")
    def test_of_a_timeline_that_is_cut_off_what_is_whole_is_written(self, mpi):
        self.profile(mpi, 3, "sendrecv", options=["--trace"])
        size = os.path.getsize(self.path("trace.timeline"))
        os.truncate(self.path("trace.timeline"), size // 2)
        run = self.tool("export", "--to", "speedscope", self.path("trace.json"), "-o", self.path("out.json"))
        self.assertEqual(run.code, 0, run)
        self.assertIn(f"the file of {size} bytes can be read up to here: ", run.errors)
        read_json(self.path("out.json"))
        os.truncate(self.path("trace.timeline"), 50)
        run = self.tool("export", "--to", "speedscope", self.path("trace.json"), "-o", self.path("out2.json"))
        self.assertEqual((run.code, os.path.exists(self.path("out2.json"))), (2, False), run)


if __name__ == "__main__":
    harness.main()
