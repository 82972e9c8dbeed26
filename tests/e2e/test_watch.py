"""`watch`: a job that does a known number of calls and then waits for ever, seen from another process."""

import fcntl
import glob
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from harness import TOOL, EndToEnd, Run, each_mpi, environment, main


class Watch(EndToEnd):
    def job(self, mpi, *arguments):
        """Starts `watched`, and waits until both ranks are where they stay. Returns the process and its command."""
        command = [TOOL, "run", "--mpi-calls", "-o", self.path("trace.json"), *mpi.command(2, "watched", *arguments)]
        process = self.start(command)
        deadline = time.monotonic() + 40
        while time.monotonic() < deadline:
            run = self.look("--once", "--format", "json", "--order", "rank", "--interval", "0.1", code=None)
            if run.code == 0 and [r["call"] for r in json.loads(run.out)["ranks"]] == ["MPI_Barrier", "MPI_Recv"] \
                    and json.loads(run.out)["ranks"][1]["tag"] == 42:
                return process, command
            self.assertIsNone(process.poll(), run)
            time.sleep(0.1)
        self.fail(f"the job did not get where it should\n{run}")

    def look(self, *arguments, code=0, **options):
        """Without the check for processes that are left: the job's are there."""
        command = [TOOL, "watch", *arguments]
        process = self.start(command, **options)
        out, err = process.communicate(timeout=30)
        run = Run(process.returncode, out, err, self.directory, command)
        if code is not None:
            self.assertEqual(run.code, code, run)
        return run

    def end(self, process, command):
        process.send_signal(signal.SIGTERM)
        self.finish(process, command)

    @each_mpi
    def test_json_names_what_every_rank_does(self, mpi):
        process, command = self.job(mpi)
        data = json.loads(self.look("--once", "--format", "json", "--interval", "0.3", "--stall-timeout", "0.2").out)
        self.assertEqual(data["job"]["command"], command[5:])
        ranks = data["ranks"]
        keys = ("rank", "doing", "call", "peer", "tag", "comm_name", "calls", "bytes_sent", "bytes_received")
        self.assertEqual(sorted(tuple(r[k] for k in keys) for r in ranks),
                         [(0, "in-call", "MPI_Barrier", None, None, "MPI_COMM_WORLD", 12, 3000, 0),
                          (1, "in-call", "MPI_Recv", 0, 42, "pair", 12, 0, 3000)])
        for rank in ranks:
            self.assertEqual((rank["calls_per_s"], rank["bytes_sent_per_s"], rank["bytes_received_per_s"]), (0, 0, 0))
            self.assertGreater(rank["mpi_share"], 0.99)
            self.assertGreater(rank["since_ns"], data["interval_ns"])
        self.assertEqual({k: data["totals"][k] for k in ("ranks", "in_call", "computing", "gone", "calls", "bytes_sent")},
                         {"ranks": 2, "in_call": 2, "computing": 0, "gone": 0, "calls": 24, "bytes_sent": 3000})
        self.assertGreater(data["still_ns"], 200_000_000)
        self.assertEqual(data["stall"]["conclusions"], ["Deadlock: rank 0 waits for rank 1, rank 1 for rank 0."])
        self.end(process, command)

    @each_mpi
    def test_lines_until_the_job_ends(self, mpi):
        job, command = self.job(mpi)
        watching = self.start([TOOL, "watch", "--interval", "0.2"])
        for _ in range(6):
            watching.stdout.readline()
        self.end(job, command)
        out, err = watching.communicate(timeout=30)
        self.assertEqual((watching.returncode, err.decode()), (0, "scope-profiler: info: the job has ended.\n"))
        again = self.look(code=2)
        self.assertIn("there is no run directory", again.errors)

    @each_mpi
    def test_the_job_does_not_notice(self, mpi):
        job, command = self.job(mpi)
        for _ in range(3):
            self.look("--once", "--interval", "0.05")
        self.end(job, command)
        p = self.load(Run(job.returncode, b"", b"", self.directory, command))
        self.assertEqual([r["in_call"] for r in p.ranks], ["MPI_Barrier", "MPI_Recv"])
        self.assert_call(p, "MPI_Barrier", 5)

    @each_mpi
    def test_several_jobs_and_what_they_left(self, mpi):
        first, first_command = self.job(mpi)
        second = self.start([TOOL, "run", "--mpi-calls", "-o", self.path("other.json"), *mpi.command(2, "watched")])
        deadline = time.monotonic() + 30
        while len(glob.glob(self.path(".scope-profiler-*", "run.info"))) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        run = self.look("--once", code=2)
        directories = glob.glob(self.path(".scope-profiler-*"))
        self.assertIn("several jobs run in", run.errors)
        for directory in directories:
            self.assertIn(f"'{directory}' (", run.errors)
            self.look("--once", "--interval", "0.05", directory)
        second.send_signal(signal.SIGTERM)
        second.communicate(timeout=30)
        os.kill(first.pid, signal.SIGKILL)  # its run directory stays
        first.wait()
        self.addCleanup(first.stdout.close)
        self.addCleanup(first.stderr.close)
        self.kill_ranks()
        run = self.look(code=2)
        self.assertRegex(run.errors, r"no job runs in .*; next: scope-profiler merge \S+\.scope-profiler-")

    def kill_ranks(self):
        from harness import kill_all, processes_with
        deadline = time.monotonic() + 10
        while processes_with(self.token) and time.monotonic() < deadline:
            kill_all(self.token)
            time.sleep(0.1)

    # -- on a terminal

    def on_terminal(self, *arguments, rows=20, columns=80):
        """Starts `watch` on a pseudo terminal. Returns process, master, and what the terminal was like before."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        before = termios.tcgetattr(slave)
        process = subprocess.Popen([TOOL, "watch", *arguments], cwd=self.directory, stdin=slave, stdout=slave, stderr=slave,
                                   env=environment(self.token, {"TERM": "xterm", "LC_ALL": "C.UTF-8"}), start_new_session=True,
                                   preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.addCleanup(os.close, master)
        self.addCleanup(os.close, slave)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process, master, slave, before

    def read_until(self, master, enough, text="", timeout=20):
        deadline = time.monotonic() + timeout
        while not enough(text):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([master], [], [], left)[0]:
                self.fail(f"did not come: {text!r}")
            text += os.read(master, 65536).decode(errors="replace")
        return text

    def frames(self, text):
        """Screens as lists of lines without escape sequences."""
        parts = text.split("\x1b[H")[1:]
        return [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", part).replace("\r", "").split("\n") for part in parts]

    def check_frames(self, frames, rows, columns):
        for frame in frames:
            self.assertLessEqual(len(frame), rows, frame)
            self.assertLessEqual(max(map(len, frame)), columns, frame)
            self.assertTrue(frame[0].startswith("scope-profiler watch: "), frame)
            self.assertEqual(frame[-1], "q quits")

    @each_mpi
    def test_a_screen_that_refreshes_and_is_given_back(self, mpi):
        job, command = self.job(mpi)
        process, master, slave, before = self.on_terminal("--interval", "0.1", "--order", "rank")
        text = self.read_until(master, lambda t: t.count("\x1b[H") >= 4)
        self.assertTrue(text.startswith("\x1b[?1049h\x1b[?25l"))
        frames = self.frames(text)[:3]
        self.check_frames(frames, 20, 80)
        self.assertEqual([line.split()[:2] for line in frames[1][-3:-1]], [["0", "MPI_Barrier"], ["1", "MPI_Recv"]])
        self.assertEqual(termios.tcgetattr(slave)[3] & (termios.ICANON | termios.ECHO), 0)
        # A smaller window is obeyed at once.
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 10, 50, 0, 0))
        os.kill(process.pid, signal.SIGWINCH)
        seen = text.count("\x1b[H")
        text = self.read_until(master, lambda t: t.count("\x1b[H") >= seen + 5, text)
        self.check_frames(self.frames(text)[seen + 2:-1], 10, 50)
        os.write(master, b"xq")
        text = self.read_until(master, lambda t: t.endswith("\x1b[?25h\x1b[?1049l"), text)
        self.assertEqual(process.wait(10), 0)
        self.assertEqual(termios.tcgetattr(slave), before)
        self.end(job, command)

    @each_mpi
    def test_signals_and_the_end_give_the_terminal_back(self, mpi):
        job, command = self.job(mpi)
        for how, code in ((signal.SIGINT, 0), (signal.SIGTERM, 128 + signal.SIGTERM), ("stop", 0)):
            with self.subTest(how=how):
                process, master, slave, before = self.on_terminal("--interval", "0.1")
                text = self.read_until(master, lambda t: t.count("\x1b[H") >= 2)
                if how == "stop":
                    os.kill(process.pid, signal.SIGTSTP)
                    text = self.read_until(master, lambda t: t.endswith("\x1b[?1049l"), text)
                    deadline = time.monotonic() + 10
                    while time.monotonic() < deadline and termios.tcgetattr(slave) != before:
                        time.sleep(0.02)
                    self.assertEqual(termios.tcgetattr(slave), before)
                    os.kill(process.pid, signal.SIGCONT)
                    text = self.read_until(master, lambda t: t.count("\x1b[?1049h") == 2 and "q quits" in t.split("\x1b[?1049h")[2], text)
                    self.end(job, command)  # the screen ends with it
                else:
                    os.kill(process.pid, how)
                text = self.read_until(master, lambda t: "\x1b[?1049l" in t.split("\x1b[?1049h")[-1], text)
                self.assertEqual(process.wait(20), code)
                self.assertEqual(termios.tcgetattr(slave), before)


if __name__ == "__main__":
    main()
