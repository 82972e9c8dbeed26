"""`doctor`: finds launchers, proves interception, names what is wrong; `doctor --coverage`: the table, whole."""

import csv
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "table"))
import facts  # noqa: E402
from harness import MPIS, SHIM, TOOL, EndToEnd, each_mpi, main, processes_with  # noqa: E402

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib", "wire", "mpi_calls.def")
OUR_FILES = os.path.dirname(SHIM)


class Doctor(EndToEnd):
    def doctor(self, *arguments, code=0, tool=TOOL, **options):
        run = self.bare([tool, "doctor", *arguments], **options)
        self.assertEqual(run.code, code, run)
        left = [n for n in os.listdir(options.get("env", {}).get("TMPDIR", self.directory)) if n.startswith(".scope-profiler")]
        self.assertEqual(left, [], "a run directory was not removed")
        return run

    def findings(self, *arguments, code=0, **options):
        """The JSON form; temporary files go to a directory of the test."""
        os.makedirs(self.path("tmp"), exist_ok=True)
        env = {"TMPDIR": self.path("tmp"), **options.pop("env", {})}
        return json.loads(self.doctor("--format", "json", *arguments, code=code, env=env, **options).text)

    def only(self, name, script):
        """A PATH on which one launcher is, a script of ours."""
        directory = self.path("only")
        os.makedirs(directory)
        with open(os.path.join(directory, name), "w") as file:
            file.write("#!/bin/sh\n" + script)
        os.chmod(file.name, 0o755)
        os.symlink("/bin/true", os.path.join(directory, "true"))
        return {"PATH": directory}, file.name

    def problem(self, name, script, **env):
        """What is wrong with a launcher that is this script: id and text without the launcher's name."""
        path, launcher = self.only(name, script)
        found = self.findings(code=1, env={**path, **env})
        self.assertEqual([row["interception"] for row in found["launchers"]], ["not proven"], found)
        self.assertEqual((found["works"], len(found["problems"])), (False, 1), found)
        problem = found["problems"][0]
        self.assertTrue(problem["text"].startswith(launcher + ": "), problem)
        return problem["id"], problem["text"][len(launcher) + 2:]

    def row_of(self, found, mpi):
        """A launcher is listed once, by the first of its names."""
        rows = [row for row in found["launchers"] if os.path.realpath(row["path"]) == os.path.realpath(mpi.mpiexec)]
        self.assertEqual(len(rows), 1, found)
        return rows[0]

    def through(self, mpi):
        """A name for a script that starts this MPI."""
        return {"openmpi": "mpiexec.openmpi", "mpich": "mpiexec.mpich"}[mpi.name]

    @each_mpi
    def test_proves_interception(self, mpi):
        found = self.findings()
        row = self.row_of(found, mpi)
        self.assertEqual((row["family"], row["interception"]), (mpi.name, "proven"), found)
        version = subprocess.run([mpi.mpiexec, "--version"], capture_output=True, text=True).stdout
        self.assertIn(row["version"], version)
        self.assertRegex(row["version"], r"^\d+\.\d+")
        names = [os.path.basename(row["path"]), *row["names"].split()]
        self.assertEqual(len(names), len(set(names)))
        self.assertIn(os.path.basename(mpi.mpiexec), names)
        symbols = facts.exported(row["library"])
        self.assertEqual("ompi_mpi_comm_world" in symbols, mpi.name == "openmpi", row)
        self.assertEqual((found["works"], found["problems"]), (True, []))
        self.assertEqual([(f["what"], f["path"], f["state"]) for f in found["files"]],
                         [(what, os.path.join(OUR_FILES, name), "good") for what, name in
                          (("shim", "libscope-profiler-mpi.so"), ("agent", "scope-profiler-agent"),
                           ("probe", "scope-profiler-probe"), ("region-recorder", "libscope-profiler-region.so"))])

    @each_mpi
    def test_a_path_with_a_space(self, mpi):
        tool = self.installed(self.path("with a space"))
        found = self.findings(tool=tool)
        self.assertEqual(self.row_of(found, mpi)["interception"], "proven", found)

    @each_mpi
    def test_ranks_without_the_shim(self, mpi):
        # The agent would bring the shim back into Open MPI's ranks.
        script = f'exec /usr/bin/env -u LD_PRELOAD -u OMPI_MCA_orte_fork_agent PATH=/usr/bin:/bin {mpi.mpiexec} "$@"\n'
        self.assertEqual(self.problem(self.through(mpi), script),
                         ("not-intercepted", "the ranks ran, and none of their MPI calls was seen. Does the launcher pass "
                          "LD_PRELOAD on, and do its ranks see the temporary directory (TMPDIR)?"))

    @each_mpi
    def test_ranks_that_do_not_find_each_other(self, mpi):
        script = 'PATH=/usr/bin:/bin\nshift 2\n"$@" && "$@"\n'  # two singletons
        self.assertEqual(self.problem(self.through(mpi), script),
                         ("worlds-apart", "2 MPI worlds, where there should be one of size 2. The launcher belongs to another "
                          "MPI than the library that was found: LD_LIBRARY_PATH decides which that is."))

    @each_mpi("openmpi")
    def test_refused_to_run_as_root(self, mpi):
        if os.geteuid() != 0:
            self.skipTest("not root")
        env = {"OMPI_ALLOW_RUN_AS_ROOT": None, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": None}
        name, text = self.problem("mpiexec.openmpi", f'PATH=/usr/bin:/bin exec {mpi.mpiexec} "$@"\n', **env)
        self.assertEqual(name, "run-as-root")
        self.assertTrue(text.startswith("refused to run as root. Run doctor as another user"), text)

    @each_mpi("openmpi")
    def test_too_few_slots(self, mpi):
        with open(self.path("hosts"), "w") as file:
            file.write("localhost slots=1\n")
        env = {"OMPI_MCA_rmaps_base_oversubscribe": "0", "OMPI_MCA_orte_default_hostfile": self.path("hosts")}
        name, text = self.problem("mpiexec.openmpi", f'PATH=/usr/bin:/bin exec {mpi.mpiexec} "$@"\n', **env)
        self.assertEqual(name, "too-few-slots")
        self.assertTrue(text.startswith("too few slots for 2 ranks. Ask for 2 slots"), text)

    @each_mpi
    def test_a_launcher_that_fails(self, mpi):
        self.assertEqual(self.problem(self.through(mpi), "echo -----\necho no such partition >&2\nexit 9\n"),
                         ("launcher-failed", "ended with exit code 9: no such partition. Try the launcher by itself: "
                          "LAUNCHER -n 2 hostname; -v shows all that it said."))

    def test_interrupted(self):
        path, _ = self.only("mpiexec.mpich", 'test "$1" = --version && exit\n/bin/sleep 60\n')
        os.makedirs(self.path("tmp"))
        command = [TOOL, "doctor"]
        process = self.start(command, {**path, "TMPDIR": self.path("tmp")})
        self.wait_for(lambda: "sleep" in processes_with(self.token).values())
        process.send_signal(signal.SIGINT)
        run = self.finish(process, command, 10)
        self.assertEqual((run.code, run.text, run.errors), (130, "", "scope-profiler: error: interrupted.\n"))
        self.assertEqual(os.listdir(self.path("tmp")), [])

    def wait_for(self, condition):
        deadline = time.monotonic() + 20
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def test_no_launcher(self):
        path, launcher = self.only("srun", "exit 1\n")
        found = self.findings(code=1, env=path)
        self.assertEqual([(row["path"], row["family"], row["interception"]) for row in found["launchers"]],
                         [(launcher, None, "not tried")])
        self.assertEqual([problem["id"] for problem in found["problems"]], ["no-launcher"])
        self.assertFalse(found["works"])

    def installed(self, prefix):
        """A copy of the tool with its own files."""
        for name in ("bin", "lib/scope-profiler"):
            os.makedirs(os.path.join(prefix, name))
        shutil.copy(TOOL, os.path.join(prefix, "bin"))
        for name in ("libscope-profiler-mpi.so", "libscope-profiler-region.so", "scope-profiler-agent", "scope-profiler-probe"):
            shutil.copy(os.path.join(OUR_FILES, name), os.path.join(prefix, "lib", "scope-profiler"))
        return os.path.join(prefix, "bin", os.path.basename(TOOL))

    def broken(self, damage):
        """What is said of an installation whose shim was damaged."""
        tool = self.installed(self.path("copy"))
        shim = self.path("copy", "lib", "scope-profiler", os.path.basename(SHIM))
        damage(shim)
        found = self.findings(tool=tool, code=1)
        self.assertEqual([file["state"] for file in found["files"]], ["bad", "good", "good", "good"])
        self.assertEqual({row["interception"] for row in found["launchers"]} - {"not tried"}, set())
        self.assertEqual([problem["id"] for problem in found["problems"]], ["shim"])
        text = found["problems"][0]["text"]
        self.assertTrue(text.startswith(f"The shim '{shim}' "), text)
        return text[len(f"The shim '{shim}' "):]

    def test_a_missing_shim(self):
        self.assertEqual(self.broken(os.unlink), "is missing. Build or install the tool again.")

    def test_a_shim_that_cannot_be_loaded(self):
        def damage(shim):
            with open(shim, "wb") as file:
                file.write(b"no library\n")
        text = self.broken(damage)
        self.assertTrue(text.startswith("can't be preloaded (exit code 0 of '"), text)
        self.assertIn("ld.so", text)

    def test_a_missing_probe(self):
        tool = self.installed(self.path("copy"))
        os.unlink(self.path("copy", "lib", "scope-profiler", "scope-profiler-probe"))
        found = self.findings(tool=tool, code=1)
        self.assertEqual([problem["id"] for problem in found["problems"]], ["probe"])

    def test_a_missing_region_recorder(self):
        tool = self.installed(self.path("copy"))
        os.unlink(self.path("copy", "lib", "scope-profiler", "libscope-profiler-region.so"))
        found = self.findings(tool=tool, code=1)
        self.assertEqual([problem["id"] for problem in found["problems"]], ["region-recorder"])

    def test_no_temporary_directory(self):
        run = self.bare([TOOL, "doctor", "--format", "json"], env={"TMPDIR": self.path("none")})
        self.assertEqual(run.code, 1, run)
        problems = json.loads(run.text)["problems"]
        self.assertEqual(problems, [{"id": "temporary-directory", "text": f"the temporary directory '{self.path('none')}' is not "
                                     "there. Set TMPDIR to a directory."}])
        self.assertFalse(os.path.exists(self.path("none")))

    def test_quiet_says_nothing_when_all_is_well(self):
        if not any(mpi.mpiexec for mpi in MPIS.values()):
            self.skipTest("no MPI is installed")
        run = self.doctor("-q")
        self.assertEqual((run.text, run.errors), ("", ""))
        path, launcher = self.only("srun", "exit 1\n")
        run = self.doctor("-q", code=1, env={**path, "TMPDIR": self.directory})
        self.assertTrue(run.text.startswith("Problems\n- No launcher of Open MPI or MPICH is on PATH"), run)

    def test_hints(self):
        found = self.findings(code=1, env={**self.only("srun", "exit 1\n")[0], "LD_PRELOAD": SHIM})
        self.assertEqual([(h["id"], SHIM in h["text"]) for h in found["hints"] if h["id"] == "preload"], [("preload", True)])
        found = self.findings(code=1, env={"PATH": self.path("only")})
        self.assertEqual([h["id"] for h in found["hints"] if h["id"] in ("preload", "noexec")], [])
        with open("/proc/cpuinfo") as file:
            flags = file.read().split()
        good = os.uname().machine != "x86_64" or ("constant_tsc" in flags and "nonstop_tsc" in flags)
        self.assertEqual([h["id"] for h in found["hints"] if h["id"] == "clock"], [] if good else ["clock"])

    def test_hints_of_mounts(self):
        os.makedirs(self.path("tmp"))
        script = f'mount -t tmpfs -o noexec none "{self.path("tmp")}" && mount -t proc -o hidepid=2 proc /proc && exec "$@"'
        words = ["unshare", "-m", "sh", "-c", script, "sh"]
        if os.geteuid() != 0 or subprocess.run([*words, "true"], capture_output=True).returncode != 0:
            self.skipTest("file systems cannot be mounted here")
        run = self.bare([*words, TOOL, "doctor", "--format", "json"], env={"TMPDIR": self.path("tmp")})
        found = json.loads(run.text)
        self.assertEqual([h["id"] for h in found["hints"] if h["id"] != "clock"], ["noexec", "hidepid"])
        self.assertIn(self.path("tmp"), found["hints"][0]["text"])
        self.assertEqual({row["interception"] for row in found["launchers"]} - {"not tried"},
                         {"proven"} if any(mpi.mpiexec for mpi in MPIS.values()) else set(), run)

    def test_usage_errors(self):
        for words, text in ((["x"], "doctor takes options only"), (["--format", "csv"], "--format csv holds one table"),
                            (["--formta", "csv"], "Did you mean '--format'?")):
            run = self.doctor(*words, code=2)
            self.assertIn(text, run.errors)
            self.assertEqual(run.text, "")


class Coverage(EndToEnd):
    KINDS = {"POINT_TO_POINT": "point-to-point", "WAIT": "wait", "COLLECTIVE": "collective", "ONE_SIDED": "one-sided", "IO": "io",
             "PROCESS": "process", "OTHER": "other"}

    def coverage(self, *arguments):
        run = self.tool("doctor", "--coverage", *arguments)
        self.assertEqual((run.code, run.errors), (0, ""), run)
        return run.out.decode()

    def test_is_the_table(self):
        timed, left = facts.read_table(TABLE)
        found = json.loads(self.coverage("--format", "json"))
        self.assertEqual((found["timed"], found["not_timed"]), (len(timed), len(left)))
        rows = {row["name"]: row for row in found["procedures"]}
        self.assertEqual(len(rows), len(found["procedures"]))
        self.assertEqual(list(rows), sorted(list(timed) + list(left)))
        self.assertEqual({n: (r["kind"], r["timed"], r["reason"]) for n, r in rows.items()},
                         {**{n: (self.KINDS[row.kind], "yes", None) for n, row in timed.items()},
                          **{n: (None, "no", reason) for n, reason in left.items()}})
        self.assertEqual({n for n, r in rows.items() if r["bytes"] is None}, set(left))
        silent = {n for n, r in rows.items() if r["bytes"] == "none"}
        no_bytes = {"NOTHING", "INIT", "SESSION_INIT", "FINALIZE", "ABORT", "PCONTROL", "REQUEST_FREE", "REQUEST_STATUS",
                    "CANCEL", "PROBE", "MPROBE", "COMM_CREATE", "COMM_PARENT", "COMM_FREE", "COMM_NAME", "TYPE_FREE",
                    "WIN_CREATE", "WIN_FREE", "FILE_OPEN", "FILE_CLOSE"}
        self.assertEqual(silent, {n for n, row in timed.items() if row.rule in no_bytes})

    def test_formats_agree(self):
        rows = json.loads(self.coverage("--format", "json"))["procedures"]
        table = list(csv.DictReader(io.StringIO(self.coverage("--format", "csv"), newline="")))
        self.assertEqual(table, [{key: value or "" for key, value in row.items()} for row in rows])
        timed = sum(row["timed"] == "yes" for row in rows)
        text = self.coverage().splitlines()
        self.assertEqual(text[0], f"{timed} procedures timed, {len(rows) - timed} not")
        self.assertEqual([line.split()[0] for line in text[4:]], [row["name"] for row in rows])
        shown = {line.split()[0]: line for line in text[4:]}
        for row in rows:
            self.assertTrue(shown[row["name"]].endswith(row["bytes"] or row["reason"]), shown[row["name"]])
        markdown = self.coverage("--format", "markdown").splitlines()
        self.assertEqual(markdown[0], f"# {timed} procedures timed, {len(rows) - timed} not")
        self.assertEqual(len([line for line in markdown if line.startswith("| MPI")]), len(rows))

    @each_mpi
    def test_names_everything_that_the_library_exports(self, mpi):
        names = {row["name"] for row in json.loads(self.coverage("--format", "json"))["procedures"]}
        needed = subprocess.run(["ldd", mpi.program("hello")], check=True, capture_output=True, text=True).stdout
        library = re.search(r"libmpi(?:ch)?\.so\S* => (\S+)", needed).group(1)
        exported = {name for name in facts.exported(library) if facts.PROCEDURE.match(name)}
        self.assertGreater(len(exported), 350)
        self.assertEqual(exported - names, set())


if __name__ == "__main__":
    main()
