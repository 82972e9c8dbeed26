"""What may happen to `scope-profiler run` itself: signals, a closed terminal, a time limit, and runs that write to one name."""

import fcntl
import glob
import os
import pty
import shutil
import signal
import subprocess
import termios
import time

from harness import TOOL, EndToEnd, each_mpi, environment, kill_all, main, processes_with, read_json

AT_THE_GATE = {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Barrier": 5, "MPI_Sendrecv": 1, "MPI_Allreduce": 0,
               "MPI_Finalize": 0}
THROUGH = {**AT_THE_GATE, "MPI_Barrier": 10, "MPI_Allreduce": 1, "MPI_Finalize": 1}

# Exit codes of a launcher that is asked to end. Hydra's come by chance: 0, its ranks' signal, or that joined with SIGKILL.
CODES = {"openmpi": {signal.SIGINT: {1}, signal.SIGTERM: {1}, signal.SIGHUP: {1}},
         "mpich": {signal.SIGINT: {0, 2, 9, 11}, signal.SIGTERM: {0, 9, 15}, signal.SIGHUP: {129}}}

# Slurm's KillWait: from SIGTERM to SIGKILL. Hydra ends its ranks by force at once, whatever they do with SIGTERM.
GRACE = {"openmpi": 30, "mpich": 0.3}


class Gate(EndToEnd):
    """Two ranks of tests/programs/gate.c."""

    def wait_for(self, what, seconds=40):
        deadline = time.monotonic() + seconds
        while not what():
            self.assertLess(time.monotonic(), deadline, "it takes too long")
            time.sleep(0.005)

    def at_gate(self, name="gate", ranks=2):
        self.wait_for(lambda: all(os.path.exists(self.path(f"{name}.{rank}")) for rank in range(ranks)))

    def gate(self, mpi, *words, name="gate", ranks=2):
        return mpi.command(ranks, "gate", self.path(name), *words)

    def profiled(self, command, output="trace.json", *options):
        return [TOOL, "run", "--mpi-calls", *options, "-o", self.path(output), *command]

    def open_gate(self, name="gate"):
        with open(self.path(name), "w", encoding="ascii"):
            pass

    def close_gate(self):
        for mark in glob.glob(self.path("gate*")):
            os.unlink(mark)

    def check_counts(self, p, calls, ranks=2):
        self.assertEqual([(w["size"], w["ranks_reported"], w["missing"]) for w in p.worlds], [(ranks, ranks, [])])
        for name, count in calls.items():
            self.assert_call(p, name, count, *{"MPI_Sendrecv": (4, 4), "MPI_Allreduce": (8 * count, 8 * count)}.get(name, ()))
        self.assertEqual(p.totals["calls"], ranks * sum(calls.values()))

    def check_ended_at_gate(self, run):
        p = self.load(run)
        self.check_counts(p, AT_THE_GATE)
        for rank in p.ranks:
            self.assertIn(rank["status"], ("exited", "aborted", "killed", "recovered"), rank)
            self.assertIsNone(rank["in_call"], rank)
        return p

    def kept_directories(self):
        return [path for path in glob.glob(self.path(".scope-profiler-*")) if os.path.isdir(path)]

    def kept_directory(self):
        left = self.kept_directories()
        self.assertEqual(len(left), 1, os.listdir(self.directory))
        return left[0]

    def merge_kept(self, output="merged.json"):
        directory = self.kept_directory()
        run = self.tool("merge", directory, "-o", self.path(output))
        self.assertEqual(run.code, 0, run)
        shutil.rmtree(directory)
        return self.load(run, output)


