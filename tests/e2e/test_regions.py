"""The regions that a program marks: paths, counts, MPI inside them, and what becomes of them when something goes wrong."""

import os
import subprocess
import unittest

import harness
from harness import EndToEnd, PROGRAMS, PYTHON, SOURCES, TOOL, each_mpi

INCLUDE = os.path.join(SOURCES, "..", "..", "lib", "region", "include")
LIBRARY = os.path.join(os.path.dirname(harness.SHIM), "libscope-profiler-region.so")


class Regions(EndToEnd):
    def rows(self, profile):
        """path -> row; what must hold in all of them was checked with the profile."""
        return {row["path"]: row for row in profile.data["regions"]}

    def counts(self, profile):
        return {path: row["calls"] for path, row in self.rows(profile).items()}

    def mpi_calls(self, profile):
        """path -> MPI calls inside: all, and those outside of the regions inside."""
        return {path: (row["mpi_calls"], row["mpi_self_calls"]) for path, row in self.rows(profile).items()}

    def serial(self, *words, program="regions_serial", code=0, calls=False, **more):
        command = [os.path.join(PROGRAMS, program), *words]
        run = self.run_profiled(command, calls=calls, code=code, **more)
        profile = self.load(run)
        profile.run = run
        return profile


class Serial(Regions):
    def test_paths_of_nested_regions(self):
        profile = self.serial("nest")
        self.assertEqual(self.counts(profile), {"a": 1, "a/b": 2, "a/b/c": 4, "b": 1})
        rows = self.rows(profile)
        self.assertEqual([rows["a/b/c"][key] for key in ("name", "mpi_calls", "mpi_ns")], ["c", 0, 0])
        self.assertEqual(os.path.basename(rows["a/b/c"]["source"]["file"]), "regions_serial.c")
        with open(os.path.join(SOURCES, "regions_serial.c"), encoding="utf-8") as file:
            lines = file.read().split("\n")
        self.assertIn('SCOPE_BEGIN("c")', lines[rows["a/b/c"]["source"]["line"] - 1])
        self.assertEqual(set(profile.warnings), {"mpi-calls-off"})

    def test_a_process_without_mpi_is_a_world_of_its_own_kind(self):
        for calls in (False, True):
            profile = self.serial("nest", calls=calls)
            world, rank = profile.worlds, profile.ranks
            self.assertEqual([(w["size"], w["complete"], w["mpi"]) for w in world], [(1, True, False)])
            self.assertEqual([(r["rank"], r["status"], r["signal"], r["mpi_ns"]) for r in rank], [(0, "exited", None, 0)])
            self.assertGreaterEqual(rank[0]["wall_ns"], sum(row["self_ns"] for row in profile.data["regions"]))
            self.assertIn("1 process without MPI on 1 host", profile.run.err.decode())
            self.assertNotIn("Did not finish", profile.run.err.decode())
            self.assertNotIn("MPI time", profile.run.err.decode())

    def test_names_are_data(self):
        rows = self.rows(self.serial("names"))
        self.assertEqual(set(rows), {"a\\/b", "c\\\\d", "line\nfeed", "bytes \ufffd\ufffd", "x" * 127, ""})
        self.assertEqual(rows["a\\/b"]["name"], "a/b")

    def test_what_finds_no_partner_is_counted_and_harmless(self):
        profile = self.serial("unpaired")
        self.assertEqual(self.counts(profile), {"outer": 1, "outer/left": 1, "open": 1})
        self.assertTrue(profile.warnings["regions-unmatched"].startswith("2 ends of regions without a begin in the same thread: never (2)."))
        self.assertTrue(profile.warnings["regions-unclosed"].startswith("2 regions were begun and not ended: left (1), open (1)."))

    def test_more_names_than_are_kept_apart(self):
        profile = self.serial("paths")
        counts = self.counts(profile)
        self.assertEqual((len(counts), counts["around"], counts["around/region 4094"]), (4096, 1, 1))
        self.assertTrue(profile.warnings["regions-folded"].startswith("4905 regions on 1 rank began beyond the limits"), profile.warnings)

    def test_recursion_and_its_bound(self):
        profile = self.serial("deep")
        self.assertEqual(self.counts(profile), {"/".join(["deep"] * depth): 1 for depth in range(1, 65)})
        self.assertTrue(profile.warnings["regions-folded"].startswith("36 regions on 1 rank"), profile.warnings)

    def test_the_child_of_a_fork_writes_nothing(self):
        profile = self.serial("fork")
        self.assertEqual(self.counts(profile), {"before": 1, "after": 1})
        self.assertEqual(len(profile.ranks), 1)

    def test_a_program_that_a_process_starts_is_a_process(self):
        profile = self.serial("exec")
        self.assertEqual(self.counts(profile), {"first": 1, "a": 1, "a/b": 2, "a/b/c": 4, "b": 1})
        rows = self.rows(profile)
        self.assertEqual(sorted(rows["first"]["per_rank"]["calls"]), [0, 1])
        self.assertEqual([a + b for a, b in zip(rows["first"]["per_rank"]["calls"], rows["a"]["per_rank"]["calls"])], [1, 1])

    def test_what_had_ended_survives(self):
        for how, code, status, number in (("kill", 137, "killed", 9), ("_exit", 0, "exited", None)):
            profile = self.serial(how, code=code)
            self.assertEqual(self.counts(profile), {"done": 3, "open": 1}, how)
            self.assertEqual([(r["status"], r["signal"]) for r in profile.ranks], [(status, number)])
            self.assertNotIn("regions-unclosed", profile.warnings)

    def test_a_run_that_is_killed_is_merged_later(self):
        process = self.start([TOOL, "run", "-o", self.path("trace.json"), os.path.join(PROGRAMS, "regions_serial"), "wait"])
        self.assertEqual(process.stdout.readline(), b"ready\n")
        process.kill()
        process.wait()
        harness.kill_all(self.token)
        process.communicate()
        left = [name for name in os.listdir(self.directory) if name.startswith(".scope-profiler-")]
        self.assertEqual(len(left), 1)
        run = self.tool("merge", self.path(left[0]), "-o", self.path("trace.json"))
        self.assertEqual(run.code, 0, run)
        data = harness.read_json(self.path("trace.json"))
        self.assertEqual({row["path"]: row["calls"] for row in data["regions"]}, {"done": 3, "open": 1})

    def test_kept_files_merge_to_the_same_regions(self):
        profile = self.serial("nest", options=["--keep-dumps", self.path("kept")])
        run = self.tool("merge", self.path("kept"), "-o", self.path("again.json"))
        self.assertEqual(run.code, 0, run)
        self.assertEqual(harness.read_json(self.path("again.json"))["regions"], profile.data["regions"])

    def test_the_other_clock(self):
        profile = self.serial("nest", env={"SCOPE_PROFILER_CLOCK": "monotonic"})
        self.assertEqual(self.counts(profile), {"a": 1, "a/b": 2, "a/b/c": 4, "b": 1})

    def test_where_there_is_no_room(self):
        program = os.path.join(PROGRAMS, "regions_serial")
        run = self.run_profiled(["sh", "-c", f"ulimit -f 100; exec '{program}' nest"], calls=False)
        profile = self.load(run)
        self.assertEqual(profile.data["regions"], [])
        self.assertIn("1 rank was not recorded: File too large", profile.warnings["ranks-refused"])

    def test_nothing_is_loaded_or_written_outside_of_a_run(self):
        library = {"SCOPE_PROFILER_REGION_LIBRARY": LIBRARY}
        for env in ({}, {"SCOPE_PROFILER_REGION_LIBRARY": "/nowhere.so"}, library, {**library, "SCOPE_PROFILER_RUN_DIR": "/nowhere", "SCOPE_PROFILER_RUN_ID": "x"}):
            run = self.bare([os.path.join(PROGRAMS, "regions_serial"), "nest"], env=env)
            self.assertEqual((run.code, run.out.decode(), run.err.decode()), (0, "", ""))
        self.assertEqual(os.listdir(self.directory), [])

    def test_disabled_regions_leave_nothing(self):
        run = self.run_profiled([os.path.join(PROGRAMS, "regions_disabled"), "nest"], calls=False)
        self.assertEqual(self.load(run).data["regions"], [])
        symbols = subprocess.run(["nm", os.path.join(PROGRAMS, "regions_disabled")], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("scope_", symbols)

    def test_old_standards_take_the_headers(self):
        flags = ["-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Wno-unknown-pragmas", "-Werror", "-fsyntax-only", "-I", INCLUDE]
        for compiler, standard, name in (("cc", "c99", "regions_serial.c"), ("cc", "c11", "regions_plugin.c"), ("cc", "c89", "regions_plugin.c"),
                                         ("c++", "c++98", "regions_plugin.c"),
                                         ("c++", "c++11", "regions_plugin.c"), ("c++", "c++17", "regions_classes.cpp")):
            language = "c" if compiler == "cc" else "c++"
            for more in ([], ["-DSCOPE_DISABLE"]):
                run = self.bare([compiler, f"-std={standard}", "-D_GNU_SOURCE", *flags, *more, "-x", language, os.path.join(SOURCES, name)])
                self.assertEqual(run.code, 0, run)

    def test_static_programs_run_without_regions(self):
        program = self.path("static")
        run = self.bare(["cc", "-static", "-I", INCLUDE, "-D_GNU_SOURCE", os.path.join(SOURCES, "regions_serial.c"), "-o", program])
        self.assertEqual((run.code, run.err.decode()), (0, ""))
        self.assertEqual(self.load(self.run_profiled([program, "nest"], calls=False)).data["regions"], [])


class Classes(Regions):
    def test_exceptions_end_regions(self):
        profile = self.serial("throws", program="regions_classes")
        self.assertEqual(self.counts(profile), {"outer": 1, "outer/inner": 1, "after": 1, "after/guard": 1, "after/guard/begun": 1})
        self.assertTrue(profile.warnings["regions-unclosed"].startswith("1 region was begun and not ended: begun (1)."))
        self.assertNotIn("regions-unmatched", profile.warnings)

    def test_threads_have_trees_of_their_own(self):
        profile = self.serial("threads", program="regions_classes")
        self.assertEqual(self.counts(profile), {"work": 12, "work/part": 24})
        self.assertLessEqual(profile.ranks[0]["threads"], 5)

    def test_openmp(self):
        counts = self.counts(self.serial("openmp", program="regions_classes"))
        if counts.get("main/loop") == 1 and "loop" not in counts:
            self.skipTest("built without OpenMP")
        self.assertEqual(counts, {"main": 1, "main/loop": 1, "loop": 3})

    def test_names_made_at_run_time(self):
        profile = self.serial("dynamic", program="regions_classes")
        self.assertEqual(self.counts(profile), {"level 0": 1, "level 1": 1, "level 2": 1})

    def test_libraries_share_the_tree(self):
        profile = self.serial("library", os.path.join(PROGRAMS, "regions_plugin.so"), program="regions_classes")
        self.assertEqual(self.counts(profile), {"shared": 1, "shared/plugin": 1})


class WithMpi(Regions):
    LEVEL = {"level": (6, 2), "level/level": (4, 2), "level/level/level": (2, 2)}

    @each_mpi
    def test_mpi_calls_inside_regions(self, mpi):
        profile = self.profile(mpi, 2, "regions")
        self.assertEqual(self.counts(profile), {"setup": 2, "solve": 6, "solve/exchange": 6, "level": 2, "level/level": 2,
                                                "level/level/level": 2, "finish": 2})
        self.assertEqual(self.mpi_calls(profile), {"setup": (2, 2), "solve": (18, 6), "solve/exchange": (12, 12), "finish": (2, 2), **self.LEVEL})
        rows = self.rows(profile)
        self.assertEqual(rows["solve"]["per_rank"]["mpi_calls"], [9, 9])
        inside = profile.call("MPI_Init").total_ns
        self.assertLess(abs(rows["setup"]["mpi_ns"] - inside), inside // 100 + 1000)
        self.assertEqual([world["mpi"] for world in profile.worlds], [True])
        self.assertIn("Regions by time", profile.run.err.decode())

    @each_mpi
    def test_without_profiling_of_mpi(self, mpi):
        profile = self.load(self.run_profiled(mpi.command(2, "regions"), calls=False))
        self.assertEqual(self.counts(profile)["solve/exchange"], 6)
        self.assertEqual({row["mpi_calls"] for row in profile.data["regions"]}, {0})
        self.assertEqual([(w["size"], w["mpi"]) for w in profile.worlds], [(2, False)])
        self.assertEqual(profile.data["calls"], [])

    @each_mpi
    def test_a_rank_that_is_killed_keeps_its_regions(self, mpi):
        run = self.run_profiled(mpi.command(2, "regions", "kill"), code=None)
        self.assertNotEqual(run.code, 0)
        profile = self.load(run)
        rank = profile.ranks[1]
        self.assertIn(rank["status"], ("killed", "recovered"))
        rows = self.rows(profile)
        # One solve and one exchange had ended; one of each was open.
        self.assertEqual([rows[path]["per_rank"]["calls"][1] for path in ("setup", "solve", "solve/exchange")], [1, 2, 2])
        self.assertEqual(rows["solve"]["per_rank"]["mpi_calls"][1], 3)
        self.assertEqual(rows["solve/exchange"]["per_rank"]["mpi_calls"][1], 2)

    @each_mpi
    def test_threads(self, mpi):
        profile = self.profile(mpi, 2, "regions_threads")
        if not profile.data["regions"]:
            self.skipTest(f"{mpi.name} has no MPI_THREAD_MULTIPLE")
        self.assertEqual(self.counts(profile), {"main": 2, "exchange": 16})
        self.assertEqual(self.mpi_calls(profile), {"main": (2, 2), "exchange": (80, 80)})
        self.assertEqual(profile.call("MPI_Barrier").calls, 82)

    @each_mpi
    def test_fortran(self, mpi):
        if not os.path.exists(mpi.program("regions_fortran")):
            self.skipTest(f"{mpi.name} has no Fortran compiler")
        profile = self.profile(mpi, 2, "regions_fortran")
        self.assertEqual(self.counts(profile), {"outer": 4, "outer/inner": 4})
        self.assertEqual(self.mpi_calls(profile), {"outer": (12, 4), "outer/inner": (8, 8)})


class Python(Regions):
    def python(self, *words, ranks=None, calls=True, options=()):
        command = [PYTHON, os.path.join(SOURCES, "regions.py"), *words]
        if ranks:
            command = [harness.MPIS["openmpi"].mpiexec, "-n", str(ranks), *command]
        run = self.run_profiled(command, calls=calls, options=options, env={"PYTHONPATH": INCLUDE})
        return self.load(run)

    def test_without_mpi(self):
        profile = self.python(calls=False)
        self.assertEqual(self.counts(profile), {"main": 1, "main/steps": 3, "main/steps/leaf": 6, "main/named": 1})
        self.assertEqual(os.path.basename(self.rows(profile)["main/steps"]["source"]["file"]), "regions.py")
        self.assertEqual(set(profile.warnings), {"mpi-calls-off"})

    def test_outside_of_a_run(self):
        run = self.bare([PYTHON, os.path.join(SOURCES, "regions.py")], env={"PYTHONPATH": INCLUDE})
        self.assertEqual((run.code, run.out.decode(), run.err.decode()), (0, "", ""))

    def test_with_mpi4py(self):
        if not harness.MPIS["openmpi"].mpiexec or subprocess.run([PYTHON, "-c", "import mpi4py"], capture_output=True, check=False).returncode:
            self.skipTest("mpi4py is not installed")
        profile = self.python("mpi", ranks=2)
        self.assertEqual(self.counts(profile), {"main": 2, "main/exchange": 4})
        self.assertEqual(self.mpi_calls(profile)["main/exchange"], (4, 4))
        self.assertEqual(self.rows(profile)["main"]["per_rank"]["calls"], [1, 1])


    def test_a_program_without_mpi4py_loads_no_mpi(self):
        run = self.run_profiled([PYTHON, os.path.join(SOURCES, "late_import.py")])
        self.assertEqual(run.out.decode(), "before False 332833500\n")
        profile = self.load(run)
        self.assertEqual((profile.ranks, profile.data["calls"]), ([], []))

    def test_one_that_imports_it_late_is_profiled_from_there(self):
        if not harness.MPIS["openmpi"].mpiexec or subprocess.run([PYTHON, "-c", "import mpi4py"], capture_output=True, check=False).returncode:
            self.skipTest("mpi4py is not installed")
        command = [harness.MPIS["openmpi"].mpiexec, "-n", "2", PYTHON, os.path.join(SOURCES, "late_import.py"), "mpi"]
        run = self.run_profiled(command)
        self.assertEqual(sorted(run.out.decode().split("\n")), ["", "after True 2", "after True 2", "before False 332833500", "before False 332833500"])
        self.assert_call(self.load(run), "MPI_Barrier", 2)


class Wrappers(Regions):
    def names(self, profile):
        """Names of the calls inside "all", with the calls of all ranks; "all" itself and its like are left out."""
        rows = self.rows(profile)
        self.assertTrue(all(path.split("/")[0] == "all" for path in rows), sorted(rows))
        return {row["name"]: row["calls"] for path, row in rows.items() if path.startswith("all/")}

    @staticmethod
    def name(operation, kind, nbytes=-1, peer=-1, root=-1, tag=-1, comm=0, request=""):
        text = f"mpi:{operation} kind={kind} bytes={nbytes} peer={peer} root={root} tag={tag} comm={comm}"
        return text + (f" request={request}" if request else "")

    @each_mpi
    def test_names_and_counts(self, mpi):
        p2p, coll = "point-to-point", "collective"
        profile = self.profile(mpi, 2, "regions_wrappers")
        wanted = {self.name("send", p2p, 80, 1, tag=5): 1, self.name("send", p2p, 24, 1, tag=6): 1,
                  self.name("recv", p2p, 80, -1, tag=5): 1, self.name("recv", p2p, 24, 0, tag=6): 1}
        for peer in (0, 1):
            for operation in ("isend", "irecv"):
                wanted[self.name(operation, p2p, 4, peer, tag=7)] = 1
                wanted[self.name("wait", "wait", 4, peer, tag=7, request=operation)] = 1
        wanted.update({self.name("barrier", coll, 0): 2, self.name("bcast", coll, 4, root=1): 2, self.name("bcast", coll, 4, root=0): 2,
                       self.name("allreduce", coll, 4): 2, self.name("reduce", coll, 8, root=0): 2,
                       self.name("barrier", coll, 0, comm=3): 2, self.name("barrier", coll, 0, comm=4): 2})
        self.assertEqual(self.names(profile), wanted)
        # The shim counts each of them once, and the region has its time.
        for call, count in (("MPI_Send", [2, 0]), ("MPI_Recv", [0, 2]), ("MPI_Isend", 1), ("MPI_Irecv", 1), ("MPI_Wait", 2), ("MPI_Barrier", 3),
                            ("MPI_Bcast", 2), ("MPI_Allreduce", 1), ("MPI_Reduce", 1)):
            self.assertEqual(profile.call(call).calls_by_rank, count if isinstance(count, list) else [count] * 2, call)
        for path, row in self.rows(profile).items():
            if path != "all":
                self.assertEqual(row["mpi_calls"], row["calls"], path)
        without = self.load(self.run_profiled(mpi.command(2, "regions_wrappers"), calls=False))
        self.assertEqual(self.names(without), wanted)
        self.assertEqual(without.data["calls"], [])

    @each_mpi
    def test_errors_and_exceptions_end_the_region(self, mpi):
        for how in ("invalid", "throws"):
            profile = self.profile(mpi, 2, "regions_wrappers", how)
            self.assertEqual(self.names(profile), {self.name("send", "point-to-point", 4, 99, tag=0): 2, "behind": 2})
            self.assertNotIn("regions-unclosed", profile.warnings)
            self.assertNotIn("regions-unmatched", profile.warnings)

    @each_mpi
    def test_outside_of_a_run(self, mpi):
        run = self.bare(mpi.command(2, "regions_wrappers"))
        self.assertEqual(run.code, 0, run)


class Tools(Regions):
    @each_mpi("openmpi")
    def test_report_and_check(self, mpi):
        profile = self.profile(mpi, 2, "regions", options=["--repeat", "2"])
        self.assertEqual([repeat["regions"]["path"] for repeat in profile.data["repeats"]], [sorted(self.counts(profile))] * 2)
        run = self.tool("report", self.path("trace.json"), "--by", "region", "--format", "json")
        self.assertIn('"solve/exchange"', run.out.decode())
        for limit, code in ((6, 0), (5, 1)):
            run = self.tool("check", self.path("trace.json"), "--max", f"regions.solve/exchange.calls={limit}")
            self.assertEqual(run.code, code, run)
            self.assertIn("regions.solve/exchange.calls", run.out.decode())


if __name__ == "__main__":
    harness.main()
