"""Signals from outside, to the tool, its launcher and its ranks: forwarded, and nothing that had returned is lost."""

import glob
import os
import shutil
import signal
import sys
import time

from ended import EndedRanks
from harness import TOOL, each_mpi, kill_all, main, processes_with


class Signals(EndedRanks):
    def until_ready(self, process):
        self.assertEqual(process.stdout.readline(), b"ready\n")
        time.sleep(0.3)

    def interrupted(self, command, number, times=1):
        process = self.start(command)
        self.until_ready(process)
        for _ in range(times):
            process.send_signal(number)
            time.sleep(0.2)
        return self.finish(process, command, timeout=25)

    @each_mpi
    def test_sigterm_to_the_launcher(self, mpi):
        command = mpi.command(2, "ends", "sleep")
        bare = self.interrupted(command, signal.SIGTERM)
        run = self.interrupted([TOOL, "run", "--mpi-calls", "-o", self.path("trace.json"), *command], signal.SIGTERM)
        codes = {bare.code if bare.code >= 0 else 128 - bare.code}
        if mpi.name == "mpich":
            codes |= {0, 15}  # hydra gives either, by chance, also without the tool
        self.assertIn(run.code, codes, run)
        p = self.load(run)
        self.check_two_ranks(p)
        self.check_not_finalized(p)

    @each_mpi
    def test_the_tool_is_killed_and_merged_later(self, mpi):
        command = [TOOL, "run", "--mpi-calls", "--label", "lost", "-o", self.path("trace.json"), *mpi.command(2, "ends", "sleep")]
        process = self.start(command)
        self.until_ready(process)
        process.kill()
        process.wait()
        kill_all(self.token)
        self.finish(process, command)
        left = glob.glob(self.path(".scope-profiler-*"))
        self.assertEqual(len(left), 1)
        self.assertEqual(os.stat(left[0]).st_mode & 0o777, 0o700)
        run = self.tool("merge", left[0], "-o", self.path("merged", "trace.json"))
        self.assertEqual(run.code, 0, run)
        shutil.rmtree(left[0])
        p = self.load(run, os.path.join("merged", "trace.json"))
        self.check_two_ranks(p)
        self.check_not_finalized(p)
        self.assertEqual(p.data["metadata"]["label"], "lost")

    @each_mpi
    def test_killed_at_any_instant(self, mpi):
        """No call that had returned is lost."""
        for attempt in range(4):
            with self.subTest(attempt=attempt):
                noted, output = self.path(f"noted{attempt}"), f"{attempt}.json"
                command = [TOOL, "run", "--mpi-calls", "-o", self.path(output), mpi.program("count_forever"), noted]
                process = self.start(command)
                deadline = time.monotonic() + 30
                while (not os.path.exists(noted) or self.number_in(noted) < 1000) and time.monotonic() < deadline:
                    time.sleep(0.01)
                time.sleep(0.0137 * attempt)
                ranks = [pid for pid, name in processes_with(self.token).items() if name.startswith("count_forever")]
                self.assertEqual(len(ranks), 1, processes_with(self.token))
                os.kill(ranks[0], signal.SIGKILL)
                run = self.finish(process, command)
                self.assertEqual(run.code, 137, run)
                p = self.load(run, output)
                returned = self.number_in(noted)
                self.assertIn(p.call("MPI_Comm_rank").calls, (returned, returned + 1))
                self.assertEqual((p.ranks[0]["status"], p.ranks[0]["signal"]), ("killed", 9))

    def number_in(self, path):
        with open(path, "rb") as file:
            return int.from_bytes(file.read(8), sys.byteorder)

    def test_a_second_signal_kills(self):
        script = 'trap "" TERM INT; echo ready; while :; do sleep 0.1; done'
        command = [TOOL, "run", "-o", self.path("trace.json"), "sh", "-c", script]
        run = self.interrupted(command, signal.SIGINT, times=2)
        self.assertEqual(run.code, 128 + signal.SIGKILL, run)

    def test_signals_are_forwarded(self):
        script = 'trap "exit 5" USR1; echo ready; while :; do sleep 0.1; done'
        command = [TOOL, "run", "-o", self.path("trace.json"), "sh", "-c", script]
        run = self.interrupted(command, signal.SIGUSR1)
        self.assertEqual(run.code, 5, run)


if __name__ == "__main__":
    main()