class Signals(Gate):
    def signalled(self, command, number, times=1):
        """Once both ranks are at the gate. The signal goes to the tool (or the launcher) alone."""
        process = self.start(command)
        self.at_gate()
        for _ in range(times):
            process.send_signal(number)
            time.sleep(0.15)  # what comes within a tenth of a second is one request
        run = self.finish(process, command, timeout=40)
        self.close_gate()
        return run

    @each_mpi
    def test_one_signal_is_passed_on(self, mpi):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number.name):
                bare = self.signalled(self.gate(mpi), number)
                run = self.signalled(self.profiled(self.gate(mpi)), number)
                code = bare.code if bare.code >= 0 else 128 - bare.code
                self.assertIn(code, CODES[mpi.name][number], f"without the tool\n{bare}")
                self.assertIn(run.code, CODES[mpi.name][number], run)
                self.check_ended_at_gate(run)
                os.unlink(self.path("trace.json"))

    @each_mpi
    def test_a_second_one_kills(self, mpi):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(signal=number.name):
                run = self.signalled(self.profiled(self.gate(mpi, "deaf")), number, times=2)
                self.assertEqual(run.code, 128 + signal.SIGKILL, run)
                self.check_ended_at_gate(run)
                os.unlink(self.path("trace.json"))

    @each_mpi
    def test_killed_and_merged_later(self, mpi):
        """The ranks go on and end as ever; `merge` makes of their files what `run` would have made."""
        self.open_gate()
        whole = self.load(self.run_profiled(self.gate(mpi), options=["--label", "L", "--tag", "a=b"]))
        self.close_gate()
        command = self.profiled(self.gate(mpi), "trace.json", "--label", "L", "--tag", "a=b")
        process = self.start(command)
        self.at_gate()
        process.kill()
        process.wait()
        self.open_gate()
        self.finish(process, command)
        merged = self.merge_kept()
        self.check_counts(merged, THROUGH)
        self.assertEqual([r["status"] for r in merged.ranks], ["finalized"] * 2)
        self.assertEqual(merged.data["peers"], whole.data["peers"])
        self.assertEqual(merged.worlds, whole.worlds)
        counted = lambda p: sorted((s["region"], s["world"], s["calls"], s["completions"], s["bytes_sent"], s["bytes_received"], s["ranks"])
                                   for s in p.data["signatures"])
        self.assertEqual(counted(merged), counted(whole))
        for key in ("label", "tags", "command", "launcher", "mpi", "cpu", "hosts"):
            self.assertEqual(merged.data["metadata"][key], whole.data["metadata"][key], key)
        self.assertEqual(merged.data["warnings"], whole.data["warnings"])


class TimeLimit(Gate):
    """As a batch system ends a step: SIGTERM to all of its processes, and SIGKILL after a while to those that are left."""

    def signal_all(self, number):
        for pid in processes_with(self.token):
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def ended_by_all(self, command):
        process = self.start(command)
        self.at_gate()
        self.signal_all(signal.SIGTERM)
        run = self.finish(process, command, timeout=30)
        self.close_gate()
        return run

    @each_mpi
    def test_in_time(self, mpi):
        codes = CODES[mpi.name][signal.SIGTERM] | {143}  # or the ranks' ends are seen before the launcher's own signal
        bare = self.ended_by_all(self.gate(mpi))
        self.assertIn(bare.code if bare.code >= 0 else 128 - bare.code, codes, bare)
        run = self.ended_by_all(self.profiled(self.gate(mpi)))
        self.assertIn(run.code, codes, run)
        self.check_ended_at_gate(run)

    @each_mpi
    def test_until_the_grace_is_over(self, mpi):
        command = self.profiled(self.gate(mpi, "deaf"))
        process = self.start(command)
        self.at_gate()
        self.signal_all(signal.SIGTERM)
        time.sleep(GRACE[mpi.name])
        kill_all(self.token)
        run = self.finish(process, command)
        if self.kept_directories():
            self.check_counts(self.merge_kept(), AT_THE_GATE)
        else:  # hydra ends its ranks by force at once: the profile was there in time
            self.check_ended_at_gate(run)


