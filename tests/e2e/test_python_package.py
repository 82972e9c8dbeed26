"""Profiles of the Python package scope-profiler are read by report, check and export; ours are written in its documented structure."""

import json
import os

from harness import EndToEnd, Profile, each_mpi, main, read_json

DATA = os.path.join(os.environ.get("SCOPE_TEST_DATA", ""), "python_profile")
KEYS = {"name", "rank", "source_file", "source_lineno", "source_text", "tags", "aggregate"}  # of rows without a timeline
NUMBERS = ("bytes", "peer", "root", "tag", "comm")


def fields(name):
    """A canonical region name as its parts; None for any other."""
    if not name.startswith("mpi:"):
        return None
    operation, *rest = name[4:].split(" ")
    return {"operation": operation, **dict(part.split("=", 1) for part in rest)}


def tags(parts):
    names = {"comm": "communicator"}
    return ["mpi", f"mpi.kind:{parts['kind']}", f"mpi.operation:{parts['operation']}",
            *(f"mpi.{names.get(key, key)}:{parts[key]}" for key in NUMBERS), *([f"mpi.request:{parts['request']}"] if "request" in parts else [])]


class Theirs(EndToEnd):
    def setUp(self):
        super().setUp()
        self.file = os.path.join(DATA, "mpi.json")

    def test_report(self):
        run = self.tool("report", "--format", "json", self.file)
        report = json.loads(run.text)
        head = report["headline"]
        self.assertEqual((head["ranks"], head["wall_ns"], head["mpi_ns"], head["calls"], head["tags"]["hosts"]), (2, 120, 45, 3, "a, b"), run)
        self.assertEqual([(c["call"], c["calls"], c["total_ns"], c["bytes_sent"]) for c in report["by_call"]],
                         [("MPI_Send", 2, 25, 16), ("MPI_Recv", 1, 20, 0)])

    def test_check(self):
        self.assertEqual(self.tool("check", self.file, self.file).code, 0)
        for limit, code in (("calls=3", 0), ("calls=2", 1), ("regions.solve.total=190ns", 0), ("regions.solve.calls=1", 1)):
            run = self.tool("check", "--max", limit, self.file)
            self.assertEqual(run.code, code, f"{limit}\n{run}")

    def test_export(self):
        run = self.tool("export", "--to", "gha-benchmark", self.file)
        values = {e["name"]: e["value"] for e in json.loads(run.text)}
        self.assertEqual((round(values["wall"] * 1e9), round(values["mpi_time"] * 1e9)), (120, 45), run)
        run = self.tool("export", "--to", "profile-json", self.file)
        data = json.loads(run.text)
        rows = {(r["name"].split(" ")[0], r["rank"]): r["aggregate"] for r in data["regions"]}
        self.assertEqual({key: (a["count"], a["total"]) for key, a in rows.items()},
                         {("program", 0): (1, 100), ("program", 1): (1, 120), ("solve", 0): (1, 100), ("mpi:send", 0): (2, 25),
                          ("solve", 1): (1, 90), ("mpi:recv", 1): (1, 20), ("setup", 1): (3, 30)}, run)
        self.assertEqual(data["metadata"]["tag:mpi_size"], "2", "what was metadata there is kept")


class Ours(EndToEnd):
    @each_mpi
    def test_documented_structure_and_back(self, mpi):
        p = self.profile(mpi, 3, "waits", options=["--label", "l", "--tag", "k=v", "--tag", "command=mine"])
        run = self.tool("export", "--to", "profile-json", self.path("trace.json"), "-o", self.path("python.json"))
        self.assertEqual(run.code, 0, run)
        data = read_json(self.path("python.json"))
        self.assertEqual([data[k] for k in ("format", "format_version", "time_unit", "num_ranks", "event_data_available")],
                         ["scope-profiler-profile", 1, "nanoseconds", 3, False])
        self.assertRegex(data["exporter"], r"^scope-profiler@\d+\.\d+\.\d+$")
        meta = data["metadata"]
        self.assertEqual((meta["mpi_size"], meta["label"], meta["k"], meta["tag:command"], meta["command"][1:3]), (3, "l", "v", "mine", ["-n", "3"]))
        for value in meta.values():  # flat
            self.assertTrue(isinstance(value, (str, int, float)) or all(isinstance(v, (str, int)) for v in value), value)
        self.assertEqual(len({(r["name"], r["rank"]) for r in data["regions"]}), len(data["regions"]), "one row a name and rank")
        calls = {}
        for row in data["regions"]:
            self.assertLessEqual(set(row), KEYS)
            a = row["aggregate"]
            self.assertTrue(all(isinstance(v, (int, float)) for v in a.values()), a)
            self.assertLessEqual(a["minimum"], a["mean"] + 1)
            self.assertLessEqual(a["mean"], a["maximum"] + 1)
            parts = fields(row["name"])
            if parts is None:
                self.assertEqual((row["name"], row["tags"], a["total"]), ("program", [], p.ranks[row["rank"]]["wall_ns"]))
                continue
            self.assertEqual(row["tags"], tags(parts))
            sums = calls.setdefault(parts["operation"], ([0] * 3, [0] * 3))
            sums[0][row["rank"]] += a["count"]
            sums[1][row["rank"]] += a["total"]
        expected = {c["name"][4:].lower(): (c["per_rank"]["calls"], c["per_rank"]["total_ns"]) for c in p.data["calls"]}
        self.assertEqual(calls, expected, "calls and times of every rank")
        # And back: what report says of it is what it says of the profile itself.
        reports = [json.loads(self.tool("report", "--format", "json", self.path(n)).text) for n in ("trace.json", "python.json")]
        ours, back = [{c["call"]: (c["calls"], c["total_ns"]) for c in r["by_call"]} for r in reports]
        self.assertEqual(back, ours)
        self.assertEqual(*[[r["headline"][k] for k in ("wall_ns", "calls", "ranks")] for r in reports])
        self.assertEqual(self.tool("check", "--max", f"calls={p.totals['calls']}", self.path("python.json")).code, 0)

    @each_mpi("mpich")
    def test_regions_of_the_program(self, mpi):
        p = self.profile(mpi, 2, "regions")
        data = json.loads(self.tool("export", "--to", "profile-json", self.path("trace.json")).text)
        rows = {(r["name"], r["rank"]): r for r in data["regions"] if not r["name"].startswith("mpi:")}
        names = {r["name"] for r in p.data["regions"]}
        self.assertEqual(set(rows), {(name, rank) for name in names | {"program"} for rank in (0, 1)})
        for row in p.data["regions"]:
            if row["name"] == "level":  # a region in itself: one row for its three paths
                continue
            for rank in (0, 1):
                a = rows[row["name"], rank]["aggregate"]
                self.assertEqual((a["count"], a["total"], a["exclusive"]), tuple(row["per_rank"][k][rank] for k in ("calls", "total_ns", "self_ns")))
                self.assertEqual(rows[row["name"], rank]["source_lineno"], row["source"]["line"])
        self.assertEqual(rows["level", 1]["aggregate"]["count"], 3)


if __name__ == "__main__":
    main()
