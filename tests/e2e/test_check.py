"""`check` as users type it: exit codes, what was wrong with the input, the formats for CI, budgets and histories.

Profiles are made from one real run by setting their times, so that verdicts do not depend on this machine.
"""

import copy
import json
import os
import xml.etree.ElementTree as ElementTree

from harness import EndToEnd, MPIS, main, read_json


def scaled(repeat, wall_ns):
    """The repetition as if it had taken so long, half of it in MPI."""
    repeat = copy.deepcopy(repeat)
    calls = repeat["calls"]
    share = wall_ns / repeat["totals"]["mpi_ns"]
    calls["total_ns"] = [int(ns * share) for ns in calls["total_ns"]]
    repeat["totals"].update(wall_ns=wall_ns, wall_sum_ns=2 * wall_ns, mpi_ns=sum(calls["total_ns"]))
    return repeat


class Check(EndToEnd):
    template = None

    def setUp(self):
        super().setUp()
        if Check.template is None:
            mpi = next((m for m in MPIS.values() if m.mpiexec), None)
            if not mpi:
                self.skipTest("no MPI is installed")
            run = self.run_profiled(mpi.command(2, "sendrecv"), options=["--repeat", "1"], output="template.json", timeout=120)
            Check.template = self.load(run, "template.json").data

    def write(self, name, walls=(1000, 1010, 1020, 1030, 1040), change=None):
        """A profile with repetitions of these milliseconds."""
        data = copy.deepcopy(Check.template)
        data["repeats"] = [scaled(data["repeats"][0], wall * 1000000) for wall in walls]
        if change:
            change(data)
        with open(self.path(name), "w") as file:
            json.dump(data, file)
        return self.path(name)

    def check(self, *arguments, code, **options):
        run = self.tool("check", *arguments, **options)
        self.assertEqual(run.code, code, run)
        return run

    @staticmethod
    def doubled(data):
        for repeat in data["repeats"]:
            repeat["calls"]["calls"] = [2 * n for n in repeat["calls"]["calls"]]

    # -- verdicts and exit codes

    def test_pass_fail_and_inconclusive(self):
        base, same = self.write("base.json"), self.write("same.json", (1005, 1015, 1025, 1035, 1045))
        slower, unsure = self.write("slower.json", (1200, 1210, 1220, 1230, 1240)), self.write("unsure.json", (990, 1100, 1200, 1010, 1150))
        self.assertIn("PASS", self.check(base, same, code=0).text)
        self.assertIn("FAIL", self.check(base, slower, code=1).text)
        self.check(base, slower, "--report-only", code=0)
        self.check(base, slower, "--max", "wall=30%", "--max", "mpi_time=30%", "--max", "compute_time=30%", code=0)
        run = self.check(base, unsure, code=0)
        self.assertIn("INCONCLUSIVE", run.text)
        self.assertIn("more repetitions of each", run.text)
        self.check(base, unsure, "--strict", code=1)
        self.check(slower, base, code=0)

    def test_more_calls_fail_whatever_the_times(self):
        noisy = self.write("noisy.json", (500, 2000, 1000, 3000))
        run = self.check(noisy, self.write("doubled.json", (3000, 500, 2000, 1000), self.doubled), code=1)
        self.assertRegex(run.text, r"FAIL +calls +[\d,]+ +[\d,]+ +\+100.0 %")

    def test_an_allow_file_accepts(self):
        base, doubled = self.write("base.json"), self.write("doubled.json", change=self.doubled)
        with open(self.path("allow.txt"), "w") as file:
            file.write("# the new scheme\ncalls\ncalls.*.calls  # since #12\n")
        run = self.check(base, doubled, "--allow", self.path("allow.txt"), code=0)
        self.assertIn("allowed", run.text)

    def test_one_side_without_repeats(self):
        def single(data):
            data["repeats"] = []
            data["totals"].update(wall_ns=1_300_000_000)
        base = self.write("base.json")
        self.check(base, self.write("single.json", change=single), "--json", self.path("out.json"), code=1)
        wall = next(c for c in read_json(self.path("out.json"))["checks"] if c["metric"] == "wall")
        self.assertEqual((wall["verdict"], wall["reason"], wall["base_repeats"], wall["new_repeats"]), ("fail", "untested", 5, 1))

    # -- bad input

    def test_profiles_that_are_not_comparable(self):
        base = self.write("base.json")
        changes = {
            "number of ranks": lambda d: d["worlds"][0].update(size=3),
            "MPI library": lambda d: d["metadata"]["mpi"].update(library="another"),
            "command": lambda d: d["metadata"]["command"].append("--more"),
            "processor": lambda d: d["metadata"].update(cpu="another"),
            "number of hosts": lambda d: d["metadata"].update(hosts=["a", "b"]),
            "ended with code 3": lambda d: d["metadata"].update(exit_status=3),
            "Ranks are missing": lambda d: d.update(complete=False),
        }
        for text, change in changes.items():
            other = self.write("other.json", change=change)
            self.assertIn(text, self.check(base, other, code=2).text)
            self.check(base, other, "--allow-different", code=0)

    def test_unreadable_input(self):
        base = self.write("base.json")
        for content, reason in (("", "is empty"), ("{", "is truncated"), ("{}", "has no key \"format\"")):
            with open(self.path("bad.json"), "w") as file:
                file.write(content)
            run = self.check(base, self.path("bad.json"), code=2)
            self.assertIn("bad.json", run.errors)
            self.assertIn(reason, run.errors)
        self.assertIn("No such file", self.check(base, self.path("none.json"), code=2).errors)

    def test_wrong_usage(self):
        base = self.write("base.json")
        for arguments, reason in (
                ([], "needs a profile"), ([base], "needs two profiles"), ([base] * 3, "3 were given"),
                ([base, base, "--max", "wal=5%"], "Did you mean 'wall'?"), ([base, base, "--max", "wall=5"], "needs a unit"),
                ([base, base, "--min", "wall"], "NAME=LIMIT"), ([base, base, "--floor", "10"], "needs a unit"),
                ([base, "--accept"], "--history"), ([base, "--max-regression", "5"], "needs a base"),
                ([base, base, "--init"], "takes one profile"), ([base, base, "--junit", base], "is a profile that is checked"),
                ([base, "--max", "wall=5%"], "needs a base")):
            self.assertIn(reason, self.check(*arguments, code=2).errors)

    def test_no_metric_in_common_is_trouble(self):
        for name in ("a.json", "b.json"):
            self.run_profiled(["true"], output=name, calls=False)
        self.assertIn("no metric in common", self.check(self.path("a.json"), self.path("b.json"), code=2).errors)

    def test_serial_programs_have_their_wall_time(self):
        self.run_profiled(["true"], options=["--repeat", "4"], output="a.json", calls=False)
        self.check(self.path("a.json"), self.path("a.json"), "--json", self.path("out.json"), code=0)
        self.assertEqual([c["metric"] for c in read_json(self.path("out.json"))["checks"]], ["wall"])

    # -- budgets

    def test_budget(self):
        profile = self.write("new.json", change=lambda data: data.update(findings=[]))
        with open(self.path("budget.toml"), "w") as file:
            file.write("mpi_share <= 0.25\ncalls.MPI_Iprobe.calls <= 1e6\nparallel_efficiency >= 0.0\n"
                       "findings.late-sender = \"forbid\"\n[calls.\"MPI_Send*\"]\ncalls <= 1e6\n")
        run = self.check("--budget", self.path("budget.toml"), profile, "--json", self.path("out.json"), code=1)
        self.assertIn("budget.toml:1", run.text)
        verdicts = {c["metric"]: c["verdict"] for c in read_json(self.path("out.json"))["checks"]}
        self.assertEqual(verdicts.pop("mpi_share"), "fail")
        self.assertEqual(set(verdicts.values()), {"pass"})
        self.assertIn("findings.late-sender", verdicts)
        self.assertIn("calls.MPI_Sendrecv.calls", verdicts)

        def with_finding(data):
            data["findings"] = [{"id": "late-sender", "severity": "high", "text": "t", "evidence": {}, "seconds_lost": 1.5}]
        self.check("--budget", self.path("budget.toml"), self.write("f.json", change=with_finding), "--json", self.path("out.json"), code=1)
        self.assertIn(("findings.late-sender", "forbidden"),
                      [(c["metric"], c["reason"]) for c in read_json(self.path("out.json"))["checks"]])

    def test_the_first_budget_holds_for_its_profile(self):
        profile = self.write("new.json")
        with open(self.path("budget.toml"), "wb") as file:
            file.write(self.check("--init", profile, code=0).out)
        self.check("--budget", self.path("budget.toml"), profile, code=0)
        self.check("--budget", self.path("budget.toml"), self.write("doubled.json", change=self.doubled), code=1)

    def test_a_broken_budget_is_named(self):
        with open(self.path("budget.toml"), "w") as file:
            file.write("# limits\nmpi_shar <= 0.25\n")
        run = self.check("--budget", self.path("budget.toml"), self.write("new.json"), code=2)
        self.assertIn("budget.toml:2:1: 'mpi_shar' is no metric. Did you mean 'mpi_share'?", run.errors)

    # -- formats

    def junit(self, *arguments, code):
        """The test cases by class and name; the structure is that of the common schema (Jenkins' and Windy Road's)."""
        self.check(*arguments, "--junit", self.path("gate.xml"), code=code)
        suites = ElementTree.parse(self.path("gate.xml")).getroot()
        self.assertEqual((suites.tag, suites.attrib), ("testsuites", {}), "Windy Road's schema knows no attributes here")
        (suite,) = list(suites)
        self.assertEqual(suite.tag, "testsuite")
        wanted = {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname", "id", "package"}
        self.assertEqual(set(suite.attrib), wanted)
        self.assertRegex(suite.get("timestamp"), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$")
        self.assertEqual([child.tag for child in suite if child.tag != "testcase"], ["properties", "system-out", "system-err"])
        tags = [child.tag for child in suite]
        self.assertEqual(tags, ["properties"] + ["testcase"] * (len(tags) - 3) + ["system-out", "system-err"])
        cases = {}
        for case in suite.iter("testcase"):
            self.assertEqual(set(case.attrib), {"name", "classname", "time"})
            results = [child.tag for child in case]
            self.assertIn(results, ([], ["failure"], ["error"], ["skipped"]))
            for child in case:
                self.assertTrue(child.get("message"))
                if child.tag != "skipped":
                    self.assertTrue(child.get("type"))
            key = (case.get("classname"), case.get("name"))
            self.assertNotIn(key, cases)
            cases[key] = results
        count = lambda tag: sum(tag in results for results in cases.values())
        found = {"tests": len(cases), "failures": count("failure"), "errors": count("error"), "skipped": count("skipped")}
        self.assertEqual({key: int(suite.get(key)) for key in found}, found)
        return cases

    def test_junit(self):
        base, slower = self.write("base.json"), self.write("slower.json", (1200, 1210, 1220, 1230, 1240))
        good, bad = self.junit(base, base, code=0), self.junit(base, slower, code=1)
        self.assertEqual(set(good), set(bad), "names are stable")
        self.assertEqual(good[("scope-profiler.time", "wall")], [])
        self.assertEqual(bad[("scope-profiler.time", "wall")], ["failure"])
        refused = self.junit(base, self.write("other.json", change=lambda d: d["worlds"][0].update(size=3)), code=2)
        self.assertEqual(refused, {("scope-profiler", "comparable"): ["error"]})

    def test_github(self):
        base, slower = self.write("base.json"), self.write("slower.json", (1200, 1210, 1220, 1230, 1240))
        summary = self.path("summary.md")
        with open(summary, "w") as file:
            file.write("# before\n")
        run = self.check(base, slower, code=1, env={"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": summary})
        self.assertIn("::error title=performance%3A wall::", run.text)
        with open(summary) as file:
            text = file.read()
        self.assertTrue(text.startswith("# before\n## \u274c FAIL: "), text)
        self.assertNotIn("::error", self.check(base, slower, code=1).text)
        self.assertIn("::error", self.check(base, slower, "--github", code=1).text)
        off = self.check(base, slower, "--github=false", code=1, env={"GITHUB_ACTIONS": "true"})
        self.assertNotIn("::error", off.text)

    def test_markdown_json_and_gitlab(self):
        base, slower = self.write("base.json"), self.write("slower.json", (1200, 1210, 1220, 1230, 1240))
        self.check(base, slower, "--markdown", self.path("m.md"), "--gitlab-metrics", self.path("g.txt"), "--code-quality",
                   self.path("q.json"), code=1)
        with open(self.path("m.md")) as file:
            markdown = file.read()
        self.assertLess(markdown.index("FAIL: "), markdown.index("### What changed"))
        self.assertLess(markdown.index("### What changed"), markdown.index("<details>"))
        with open(self.path("g.txt")) as file:
            self.assertIn("scope_profiler_wall_seconds 1.22\n", file.read())
        issues = read_json(self.path("q.json"))
        self.assertEqual({i["check_name"] for i in issues}, {"wall", "compute_time", "mpi_time"})
        self.assertEqual(len({i["fingerprint"] for i in issues}), 3)
        alone = self.check(base, slower, "--json", "-", code=1)
        self.assertEqual(json.loads(alone.text)["verdict"], "fail", "nothing else is on standard output")

    def test_export_for_github_action_benchmark(self):
        run = self.tool("export", "--to", "gha-benchmark", self.write("new.json"), "-o", self.path("bench.json"))
        self.assertEqual(run.code, 0, run)
        entries = {e["name"]: e for e in read_json(self.path("bench.json"))}
        self.assertEqual((entries["wall"]["unit"], entries["wall"]["value"], entries["wall"]["extra"]), ("s", 1.02, "5 repetitions"))
        self.assertEqual(self.tool("export", self.path("new.json")).code, 2)
        self.assertEqual(self.tool("export", "--to", "gha-benchmark", self.path("new.json"), "-o", self.path("new.json")).code, 2)

    # -- history

    def test_history(self):
        history = self.path("history")
        for day, wall in enumerate((1000, 1010, 1020, 1005), 1):
            def dated(data, day=day):
                data["metadata"].update(started=f"2026-01-0{day}T00:00:00Z", run_id=f"{day}" * 32)
            code = self.check("--history", history, "--accept", self.write("new.json", (wall,), dated), code=0)
            self.assertIn("accepted", code.errors)
        self.assertEqual(len([n for n in os.listdir(history) if n.endswith(".json.gz")]), 4)
        slower = self.write("slower.json", (1300,))
        run = self.check("--history", history, "--accept", slower, code=1)
        self.assertIn("is not stored", run.errors)
        self.assertEqual(len([n for n in os.listdir(history) if n.endswith(".json.gz")]), 4)
        self.check("--history", history, "--accept", "--report-only", slower, code=0)
        self.assertEqual(len([n for n in os.listdir(history) if n.endswith(".json.gz")]), 5)
        self.assertEqual(ElementTree.parse(os.path.join(history, "badge.svg")).getroot().get("aria-label"), "performance: worse")
        with open(os.path.join(history, "trend.html"), encoding="utf-8") as file:
            page = file.read()
        for outside in ("http:", "https:", "<script", "<link", "src="):
            self.assertNotIn(outside, page.replace("http://www.w3.org/2000/svg", ""))
        self.assertEqual(page.count("<svg"), 4)


if __name__ == "__main__":
    main()
