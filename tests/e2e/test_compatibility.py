"""Files that earlier versions wrote are read by every command, with the values that they had then; newer ones are refused by name.

The files are in tests/data/compatibility, whose README says how they were made.
"""

import gzip
import json
import os
import shutil

from harness import EndToEnd, main, read_json

DATA = os.path.join(os.environ.get("SCOPE_TEST_DATA", ""), "compatibility")
# calls, total_ns, bytes sent, received by rank
SENDRECV = {
    "MPI_Init": (2, 480547220, 0, 0), "MPI_Finalize": (2, 95160979, 0, 0), "MPI_Sendrecv": (4, 99706, 40, 40),
    "MPI_Sendrecv_replace": (2, 9227, 32, 32), "MPI_Send": (2, 521, 0, 0), "MPI_Comm_size": (2, 40, 0, 0),
    "MPI_Comm_rank": (2, 30, 0, 0)}


def differences(old, new, path="$"):
    """Where `new` does not say what `old` says; what it says beyond that (keys of later versions) is no difference."""
    if isinstance(old, dict) and isinstance(new, dict):
        return [d for key in old for d in (differences(old[key], new[key], f"{path}.{key}") if key in new else [f"{path}.{key} is gone"])]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [d for i, pair in enumerate(zip(old, new)) for d in differences(*pair, f"{path}[{i}]")]
    return [] if old == new else [f"{path}: {old} became {new}"]


