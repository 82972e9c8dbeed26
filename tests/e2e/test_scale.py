"""Jobs of thousands of ranks, from synthetic dumps (tests/bench/synthetic_dumps.cpp): 26 neighbours and 200 signatures a rank."""

import os
import pty
import resource
import select
import shutil
import subprocess
import tempfile

from harness import PROGRAMS, TOOL, EndToEnd, environment, main, read_json

CALLS = 78 * 1000 + 118 * 100 + 4  # of a rank


class ManyRanks(EndToEnd):
    @classmethod
    def setUpClass(cls):
        cls.dumps = tempfile.mkdtemp(prefix="scope-scale-")
        cls.addClassCleanup(shutil.rmtree, cls.dumps, ignore_errors=True)
        for ranks in (1500, 6000):
            subprocess.run([os.path.join(PROGRAMS, "synthetic_dumps"), os.path.join(cls.dumps, str(ranks)), str(ranks)], check=True)

    def merge(self, ranks, *options, files=64):
        """The profile, and what the merge took in bytes of memory at most."""
        command = [TOOL, "merge", os.path.join(self.dumps, str(ranks)), "-o", self.path("trace.json"), *options]
        process = subprocess.Popen(command, env=environment(self.token), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)))
        errors = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        process.stderr.close()
        self.assertEqual(process.returncode, 0, errors)
        return read_json(self.path("trace.json")), usage.ru_maxrss * 1024

    def test_memory_is_for_ranks_and_not_for_what_they_recorded(self):
        small, small_bytes = self.merge(1500)
        large, large_bytes = self.merge(6000, files=24)  # dumps are never all open
        for ranks, profile in ((1500, small), (6000, large)):
            self.assertEqual(profile["totals"]["calls"], ranks * CALLS)
            self.assertEqual([(w["size"], w["ranks_reported"], w["complete"]) for w in profile["worlds"]], [(ranks, ranks, True)])
            self.assertEqual(len(profile["peers"]["p2p"]["src"]), 26 * ranks)
            self.assertEqual(sum(profile["peers"]["p2p"]["messages"]), 26_000 * ranks)
        # Held, 4,500 ranks' signatures are 250 MB more.
        self.assertLess(large_bytes - small_bytes, 60e6)

    def test_a_profile_of_many_ranks(self):
        profile, _ = self.merge(6000)
        self.assertEqual([w["id"] for w in profile["warnings"]], ["signatures-folded"])
        self.assertEqual(profile["complete"], True)
        isend = next(row for row in profile["calls"] if row["name"] == "MPI_Isend")
        self.assertEqual(isend["per_rank"]["shares"], [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1])
        self.assertEqual(isend["per_rank"]["calls"], [26000] * 7)
        self.assertEqual(len(isend["per_rank"]["extremes"]["index"]), 16)
        self.assertEqual(isend["per_rank"]["total_ns"], sorted(isend["per_rank"]["total_ns"]))
        self.assertEqual({s["peer"] for s in profile["signatures"]}, {-1, -2})
        self.assertEqual({(s["rank_count"], str(s["rank_runs"])) for s in profile["signatures"]}, {(6000, "[[0, 5999, 1]]")})
        self.assertEqual(profile["ranks"][17]["calls"], CALLS)

        text = self.tool("report", self.path("trace.json"))
        self.assertIn("How times spread over ranks", text.text)
        self.assertIn("... and 5984 more (--by rank --top 0 shows all)", text.text)
        self.assertIn(f"... and {26 * 6000 - 10} more (--by peer --top 0 shows all)", text.text)
        refused = self.tool("report", self.path("trace.json"), "--by", "call", "--ranks", "3")
        self.assertEqual(refused.code, 2)
        self.assertIn("--by call: the profile keeps how times spread over its 6,000 ranks (--by spread), not each rank's; "
                      "`scope-profiler merge --per-rank all` of the ranks' files (run --keep-dumps) keeps them", refused.errors)
        rank = self.tool("report", self.path("trace.json"), "--by", "rank", "--ranks", "3", "--format", "csv", "--columns", "rank,calls")
        self.assertEqual(rank.text.splitlines()[1:], [f"3,{CALLS}"])
        page = self.tool("report", self.path("trace.json"), "-o", self.path("report.html"))
        self.assertEqual(page.code, 0, page)
        self.assertLess(os.path.getsize(self.path("report.html")), 5e6)

    def test_each_rank_is_kept_when_asked_for(self):
        profile, _ = self.merge(1500, "--per-rank", "all")
        row = next(row for row in profile["calls"] if row["name"] == "MPI_Isend")
        self.assertEqual(row["per_rank"]["calls"], [26000] * 1500)
        self.assertEqual(sum(row["per_rank"]["total_ns"]), row["total_ns"])
        run = self.tool("report", self.path("trace.json"), "--by", "call", "--ranks", "3", "--format", "csv", "--columns", "call,calls")
        self.assertIn("MPI_Isend,26000", run.text.splitlines())

    def test_a_terminal_shows_how_far_a_merge_is(self):
        master, slave = pty.openpty()
        process = subprocess.Popen([TOOL, "merge", os.path.join(self.dumps, "6000"), "-o", self.path("trace.json")],
                                   env=environment(self.token), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave)
        os.close(slave)
        shown = b""
        while select.select([master], [], [], 60)[0]:
            try:
                piece = os.read(master, 4096)
            except OSError:  # what a terminal says at its end
                break
            if not piece:
                break
            shown += piece
        os.close(master)
        self.assertEqual(process.wait(60), 0)
        text = shown.decode()
        self.assertRegex(text, r"\rscope-profiler: (read [\d,]+ of 6,000 files|merged [\d,]+ of 6,000 ranks)\x1b\[K")
        before, _, summary = text.rpartition("\r\x1b[K")
        self.assertTrue(before)
        self.assertIn("6,000 ranks on 47 hosts", summary)

    def test_a_damaged_dump_is_one_rank_less(self):
        directory = self.path("dumps")
        shutil.copytree(os.path.join(self.dumps, "1500"), directory)
        os.truncate(os.path.join(directory, "rank-synthetic-700.json"), 1000)
        run = self.tool("merge", directory, "-o", self.path("trace.json"))
        self.assertEqual(run.code, 0, run)
        profile = read_json(self.path("trace.json"))
        self.assertEqual(profile["worlds"][0]["missing"], [700])
        self.assertEqual(profile["totals"]["calls"], 1499 * CALLS)
        self.assertTrue(any("rank-synthetic-700.json" in w["text"] for w in profile["warnings"] if w["id"] == "dump-unreadable"))


if __name__ == "__main__":
    main()
