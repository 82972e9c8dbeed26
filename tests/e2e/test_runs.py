"""`run`: every way to start a program, and that the program is the same as without the tool."""

import os
import shutil
import time
import unittest

from harness import MPIS, PROGRAMS, SHIM, EndToEnd, each_mpi, environment, main

SERIAL = os.path.join(PROGRAMS, "serial")
BOTH = all(mpi.mpiexec for mpi in MPIS.values())


class Launchers(EndToEnd):
    def check_hello(self, p, ranks):
        for name in ("Init", "Comm_rank", "Comm_size", "Finalize"):
            self.assert_call(p, "MPI_" + name, 1)
        self.assertEqual(p.totals["calls"], 4 * ranks)

    @each_mpi
    def test_mpiexec(self, mpi):
        command = mpi.command(3, "hello", "one", "--two")
        bare = self.bare(command)
        p = self.profile(mpi, 3, "hello", "one", "--two")
        self.assertEqual(p.run.lines(), bare.lines())
        self.assertEqual(p.run.lines(), [f"rank {r} of 3 one --two" for r in range(3)])
        self.check_hello(p, 3)
        meta = p.data["metadata"]
        self.assertEqual((meta["command"], meta["exit_status"]), (command, 0))
        self.assertEqual(meta["launcher"], {"openmpi": "openmpi", "mpich": "hydra"}[mpi.name])
        self.assertIn({"openmpi": "Open MPI", "mpich": "MPICH"}[mpi.name], meta["mpi"]["library"])
        self.assertEqual(meta["mpi"]["standard"], {"openmpi": "3.1", "mpich": "4.0"}[mpi.name])
        self.assertEqual({os.path.basename(r["executable"]) for r in p.ranks}, {f"hello.{mpi.name}"})
        self.assertEqual(len({r["pid"] for r in p.ranks}), 3)

    @each_mpi
    def test_n_in_front(self, mpi):
        run = self.run_profiled([mpi.program("hello"), "x"], options=["-n", "2", "--mpiexec", mpi.mpiexec])
        self.assertEqual(run.lines(), ["rank 0 of 2 x", "rank 1 of 2 x"])
        p = self.load(run)
        self.check_hello(p, 2)
        self.assertEqual(p.data["metadata"]["command"], [mpi.mpiexec, "-n", "2", mpi.program("hello"), "x"])

    def test_n_finds_mpiexec(self):
        found = shutil.which("mpiexec")
        if not found:
            self.skipTest("no mpiexec on PATH")
        mpi = MPIS["mpich" if "mpich" in os.path.realpath(found) or "hydra" in os.path.realpath(found) else "openmpi"]
        run = self.run_profiled([mpi.program("hello")], options=["-n", "2"])
        self.assertEqual(run.lines(), ["rank 0 of 2", "rank 1 of 2"])
        self.check_hello(self.load(run), 2)

    @each_mpi
    def test_singleton(self, mpi):
        run = self.run_profiled([mpi.program("hello"), "alone"])
        self.assertEqual(run.text, "rank 0 of 1 alone\n")
        p = self.load(run)
        self.check_hello(p, 1)
        self.assertEqual([(w["size"], w["ranks_reported"]) for w in p.worlds], [(1, 1)])
        self.assertEqual(p.data["metadata"]["launcher"], "none")

    @each_mpi
    def test_several_programs_in_one_world(self, mpi):
        hello = mpi.program("hello")
        run = self.run_profiled([mpi.mpiexec, "-n", "1", hello, "a", ":", "-n", "2", hello, "b"])
        self.assertEqual(run.lines(), ["rank 0 of 3 a", "rank 1 of 3 b", "rank 2 of 3 b"])
        p = self.load(run)
        self.check_hello(p, 3)
        self.assertEqual([(w["size"], w["ranks_reported"]) for w in p.worlds], [(3, 3)])

    @each_mpi
    def test_through_env_and_shell(self, mpi):
        hello = mpi.program("hello")
        run = self.run_profiled([mpi.mpiexec, "-n", "2", "env", "A=1", "sh", "-c", f"true; exec '{hello}' $A"])
        self.assertEqual(run.lines(), ["rank 0 of 2 1", "rank 1 of 2 1"])
        p = self.load(run)
        self.check_hello(p, 2)
        self.assertEqual(len(p.ranks), 2)

    @each_mpi
    def test_a_script_with_two_jobs(self, mpi):
        hello = mpi.program("hello")
        script = self.path("job.sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{mpi.mpiexec} -n 2 '{hello}' first\necho between\n{mpi.mpiexec} -n 3 '{hello}' second\n")
        os.chmod(script, 0o755)
        run = self.run_profiled([script])
        lines = [f"rank {r} of {n} {job}" for n, job in ((2, "first"), (3, "second")) for r in range(n)]
        self.assertEqual(run.lines(), sorted(lines + ["between"]))
        p = self.load(run)
        worlds = [(w["id"], w["size"], w["ranks_reported"], w["parent"]) for w in p.worlds]
        self.assertEqual(worlds, [(0, 2, 2, None), (1, 3, 3, None)])
        self.assertEqual([(r["world"], r["rank"]) for r in p.ranks], [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)])
        self.check_hello(p, 5)

    @unittest.skipUnless(BOTH, "needs both MPIs")
    def test_jobs_of_two_mpis(self):
        lines = [f"{m.mpiexec} -n {n} '{m.program('hello')}' {m.name}" for m, n in zip(MPIS.values(), (2, 3))]
        p = self.load(self.run_profiled(["sh", "-c", " && ".join(lines)]))
        self.assertEqual([(w["size"], w["ranks_reported"]) for w in p.worlds], [(2, 2), (3, 3)])
        self.check_hello(p, 5)

    @unittest.skipUnless(BOTH, "needs both MPIs")
    def test_launcher_of_the_other_mpi(self):
        for launcher, program in (("openmpi", "mpich"), ("mpich", "openmpi")):
            with self.subTest(launcher=launcher):
                command = [MPIS[launcher].mpiexec, "-n", "2", MPIS[program].program("hello")]
                run = self.run_profiled(command, output=f"{launcher}.json")
                self.assertEqual(run.lines(), ["rank 0 of 1"] * 2)
                p = self.load(run, f"{launcher}.json")
                self.assertEqual([(w["size"], w["ranks_reported"]) for w in p.worlds], [(1, 1), (1, 1)])
                self.assertTrue(any("launcher" in text for text in p.warnings.values()), p.warnings)

    @each_mpi("openmpi")
    def test_spawn(self, mpi):
        run = self.run_profiled(mpi.command(1, "spawn"))
        p = self.load(run)
        self.assertEqual([(w["size"], w["ranks_reported"], w["parent"]) for w in p.worlds], [(1, 1, None), (2, 2, 0)])
        self.assert_call(p, "MPI_Comm_spawn", [1, 0, 0])
        self.assert_call(p, "MPI_Send", [2, 0, 0], [24, 0, 0])
        self.assert_call(p, "MPI_Recv", [0, 1, 1], 0, [0, 12, 12])
        self.assert_call(p, "MPI_Comm_get_parent", 1)
        self.assert_call(p, "MPI_Comm_disconnect", 1)

    @each_mpi
    def test_time_is_real_time_on_both_clocks(self, mpi):
        for clock in ("tsc", "monotonic"):
            with self.subTest(clock=clock):
                p = self.profile(mpi, 2, "late_sender", env={"SCOPE_PROFILER_CLOCK": clock}, output=f"{clock}.json")
                waited = p.call("MPI_Recv").total_ns_by_rank[1]
                self.assertTrue(290_000_000 <= waited <= 1_500_000_000, waited)
                self.assertLess(p.call("MPI_Send").total_ns_by_rank[0], waited // 2)
                self.assertGreater(p.ranks[0]["wall_ns"] - p.ranks[0]["mpi_ns"], 290_000_000, "rank 0 slept outside MPI")

    @each_mpi
    def test_helper_processes_are_no_ranks(self, mpi):
        p = self.profile(mpi, 2, "children")
        self.assert_call(p, "MPI_Barrier", 10)
        self.assertEqual([r["status"] for r in p.ranks], ["finalized"] * 2)

    @each_mpi
    def test_a_program_that_wanders_off(self, mpi):
        p = self.profile(mpi, 2, "wandering")
        self.assert_call(p, "MPI_Barrier", 1)


class Serial(EndToEnd):
    def check_no_mpi(self, p):
        self.assertEqual((p.ranks, p.worlds, p.data["calls"], p.totals["calls"]), ([], [], [], 0))
        self.assertFalse(p.data["metadata"]["mpi"]["library"])

    def test_no_mpi_library_is_mapped(self):
        run = self.run_profiled([SERIAL, "0"])
        self.assertEqual(run.text, "no MPI\n")
        self.check_no_mpi(self.load(run))

    def test_bind_now(self):
        self.check_no_mpi(self.load(self.run_profiled(["/bin/true"], env={"LD_BIND_NOW": "1"})))

    def test_start_up_is_quick(self):
        bare = environment(self.token, {"SCOPE_PROFILER_RUN_DIR": self.directory, "SCOPE_PROFILER_RUN_ID": "x"})
        shimmed = dict(bare, LD_PRELOAD=SHIM)

        def start_up(env):
            begin = time.monotonic()
            os.waitpid(os.posix_spawn("/bin/true", ["/bin/true"], env), 0)
            return time.monotonic() - begin

        added = 1.0
        for _ in range(5):  # the machine may be busy with other tests
            pairs = [(start_up(bare), start_up(shimmed)) for _ in range(40)]
            added = min(added, min(s for _, s in pairs) - min(b for b, _ in pairs))
        self.assertLess(added, 0.001)
        self.assertEqual(os.listdir(self.directory), [], "a process without MPI writes nothing")

    def test_without_mpi_calls_there_is_no_preload(self):
        run = self.run_profiled(["env"], calls=False)
        self.assertNotIn("LD_PRELOAD", run.text)
        self.check_no_mpi(self.load(run))

    @each_mpi
    def test_without_mpi_calls_nothing_is_counted(self, mpi):
        run = self.run_profiled(mpi.command(2, "hello"), calls=False)
        self.assertEqual(run.lines(), ["rank 0 of 2", "rank 1 of 2"])
        self.assertEqual(self.load(run).totals["calls"], 0)


class Streams(EndToEnd):
    data = bytes(range(256)) * 100 + b"\0\xff no newline at the end"

    def test_serial(self):
        script = "cat; printf 'to err\\377' >&2; exit 9"
        run = self.run_profiled(["sh", "-c", script], options=["-q"], stdin=self.data, code=9)
        self.assertEqual(run.out, self.data)
        self.assertEqual(run.err, b"to err\xff")

    @each_mpi
    def test_mpi(self, mpi):
        bare = self.bare(mpi.command(2, "echo"), stdin=self.data)
        run = self.run_profiled(mpi.command(2, "echo"), options=["-q"], stdin=self.data)
        self.assertEqual(run.out, self.data)
        self.assertEqual(run.err, bare.err)
        self.assertIn(b"copied %d\n" % len(self.data), run.err)
        self.assert_call(self.load(run), "MPI_Bcast", 1, [8, 0], [0, 8])

    @each_mpi
    def test_summary_goes_to_standard_error(self, mpi):
        run = self.run_profiled(mpi.command(2, "hello"))
        self.assertEqual(run.lines(), ["rank 0 of 2", "rank 1 of 2"])
        lines = run.errors.rstrip("\n").splitlines()
        self.assertTrue(3 <= len(lines) <= 25, run.errors)
        self.assertIn("MPI_Init", run.errors)
        self.assertIn("scope-profiler report", lines[-1])
        self.assertNotIn("\x1b", run.errors, "no colour where there is no terminal")

    def test_standard_input_may_be_closed(self):
        run = self.run_profiled(["sh", "-c", "exec 3>&0 2>/dev/null || echo closed"], options=["-q"])
        self.assertEqual(run.code, 0)


class ExitCodes(EndToEnd):
    def test_the_programs_own(self):
        self.run_profiled([SERIAL, "7"], code=7)
        self.run_profiled(["sh", "-c", "kill -9 $$"], code=137)
        self.run_profiled(["sh", "-c", "kill -15 $$"], code=143)

    def test_not_found(self):
        run = self.run_profiled(["no-such-program", "-x"], code=127)
        self.assertIn("no-such-program", run.errors)
        run = self.run_profiled([self.path("missing")], code=127)
        self.assertIn(self.path("missing"), run.errors)
        self.assertEqual(run.added, set(), "a run that did not start leaves nothing")

    def test_not_executable(self):
        with open(self.path("data.txt"), "w", encoding="utf-8") as file:
            file.write("x\n")
        run = self.run_profiled([self.path("data.txt")], code=126)
        self.assertIn("data.txt", run.errors)
        self.run_profiled([self.directory], code=126)

    def test_usage(self):
        for arguments, word in ((["run", "--mpi-cals", "true"], "--mpi-calls"), (["run", "--mpi-calls"], "COMMAND"),
                                (["run", "--mpi-calls", "-n", "zero", "true"], "-n"),
                                (["run", "--mpi-calls", "--labl=x", "true"], "--label"),
                                (["run", "--mpi-calls", "--", "--mpi-calls"], "--mpi-calls")):
            with self.subTest(arguments=arguments):
                run = self.tool(*arguments)
                self.assertEqual((run.code, run.out), (125, b""), run)
                self.assertIn(word, run.errors)
                self.assertEqual(os.listdir(self.directory), [])

    def test_options_end_at_the_command(self):
        for separator in ([], ["--"]):
            run = self.run_profiled([*separator, "echo", "--mpi-calls", "-o", "x", "--", "-n"])
            self.assertEqual(run.text, "--mpi-calls -o x -- -n\n")

    @each_mpi
    def test_strict(self, mpi):
        # Both ranks run, but the environment that would tell the shim of the run is taken away.
        command = [mpi.mpiexec, "-n", "2", "env", "-u", "LD_PRELOAD", mpi.program("hello")]
        run = self.run_profiled(command)
        self.assertEqual(run.lines(), ["rank 0 of 2", "rank 1 of 2"])
        p = self.load(run)
        self.assertEqual(p.ranks, [])
        self.assertIn("no-ranks-reported", p.warnings)
        self.run_profiled(command, options=["--strict"], code=125)
        self.run_profiled(mpi.command(2, "hello"), options=["--strict"])


class DryRun(EndToEnd):
    @each_mpi
    def test_nothing_is_made(self, mpi):
        run = self.run_profiled(mpi.command(2, "hello"), options=["--dry-run"])
        self.assertEqual(os.listdir(self.directory), [])
        self.assertIn(mpi.program("hello"), run.text)
        self.assertIn("LD_PRELOAD=", run.text)
        self.assertIn("libscope-profiler-mpi.so", run.text)
        self.assertNotIn("rank 0", run.text)


if __name__ == "__main__":
    main()