class Terminal(Gate):
    def start_on_terminal(self, command):
        """The command leads a session of its own on a new terminal. Returns its process and the other end of the terminal."""
        master, slave = pty.openpty()

        def take_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        process = subprocess.Popen(command, cwd=self.directory, env=environment(self.token), stdin=slave, stdout=slave, stderr=slave,
                                   preexec_fn=take_terminal)
        os.close(slave)
        self.at_gate()
        return process, master

    def end_of(self, process):
        self.wait_for(lambda: process.poll() is not None)
        self.wait_for(lambda: not processes_with(self.token), 10)
        self.close_gate()
        return process.returncode if process.returncode >= 0 else 128 - process.returncode

    def closed(self, command):
        process, master = self.start_on_terminal(command)
        os.close(master)
        return self.end_of(process)

    def interrupted(self, command):
        process, master = self.start_on_terminal(command)
        os.write(master, b"\x03")
        shown = bytearray()
        try:
            while data := os.read(master, 4096):
                shown += data
        except OSError:  # nobody has the other end any more
            pass
        os.close(master)
        return self.end_of(process), shown.decode(errors="replace")

    def check_profile(self):
        self.check_ended_at_gate("on a terminal")
        os.unlink(self.path("trace.json"))

    @each_mpi
    def test_closed(self, mpi):
        """The kernel tells the leader of the session alone: the tool itself, or a shell whose end it tells the tool's group."""
        bare = self.closed(self.gate(mpi))
        self.assertEqual(self.closed(self.profiled(self.gate(mpi))), bare)
        self.check_profile()
        script = ["sh", "-c", '"$@"; exit $?', "sh"]
        self.closed([*script, *self.profiled(self.gate(mpi))])
        self.check_profile()

    @each_mpi
    def test_interrupted_by_key(self, mpi):
        """The terminal sends SIGINT to everyone: the launcher must not get it twice."""
        bare, _ = self.interrupted(self.gate(mpi))
        code, shown = self.interrupted(self.profiled(self.gate(mpi)))
        for one in (bare, code):
            self.assertIn(one, CODES[mpi.name][signal.SIGINT], shown)
        self.assertIn("scope-profiler report", shown)
        self.check_profile()


class OneName(Gate):
    """Runs at the same time that write to one file: the last two to end are there, whole, and nothing is mixed up."""

    @each_mpi
    def test_two(self, mpi):
        sizes = (2, 3)
        commands = {n: self.profiled(self.gate(mpi, name=f"gate{n}", ranks=n), "trace.json", "--label", str(n)) for n in sizes}
        processes = {n: self.start(command) for n, command in commands.items()}
        for n in sizes:
            self.at_gate(f"gate{n}", n)
        for n in sizes:
            self.open_gate(f"gate{n}")
        runs = {n: self.communicated(processes[n], commands[n]) for n in sizes}
        found = {}
        for name in ("trace.json", "trace.json.old"):
            p = self.load(name, name)
            ranks = p.worlds[0]["size"]
            self.assertEqual(p.data["metadata"]["label"], str(ranks))
            self.check_counts(p, THROUGH, ranks)
            found[name] = ranks
        self.assertEqual(sorted(found.values()), [2, 3])
        last = runs[found["trace.json"]]
        self.assertIn(f"another run wrote to '{self.path('trace.json')}' at the same time", last)
        self.close_gate()
        self.assertEqual(sorted(os.listdir(self.directory)), ["trace.json", "trace.json.old"])

    def communicated(self, process, command):
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        return err.decode()

    def test_a_job_array(self):
        """Eight at once. Whoever looks meanwhile sees a whole profile under the name."""
        self.assertEqual(self.tool("run", "--label", "first", "-o", self.path("trace.json"), "true").code, 0)
        labels = {str(n) for n in range(8)}
        commands = {n: [TOOL, "run", "--label", n, "-o", self.path("trace.json"), "sleep", "0.1"] for n in labels}
        processes = {n: self.start(command) for n, command in commands.items()}
        while any(process.poll() is None for process in processes.values()):
            self.assertIn(read_json(self.path("trace.json"))["metadata"]["label"], labels | {"first"})
        for n, process in processes.items():
            self.communicated(process, commands[n])
        left = [read_json(self.path(name))["metadata"]["label"] for name in ("trace.json", "trace.json.old")]
        self.assertEqual(len(set(left) & labels), 2, left)
        self.assertEqual(sorted(os.listdir(self.directory)), ["trace.json", "trace.json.old"])


if __name__ == "__main__":
    main()
