"""`run --repeat`, `--warmup`, `--versus`: every repetition in one profile, the series' ends, the order."""

import json
import os
import pty
import signal
import statistics
import subprocess
import time

from harness import EndToEnd, TOOL, each_mpi, environment, main, read_json

# A shell program that runs differently each time: the n-th run does what the n-th argument says.
NTH = """
n=0; [ -f "$0" ] && read n <"$0"; n=$((n + 1)); echo $n >"$0"
eval "code=\\${$n:-0}"; echo "run $n"; exit $code
"""


class Repeat(EndToEnd):
    def nth(self, *codes):
        return ["sh", "-c", NTH, self.path("count"), *map(str, codes)]

    @each_mpi
    def test_every_repetition_is_in_the_profile(self, mpi):
        run = self.run_profiled(mpi.command(2, "sendrecv"), options=["--repeat", "3", "--warmup", "1"], timeout=120)
        data = self.load(run).data
        self.assertEqual(len(data["repeats"]), 3)
        chosen = [r for r in data["repeats"] if r["chosen"]]
        self.assertEqual(len(chosen), 1)
        walls = [r["totals"]["wall_ns"] for r in data["repeats"]]
        self.assertEqual(data["totals"]["wall_ns"], statistics.median(walls), "the median repetition is the profile")
        self.assertEqual(chosen[0]["totals"], data["totals"])
        self.assertEqual(chosen[0]["efficiency"], data["efficiency"])
        for repeat in data["repeats"]:
            self.assertEqual((repeat["exit_status"], repeat["complete"]), (0, True))
            self.assertGreaterEqual(repeat["elapsed_ns"], repeat["totals"]["wall_ns"])
            self.assertEqual(repeat["totals"]["calls"], sum(repeat["calls"]["calls"]))
            self.assertEqual(repeat["totals"]["mpi_ns"], sum(repeat["calls"]["total_ns"]))
            self.assertEqual(repeat["messages"], sum(data["peers"]["p2p"]["messages"]))
            self.assertEqual(repeat["digests"], chosen[0]["digests"])
            self.assertEqual(repeat["calls"]["name"], sorted(r["name"] for r in data["calls"]))

    def test_a_series_ends_with_the_first_run_that_fails(self):
        run = self.run_profiled(self.nth(0, 0, 7), options=["--repeat", "5"], calls=False, code=7)
        self.assertEqual(run.text.splitlines(), ["run 1", "run 2", "run 3"])
        data = read_json(self.path("trace.json"))
        self.assertEqual([r["exit_status"] for r in data["repeats"]], [0, 0, 7])
        self.assertEqual(data["metadata"]["exit_status"], 0, "the profile is that of a run that ended well")
        self.assertIn("the series ends with repetition 3 of 5: it ended with code 7", run.errors)
        self.assertEqual(self.tool("check", self.path("trace.json"), self.path("trace.json")).code, 2, "a run failed")

    def test_a_warmup_that_fails_ends_it_too(self):
        run = self.run_profiled(self.nth(5), options=["--repeat", "2", "--warmup", "1"], calls=False, code=5)
        self.assertEqual(run.text.splitlines(), ["run 1"])
        self.assertEqual([r["exit_status"] for r in read_json(self.path("trace.json"))["repeats"]], [5])

    def test_warmups_are_not_kept(self):
        self.run_profiled(self.nth(), options=["--repeat", "2", "--warmup", "3"], calls=False)
        self.assertEqual(len(read_json(self.path("trace.json"))["repeats"]), 2)
        with open(self.path("count")) as file:
            self.assertEqual(file.read(), "5\n")

    def test_an_earlier_profile_is_kept_once(self):
        self.run_profiled(self.nth(), calls=False)
        self.run_profiled(self.nth(), options=["--repeat", "3"], calls=False)
        self.assertEqual(read_json(self.path("trace.json.old"))["repeats"], [])
        self.assertEqual(len(read_json(self.path("trace.json"))["repeats"]), 3)

    def test_a_signal_ends_the_series(self):
        script = ('n=0; [ -f "$0" ] && read n <"$0"; n=$((n + 1)); echo $n >"$0"\n'
                  '[ $n = 3 ] || exit 0\n: >"$0.waits"; while :; do :; done')
        command = [TOOL, "run", "--repeat", "9", "-o", self.path("trace.json"), "sh", "-c", script, self.path("count")]
        process = self.start(command)
        deadline = time.monotonic() + 60
        while not os.path.exists(self.path("count.waits")) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        run = self.finish(process, command)
        self.assertEqual(run.code, 143, run)
        self.assertEqual([r["exit_status"] for r in read_json(self.path("trace.json"))["repeats"]], [0, 0], run)
        self.assertIn("a signal came (15)", run.errors)

    def test_two_commands_take_turns(self):
        note = lambda letter: f"printf {letter} >>{self.path('order')}"
        run = self.run_profiled(["sh", "-c", note("A")], calls=False,
                                options=["--repeat", "3", "--warmup", "1", "--versus", f'sh -c "{note("B")}"'])
        with open(self.path("order")) as file:
            self.assertEqual(file.read(), "ABABABAB")
        self.assertEqual(len(read_json(self.path("trace.json"))["repeats"]), 3)
        other = read_json(self.path("trace.versus.json"))
        self.assertEqual(len(other["repeats"]), 3)
        self.assertEqual(other["metadata"]["command"], ["sh", "-c", note("B")])
        self.assertRegex(run.errors, r"(PASS|FAIL|INCONCLUSIVE): ")
        self.assertRegex(run.errors, r"\n\w+ +wall ")

    def test_runs_in_turn_are_compared_pair_by_pair(self):
        """Every third pair takes 0.2 s longer than the others; the second command 40 ms longer than the first, always."""
        with open(self.path("side"), "w") as file:
            file.write('n=0; [ -f "$0" ] && read n <"$0"; echo $((n + 1)) >"$0"\ncase $((n % 3)) in 0) sleep 0.25 ;; *) sleep 0.05 ;; esac\nsleep "$1"\n')
        side = lambda name, more: ["sh", "-c", f'. {self.path("side")}', self.path(name), more]
        other = f"sh -c '. {self.path('side')}' {self.path('n.b')} 0.08"
        run = self.run_profiled(side("n.a", "0.04"), calls=False, options=["--repeat", "10", "--versus", other])
        self.assertIn("The two ran in turn", run.errors)
        check = self.tool("check", "--allow-different", self.path("trace.json"), self.path("trace.versus.json"), "--json", "-")
        self.assertEqual(check.code, 1, check)
        (wall,) = [c for c in json.loads(check.text)["checks"] if c["metric"] == "wall"]
        self.assertEqual((wall["paired"], wall["verdict"], wall["reason"], wall["superiority"]), (True, "fail", "significant", 1.0))
        self.assertLess(wall["p"], 0.01)

    def test_the_code_of_two_commands_is_that_of_the_first_that_fails(self):
        self.run_profiled(["true"], options=["--versus", "sh -c 'exit 9'"], calls=False, code=9)
        self.assertEqual(read_json(self.path("trace.versus.json"))["repeats"][0]["exit_status"], 9)

    def test_bad_second_commands_start_nothing(self):
        for text, reason in (("a | b", "only a shell understands"), ("'a", "not closed"), ("no-such-program-here", "no-such-program-here")):
            run = self.run_profiled(["sh", "-c", f": >{self.path('ran')}"], options=["--versus", text], calls=False, code=None)
            self.assertIn(run.code, (125, 127), run)
            self.assertIn(reason, run.errors)
            self.assertFalse(os.path.exists(self.path("ran")))
        self.assertEqual(self.run_profiled(["true"], options=["--warmup", "2"], calls=False, code=None).code, 125)

    def test_dry_run_prints_both(self):
        run = self.run_profiled(["echo", "a b"], options=["--dry-run", "--repeat", "2", "--versus", "echo 'c d'"], calls=False)
        commands = [line for line in run.text.split("\n") if not line.endswith(" \\")]  # the others are variables
        self.assertEqual(commands, ["echo 'a b'", "echo 'c d'", ""])
        self.assertEqual(run.text.count("SCOPE_PROFILER_REGION_LIBRARY="), 2 * 2)  # for programs, and for Open MPI's other hosts
        self.assertNotIn("LD_PRELOAD", run.text)

    @each_mpi("openmpi")
    def test_dumps_of_every_repetition_are_kept(self, mpi):
        self.run_profiled(mpi.command(2, "hello"), options=["--repeat", "2", "--keep-dumps", self.path("dumps")], timeout=120)
        kept = {name: len([f for f in os.listdir(self.path("dumps", name)) if f.startswith("rank-")])
                for name in os.listdir(self.path("dumps"))}
        self.assertEqual(kept, {"repeat-1": 2, "repeat-2": 2})

    def test_progress_on_a_terminal_only(self):
        silent = self.run_profiled(self.nth(), options=["--repeat", "2"], calls=False)
        self.assertNotIn("repetition 1 of 2", silent.errors)
        ours, theirs = pty.openpty()
        command = [TOOL, "run", "--repeat", "2", "-o", self.path("trace.json"), *self.nth()]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs,
                                   env=environment(self.token), cwd=self.directory)
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the other end was closed
                break
            if not part:
                break
            shown += part
        process.wait(60)
        os.close(ours)
        self.assertIn("repetition 1 of 2: ", shown.decode())
        self.assertIn("repetition 2 of 2: ", shown.decode())


if __name__ == "__main__":
    main()