class Old(EndToEnd):
    def old(self, *names):
        return os.path.join(DATA, *names)

    def ok(self, *arguments, code=0):
        run = self.tool(*arguments)
        self.assertEqual(run.code, code, run)
        return run

    def report(self, file):
        return json.loads(self.ok("report", "--format", "json", file).text)

    def test_report_reads_the_profile(self):
        report = self.report(self.old("trace.json"))
        head = report["headline"]
        self.assertEqual((head["wall_ns"], head["mpi_ns"], head["calls"], head["p2p_messages"], head["p2p_bytes"]),
                         (297390537, 575817723, 16, 4, 72))
        self.assertEqual((head["label"], head["tags"], head["complete"]), ("old", {"case": "sendrecv"}, True))
        self.assertEqual({r["call"]: (r["calls"], r["total_ns"], r["bytes_sent"], r["bytes_received"]) for r in report["by_call"]}, SENDRECV)
        killed = self.report(self.old("killed.json"))["headline"]
        self.assertEqual((killed["wall_ns"], killed["mpi_ns"], killed["calls"], killed["exit_status"]), (142444046, 262360201, 204, 11))

    def test_every_format_of_report_reads_it(self):
        for ending in ("txt", "md", "csv", "html"):
            self.ok("report", self.old("trace.json"), "-o", self.path("r." + ending))
            with open(self.path("r." + ending), encoding="utf-8") as file:
                self.assertIn("MPI_Sendrecv_replace", file.read())

    def test_merge_makes_the_same_profile_from_the_dumps(self):
        self.ok("merge", self.old("dumps"), "-o", self.path("merged.json"))
        self.assertEqual(differences(read_json(self.old("trace.json")), read_json(self.path("merged.json"))), [])

    def test_merge_reads_live_blocks(self):
        blocks = self.path("blocks")
        os.mkdir(blocks)
        shutil.copy(self.old("blocks", "run.info"), blocks)
        names = [n for n in os.listdir(self.old("blocks")) if n.endswith(".gz")]
        self.assertEqual(len(names), 2)
        for name in names:
            with gzip.open(self.old("blocks", name)) as packed, open(os.path.join(blocks, name[:-3]), "wb") as file:
                file.write(packed.read())
        self.ok("merge", blocks, "-o", self.path("merged.json"))
        data = read_json(self.path("merged.json"))
        self.assertEqual({c["name"]: (c["calls"], c["total_ns"], c["per_rank"]["calls"]) for c in data["calls"]},
                         {"MPI_Init": (2, 227637685, [1, 1]), "MPI_Barrier": (200, 34722038, [100, 100]), "MPI_Comm_rank": (2, 40, [1, 1])})
        self.assertEqual([(r["status"], r["wall_ns"], r["mpi_ns"], r["host"]) for r in data["ranks"]],
                         [("recovered", 133466407, 133315803, "node1"), ("recovered", 129263772, 129043960, "node1")])

    def test_check_compares_it(self):
        run = self.ok("check", self.old("trace.json"), self.old("trace.json"), "--json", "-")
        checks = {c["metric"]: c for c in json.loads(run.text)["checks"]}
        self.assertEqual((checks["wall"]["base"], checks["calls.MPI_Sendrecv.calls"]["new"]), (297390537, 4))
        self.ok("check", "--max", "calls=15", self.old("trace.json"), code=1)
        self.ok("check", "--max", "calls=16", self.old("trace.json"))

    def test_export_reads_it(self):
        entries = {e["name"]: e["value"] for e in json.loads(self.ok("export", "--to", "gha-benchmark", self.old("trace.json")).text)}
        self.assertEqual((entries["wall"], entries["mpi_time"]), (0.297390537, 0.575817723))
        rows = json.loads(self.ok("export", "--to", "profile-json", self.old("trace.json")).text)["regions"]
        name = "mpi:sendrecv kind=point-to-point bytes=20 peer=0 root=-1 tag=3 comm=0"
        self.assertEqual([(r["rank"], r["aggregate"]["count"], r["aggregate"]["total"]) for r in rows if r["name"] == name], [(1, 1, 70081)])

    def test_the_python_packages_profile(self):
        head = self.report(self.old("python-profile.json"))["headline"]
        self.assertEqual((head["wall_ns"], head["mpi_ns"], head["ranks"]), (45, 0, 1))
        self.ok("check", "--max", "regions.solve.total=33", self.old("python-profile.json"), code=2)  # a time has a unit
        self.ok("check", "--max", "regions.solve.total=33ns", self.old("python-profile.json"))
        self.ok("check", "--max", "regions.solve.total=32ns", "--floor", "0ns", self.old("python-profile.json"), code=1)

    def test_newer_versions_are_refused_by_name(self):
        for source, versions in (("trace.json", "scope-profiler-summary version 2, this scope-profiler reads up to version 1"),
                                 ("python-profile.json", "scope-profiler-profile version 2, this scope-profiler reads up to version 1")):
            with open(self.old(source), encoding="utf-8") as file:
                data = json.load(file)
            data["format_version"] += 1
            with open(self.path("newer.json"), "w", encoding="utf-8") as file:
                json.dump(data, file)
            for words in (["report"], ["check", "--max", "calls=1"], ["export", "--to", "profile-json"]):
                run = self.ok(*words, self.path("newer.json"), code=2)
                self.assertIn(self.path("newer.json") + ": is of " + versions, run.errors)
        dump = next(n for n in os.listdir(self.old("dumps")) if n.endswith("-0.json"))
        with open(self.old("dumps", dump), encoding="utf-8") as file:
            data = json.load(file)
        data["format_version"] += 1
        with open(self.path(dump), "w", encoding="utf-8") as file:
            json.dump(data, file)
        run = self.tool("merge", self.path(dump), "-o", self.path("m.json"))
        self.assertIn("scope-profiler-rank version 2, this scope-profiler reads up to version 1", run.errors, run)
        name = next(n for n in os.listdir(self.old("blocks")) if n.endswith(".gz"))
        with gzip.open(self.old("blocks", name)) as packed:
            block = bytearray(packed.read())
        block[8:12] = (99).to_bytes(4, "little")
        with open(self.path(name[:-3]), "wb") as file:
            file.write(block)
        run = self.tool("merge", self.path(name[:-3]), "-o", self.path("m.json"))
        self.assertIn("version 99", run.errors, run)


if __name__ == "__main__":
    main()
