"""Where files can't be written as they should: disks that are full at one write or another, limits, masks, links that someone
planted, directories that go. The program is as without the tool; the profile is exact, or a warning names the reason.

Quotas can't be set up here (they need a file system made for it): a limit on file sizes stands for them, whose error takes the
same way as EDQUOT.
"""

import os
import shutil
import stat
import unittest

from harness import MPIS, PROGRAMS, SHIM, TOOL, EndToEnd, each_mpi, main, read_json
from test_output import can_mount

COUNTED = {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Sendrecv": 3000, "MPI_Barrier": 10, "MPI_Finalize": 1}
SPEAKS = [f"rank {rank} {2999 * 3000 // 2}" for rank in (0, 1)]
FULL = "No space left on device"
NOBODY = 65534


class LimitedRanks(EndToEnd):
    """Two ranks of tests/programs/limits.c."""

    def spoken(self, run):
        return sorted(line for line in run.text.splitlines() if line.startswith("rank "))

    def check_exact(self, p, statuses=("finalized", "finalized")):
        self.assertEqual([(w["size"], w["ranks_reported"], w["missing"]) for w in p.worlds], [(2, 2, [])])
        self.assertEqual([r["status"] for r in p.ranks], list(statuses))
        found = {name: p.call(name).calls_by_rank for name in p.names()}
        self.assertEqual(found, {name: [count, count] for name, count in COUNTED.items()})
        self.assertEqual(p.call("MPI_Sendrecv").bytes_sent_by_rank, [12000, 12000])


class Limits(LimitedRanks):
    def run_limited(self, mpi, *words, **more):
        """The same code and words as without the tool, whatever becomes of the profile."""
        bare = self.bare(mpi.command(2, "limits", *words))
        run = self.run_profiled(mpi.command(2, "limits", *words), code=bare.code, **more)
        self.assertEqual(self.spoken(run), self.spoken(bare), run)
        return run

    @each_mpi
    def test_nothing_is_lost(self, mpi):
        """chdir, masks, and descriptors that the program closes, ours too if it had any."""
        for words in (["chdir", "umask=077", "close"], ["umask=777", "streams"], ["late-umask=777", "late-chdir", "late-streams"]):
            with self.subTest(words=words):
                run = self.run_limited(mpi, *words)
                p = self.load(run)
                self.check_exact(p)
                self.assertEqual(p.warnings, {})
                self.assertEqual(len(p.signatures("MPI_Sendrecv")), 6000, "a tag of 3,000 each, to itself")
                os.unlink(self.path("trace.json"))

    @each_mpi("mpich")  # Open MPI's own launcher would meet the library's quota, too
    def test_quota(self, mpi):
        """Of the user whose files they are: no rank is recorded, or its table can't grow."""
        quota = {"LD_PRELOAD": mpi.program("quota") + ".so"}
        p = self.load(self.run_limited(mpi, env={**quota, "QUOTA": "4096"}))
        self.assertEqual(p.ranks, [])
        self.assertIn("2 ranks were not recorded: Disk quota exceeded", p.warnings["ranks-refused"])
        os.unlink(self.path("trace.json"))
        p = self.load(self.run_limited(mpi, env={**quota, "QUOTA": "300000"}))
        self.check_exact(p)
        self.assertIn("2 ranks could not make room for more different calls; their totals are exact: Disk quota exceeded", p.warnings["table-full"])
        os.unlink(self.path("trace.json"))

    @each_mpi
    def test_the_table_can_not_grow(self, mpi):
        """The totals are exact all the same; also of procedures that were called for the first time after that."""
        for word, reason in (("late-fsize=300000", "File too large"), ("late-nofile=0", "Too many open files")):
            with self.subTest(word=word):
                p = self.load(self.run_limited(mpi, word))
                self.check_exact(p)
                self.assertEqual(set(p.warnings), {"rank-recovered", "entries-lost", "table-full"})
                self.assertIn(f"2 ranks could not make room for more different calls; their totals are exact: {reason}",
                              p.warnings["table-full"])
                os.unlink(self.path("trace.json"))

    @each_mpi
    def test_a_limit_on_file_sizes(self, mpi):
        """It ends this MPI program by SIGXFSZ in MPI_Init, with and without the tool: the shim's own files never do that."""
        run = self.run_limited(mpi, "fsize=131072")
        p = self.load(run)
        self.assertEqual(p.ranks, [])
        self.assertIn("File too large", p.warnings["ranks-refused"])

    @each_mpi
    def test_the_run_directory_is_removed(self, mpi):
        for word in ("remove", "late-remove"):
            with self.subTest(word=word):
                run = self.run_limited(mpi, word)
                self.assertIn("has removed the run directory", run.errors)
                self.assertEqual(run.added, set())


class TheTool(EndToEnd):
    def limited(self, limit, *command, code=0):
        run = self.bare(["sh", "-c", f'ulimit {limit} && exec "$@"', "sh", TOOL, *command])
        self.assertEqual(run.code, code, run)
        return run

    def test_few_descriptors(self):
        run = self.limited("-n 16", "run", "--mpi-calls", "-o", self.path("trace.json"), os.path.join(PROGRAMS, "serial"), "7", code=7)
        self.assertEqual(self.load(run).data["metadata"]["exit_status"], 7)

    def test_small_files(self):
        """SIGXFSZ does not end the tool, and its program finds it as it was."""
        kept = self.path("kept")
        mpi = next((mpi for mpi in MPIS.values() if mpi.mpiexec), None)
        if not mpi:
            self.skipTest("no MPI is installed")
        self.load(self.run_profiled(mpi.command(2, "limits"), options=["--keep-dumps", kept]))
        run = self.limited("-f 8", "merge", kept, "-o", self.path("merged.json"), code=2)
        self.assertIn("File too large", run.errors)
        self.assertIn("ulimit -f", run.errors)
        self.assertEqual(sorted(os.listdir(self.directory)), ["kept", "trace.json"])
        script = ["sh", "-c", "grep SigIgn /proc/self/status; grep SigBlk /proc/self/status"]
        bare = self.bare(script)
        run = self.limited("-f 8", "run", "--mpi-calls", "-o", self.path("other.json"), *script)
        self.assertEqual(run.text, bare.text)

    def test_masks(self):
        """The run's own directory and files are the user's alone under every mask; the profile is as the mask says."""
        script = self.path("look.sh")
        with open(script, "w", encoding="ascii") as file:
            file.write('#!/bin/sh\nstat -c "%a" "$SCOPE_PROFILER_RUN_DIR"; stat -c %a "$SCOPE_PROFILER_RUN_DIR"/live-*.block\n')
        os.chmod(script, 0o755)
        mpi = next((mpi for mpi in MPIS.values() if mpi.mpiexec), None)
        for mask, mode in (("000", 0o666), ("022", 0o644), ("077", 0o600), ("0777", 0o000)):
            with self.subTest(mask=mask):
                run = self.bare(["sh", "-c", f'umask {mask} && exec "$@"', "sh", TOOL, "run", "--mpi-calls", "-o", self.path("trace.json"),
                                 "sh", "-c", 'stat -c %a "$SCOPE_PROFILER_RUN_DIR"'])
                self.assertEqual((run.code, run.text), (0, "700\n"), run)
                self.assertEqual(stat.S_IMODE(os.stat(self.path("trace.json")).st_mode), mode)
        if mpi:
            run = self.bare(["sh", "-c", 'umask 0 && exec "$@"', "sh", TOOL, "run", "--mpi-calls", "-o", self.path("x.json"), "sh", "-c",
                             f'{mpi.mpiexec} -n 1 {mpi.program("ends")} _exit; {script}'])
            self.assertEqual(run.text, "700\n600\n", run)

    @each_mpi
    def test_without_privileges(self, mpi):
        """Root may read what a mask of 0777 made; others may not, so that the modes must be right."""
        if os.geteuid() != 0:
            self.skipTest("needs root, to become somebody whom permissions stop")
        become = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        os.chown(self.directory, NOBODY, NOBODY)
        env = {"HOME": self.directory, "TMPDIR": self.directory}
        program = mpi.command(2, "limits", "late-umask=777")  # before MPI_Init neither MPI can read its own files then
        if self.bare([*become, *program], env=env).code:
            self.skipTest("somebody else can't run this MPI from here")
        command = [TOOL, "run", "--mpi-calls", "-o", self.path("trace.json"), *program]
        run = self.bare([*become, *command], env=env)
        self.assertEqual(run.code, 0, run)
        p = self.load(run)
        self.assertEqual((p.call("MPI_Sendrecv").calls_by_rank, p.warnings), ([3000, 3000], {}))


class Links(EndToEnd):
    """Someone else guessed the name of a file: nothing is written through the link."""

    def setUp(self):
        super().setUp()
        self.victim = self.path("victim")
        with open(self.victim, "w", encoding="ascii") as file:
            file.write("untouched")

    def check_victim(self):
        with open(self.victim, encoding="ascii") as file:
            self.assertEqual(file.read(), "untouched")

    def test_the_profiles_temporary_file(self):
        script = f'for n in 0 1 2 3; do ln -s "{self.victim}" "{self.directory}/.scope-profiler-$$-$n.tmp"; done; exec "$@"'
        run = self.bare(["sh", "-c", script, "sh", TOOL, "run", "-o", self.path("trace.json"), "true"])
        self.assertEqual(run.code, 0, run)
        self.check_victim()
        self.assertEqual(read_json(self.path("trace.json"))["format"], "scope-profiler-summary")
        self.assertFalse(os.path.islink(self.path("trace.json")))

    def test_the_earlier_profile(self):
        os.symlink(self.victim, self.path("trace.json.old"))
        for _ in range(2):
            self.assertEqual(self.tool("run", "-o", self.path("trace.json"), "true").code, 0)
        self.check_victim()
        self.assertFalse(os.path.islink(self.path("trace.json.old")))

    @each_mpi
    def test_the_files_of_a_rank(self, mpi):
        """The shim is told of a directory that others could write to, and the names are there already."""
        shared = self.path("shared")
        os.mkdir(shared)
        host = os.uname().nodename
        script = (f'start=$(cut -d" " -f22 /proc/$$/stat); ln -s "{self.victim}" "{shared}/live-{host}-$$-$start.block"; '
                  f'ln -s "{self.victim}" "{shared}/rank-single-{host}-$$-$start-0.json.part"; '
                  f'ln -s "{self.victim}" "{shared}/rank-single-{host}-$$-$start-0.json"; LD_PRELOAD="{SHIM}" exec "$@"')
        run = self.bare(["sh", "-c", script, "sh", mpi.program("limits")],
                        env={"SCOPE_PROFILER_RUN_DIR": shared, "SCOPE_PROFILER_RUN_ID": "x"})
        self.assertEqual(run.code, 0, run)
        self.check_victim()
        left = os.listdir(shared)
        self.assertEqual(len(left), 1, left)
        dump = os.path.join(shared, left[0])
        self.assertFalse(os.path.islink(dump))
        self.assertEqual(stat.S_IMODE(os.stat(dump).st_mode), 0o600)
        calls = {call["name"]: call["calls"] for call in read_json(dump)["calls"]}
        self.assertEqual(calls, COUNTED)


@unittest.skipUnless(can_mount(), "mounting is not allowed here")
class FullDisks(LimitedRanks):
    """A small disk (tmpfs) for the output, in a mount namespace of its own. What is on it at the end is copied to "left"."""

    def inside(self, options, *command, before=""):
        os.makedirs(self.path("disk"), exist_ok=True)
        shutil.rmtree(self.path("left"), ignore_errors=True)
        script = (f'cd "$0" && mount -t tmpfs -o {options} none disk && {before or "true"} && "$@"; code=$?; cp -a disk left; exit $code')
        return self.bare(["unshare", "-m", "sh", "-c", script, self.directory, *command])

    def profiled(self, *command, output="trace.json", options=()):
        return [TOOL, "run", "--mpi-calls", "-o", self.path("disk", output), *options, *command]

    def left(self):
        return sorted(os.listdir(self.path("left")))

    def check_program(self, run, code=0):
        self.assertEqual((run.code, self.spoken(run)), (code, SPEAKS), run)

    @each_mpi
    def test_the_run_directory(self, mpi):
        """Nothing is started that could not be recorded: there is time yet to choose another place."""
        for inodes, what in ((1, "run directory"), (2, "run.info")):
            with self.subTest(what=what):
                run = self.inside(f"size=4m,nr_inodes={inodes}", *self.profiled(*mpi.command(2, "limits")))
                self.assertEqual((run.code, run.text), (125, ""), run)
                self.assertIn(FULL, run.errors)
                self.assertIn(what, run.errors)
                self.assertEqual(self.left(), [])

    @each_mpi
    def test_no_live_block(self, mpi):
        run = self.inside("size=64k", *self.profiled(*mpi.command(2, "limits")))
        self.check_program(run)
        p = self.loaded()
        self.assertEqual(p.ranks, [])
        self.assertIn(f"2 ranks were not recorded: {FULL}", p.warnings["ranks-refused"])
        strict = self.inside("size=64k", *self.profiled(*mpi.command(2, "limits"), options=["--strict"]))
        self.check_program(strict, 125)

    @each_mpi
    def test_one_live_block(self, mpi):
        # Two ranks that ask for room at the same instant may both be refused: each holds a part of it just then.
        for _ in range(10):
            run = self.inside("size=400k", *self.profiled(*mpi.command(2, "limits")))
            self.check_program(run)
            p = self.loaded()
            if p.worlds:
                break
        self.assertEqual([(w["size"], w["ranks_reported"], len(w["missing"]), w["complete"]) for w in p.worlds], [(2, 1, 1, False)])
        self.assertEqual({name: p.call(name).calls for name in p.names()}, COUNTED)
        self.assertIn(f"1 rank was not recorded: {FULL}", p.warnings["ranks-refused"])
        self.assertIn(f"1 rank could not make room for more different calls; their totals are exact: {FULL}", p.warnings["table-full"])

    @each_mpi
    def test_growth(self, mpi):
        run = self.inside("size=640k", *self.profiled(*mpi.command(2, "limits"), output="trace.json.gz"))
        self.check_program(run)
        p = self.loaded("trace.json.gz")
        self.check_exact(p)
        self.assertIn(f"2 ranks could not make room for more different calls; their totals are exact: {FULL}", p.warnings["table-full"])

    @each_mpi
    def test_the_dump(self, mpi):
        """Live blocks of 256 KiB, a page for the description of the run, and one more: the dumps don't fit, the compressed profile
        does. The live blocks are read instead."""
        run = self.inside("size=520k", *self.profiled(*mpi.command(2, "hello"), output="trace.json.gz"))
        self.assertEqual((run.code, run.lines()), (0, ["rank 0 of 2", "rank 1 of 2"]), run)
        p = self.loaded("trace.json.gz")
        self.assertEqual([r["status"] for r in p.ranks], ["finalized"] * 2)
        self.assertEqual({name: p.call(name).calls_by_rank for name in p.names()},
                         {name: [1, 1] for name in ("MPI_Init", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Finalize")})

    @each_mpi
    def test_the_profile(self, mpi):
        """What the ranks left is kept, and `merge` makes the profile elsewhere."""
        for output in ("trace.json", "trace.json.gz"):
            with self.subTest(output=output):
                script = 'disk=$0; "$@"; code=$?; cat /dev/zero > $disk/filled 2> /dev/null; exit $code'
                run = self.inside("size=4m", *self.profiled("sh", "-c", script, self.path("disk"), *mpi.command(2, "limits"),
                                                            output=output))
                self.check_program(run)
                self.assertIn(FULL, run.errors)
                kept = [name for name in self.left() if name != "filled"]
                self.assertEqual(len(kept), 1, self.left())
                self.assertIn("scope-profiler merge " + self.path("disk", kept[0]), run.errors)
                merged = self.tool("merge", self.path("left", kept[0]), "-o", self.path("merged.json"))
                self.assertEqual(merged.code, 0, merged)
                self.check_exact(self.load(merged, "merged.json"))
                os.unlink(self.path("merged.json"))

    def loaded(self, output="trace.json"):
        self.assertEqual(self.left(), [output])
        return self.load("on a small disk", os.path.join("left", output))

    @each_mpi
    def test_read_only(self, mpi):
        run = self.inside("size=4m", *self.profiled(*mpi.command(2, "limits")), before="mount -o remount,ro disk")
        self.assertEqual((run.code, run.text), (125, ""), run)
        self.assertIn("Read-only file system", run.errors)
        self.assertEqual(self.left(), [])


if __name__ == "__main__":
    main()
