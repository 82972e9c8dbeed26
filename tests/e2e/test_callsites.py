"""run --callsites: every call is attributed to the line that makes it, in C, C++, Fortran and Python. The lines are found by marks
in the sources ("@exchange")."""

import os
import re
import shutil
import subprocess

from harness import PYTHON, SOURCES, EndToEnd, each_mpi, main


def marks(source):
    """Mark -> line, from 1 on."""
    with open(os.path.join(SOURCES, source), encoding="utf-8") as file:
        return {mark: number for number, line in enumerate(file, 1) for mark in re.findall(r"@(\w+)", line)}


def place(frame):
    if not frame["function"] and not frame["file"]:
        return (None, os.path.basename(frame["module"]), frame["offset"])
    return (frame["function"], os.path.basename(frame["file"] or ""), frame["line"])


def rows(profile):
    """(call, function, file, line) of the caller -> (calls, ranks)."""
    found = {}
    for row in profile.data["callsites"]:
        caller = place(row["stack"][0]) if row["stack"] else None
        key = (row["call"], *caller) if caller else (row["call"], None)
        assert key not in found, f"{key} has two rows"
        found[key] = (row["calls"], row["ranks"])
    return found


class CallSites(EndToEnd):
    def sites(self, mpi, program, option="--callsites", ranks=3, **more):
        return self.profile(mpi, ranks, program, options=[option], **more)

    def check(self, profile, source, expected):
        """`expected`: (call, function, mark) -> calls of each of the ranks. Nothing else may be there."""
        lines, ranks = marks(source), [r["rank"] for r in profile.ranks]
        wanted = {(call, function, source, lines[mark]): (calls * len(ranks), ranks)
                  for (call, function, mark), calls in expected.items()}
        self.assertEqual(rows(profile), wanted)
        self.assertEqual([w for w in profile.warnings if w.startswith("callsites")], [])

    @each_mpi
    def test_c(self, mpi):
        p = self.sites(mpi, "callsites")
        self.check(p, "callsites.c", {
            ("MPI_Init", "main", "init"): 1, ("MPI_Comm_rank", "main", "rank"): 1, ("MPI_Comm_size", "main", "size"): 1,
            ("MPI_Sendrecv", "exchange", "exchange"): 10, ("MPI_Barrier", "step", "barrier"): 10,
            ("MPI_Irecv", "ring", "irecv"): 3, ("MPI_Isend", "ring", "isend"): 3, ("MPI_Waitall", "ring", "waitall"): 3,
            ("MPI_Allreduce", "agree", "allreduce"): 1, ("MPI_Finalize", "main", "finalize"): 1})
        by_call = {row["call"]: row for row in p.data["callsites"]}
        self.assertEqual((by_call["MPI_Isend"]["bytes_sent"], by_call["MPI_Waitall"]["bytes_received"],
                          by_call["MPI_Waitall"]["completions"]), (3 * 3 * 400, 3 * 3 * 400, 3 * 3 * 2))
        self.assert_signature(p, "MPI_Barrier", calls=30)  # signatures are not split by site

    @each_mpi
    def test_callers_of_the_caller(self, mpi):
        p = self.sites(mpi, "callsites", "--callsites=3", ranks=2)
        lines = marks("callsites.c")
        at = lambda function, mark: (function, "callsites.c", lines[mark])
        found = {tuple(place(f) for f in row["stack"]): row["calls"] for row in p.data["callsites"] if row["call"] == "MPI_Sendrecv"}
        self.assertEqual(found, {(at("exchange", "exchange"), at("step", "even"), at("main", "step")): 10,
                                 (at("exchange", "exchange"), at("step", "odd"), at("main", "step")): 10})

    @each_mpi
    def test_fortran(self, mpi):
        for binding in ("mpif", "mpi", "f08"):
            with self.subTest(binding):
                source = f"callsites_{binding}.f90"
                p = self.sites(mpi, f"callsites_{binding}", ranks=2)
                # With an explicit interface, gfortran 12 notes the line of the PROGRAM statement for these two.
                program = binding == "f08" or (binding, mpi.name) == ("mpi", "openmpi")
                self.check(p, source, {
                    ("MPI_Init", "callsites", "program" if program else "init"): 1, ("MPI_Comm_rank", "callsites", "rank"): 1,
                    ("MPI_Comm_size", "callsites", "size"): 1, ("MPI_Sendrecv", "exchange", "exchange"): 20,
                    ("MPI_Barrier", "callsites", "barrier"): 20, ("MPI_Irecv", "ring", "irecv"): 24,
                    ("MPI_Isend", "ring", "isend"): 24, ("MPI_Waitall", "ring", "waitall"): 12,
                    ("MPI_Allreduce", "callsites", "allreduce"): 1, ("MPI_Finalize", "callsites", "program" if program else "finalize"): 1})

    @each_mpi
    def test_cpp(self, mpi):
        p = self.sites(mpi, "callsites_classes", ranks=2)
        lines = marks("callsites_classes.cpp")
        found = {key[1:]: value for key, value in rows(p).items() if key[0] in ("MPI_Bcast", "MPI_Barrier")}
        file = "callsites_classes.cpp"
        both = [0, 1]
        self.assertEqual(found, {("solver::Grid::share", file, lines["share"]): (8, both),
                                 ("double solver::Grid::spread<double>", file, lines["spread"]): (4, both),
                                 ("main::{lambda(int)#1}::operator()", file, lines["lambda"]): (6, both)})

    def python_profile(self, mpi, option="--callsites", source="callsites.py"):
        if subprocess.run([PYTHON, "-c", "import mpi4py"], capture_output=True).returncode != 0:
            self.skipTest("mpi4py is not installed")
        command = [mpi.mpiexec, "-n", "2", PYTHON, os.path.join(SOURCES, source)]
        return self.load(self.run_profiled(command, [option]))

    @each_mpi("openmpi")  # Debian's mpi4py is built for it
    def test_python(self, mpi):
        p = self.python_profile(mpi)
        lines = marks("callsites.py")
        found = rows(p)
        here = lambda call, function, mark: found.get((call, function, "callsites.py", lines[mark]))
        both = [0, 1]
        self.assertEqual(here("MPI_Sendrecv", "größe", "sendrecv"), (10, both))
        self.assertEqual(here("MPI_Bcast", "<module>", "bcast"), (16, both))  # length and data
        self.assertEqual(here("MPI_Comm_rank", "<module>", "rank"), (2, both))
        self.assertEqual(here("MPI_Barrier", "in_a_thread", "barrier"), (2, both))
        self.assertIn(("MPI_Bcast", "Solver.agree", "callsites.py", lines["allreduce"]), found)  # as mpi4py does it
        sources = {row["stack"][0]["file"] for row in p.data["callsites"] if row["stack"][0]["python"]}
        self.assertIn(os.path.join(SOURCES, "callsites.py"), sources)

    @each_mpi("openmpi")
    def test_python_callers(self, mpi):
        p = self.python_profile(mpi, "--callsites=2")
        lines = marks("callsites.py")
        found = {tuple(place(f) for f in row["stack"]): row["calls"] for row in p.data["callsites"] if row["call"] == "MPI_Sendrecv"}
        self.assertEqual(found, {(("größe", "callsites.py", lines["sendrecv"]), ("<module>", "callsites.py", lines["call"])): 10})

    @each_mpi
    def test_threads(self, mpi):
        with_sites = self.sites(mpi, "thread_storm", ranks=2)
        without = self.profile(mpi, 2, "thread_storm")
        for name in ("MPI_Isend", "MPI_Irecv", "MPI_Wait", "MPI_Waitall"):
            self.assertEqual(with_sites.call(name).calls_by_rank, without.call(name).calls_by_rank, name)
        storm = [row for row in with_sites.data["callsites"] if row["call"] == "MPI_Isend"]
        self.assertEqual(sum(row["calls"] for row in storm), with_sites.call("MPI_Isend").calls)
        self.assertTrue(all(row["stack"][0]["file"].endswith("thread_storm.c") for row in storm), storm)

    @each_mpi
    def test_not_asked_for(self, mpi):
        p = self.profile(mpi, 2, "callsites")
        self.assertEqual(p.data["callsites"], [])
        run = self.tool("report", "--by", "callsite", self.path("trace.json"))
        self.assertEqual(run.code, 2, run)
        self.assertIn("the profile has no call sites; record them with `scope-profiler run --mpi-calls --callsites`", run.errors)

    @each_mpi("openmpi", "mpich")
    def test_killed(self, mpi):
        """What is recovered from the live block has its call sites."""
        run = self.run_profiled(mpi.command(2, "ends", "segv", "1"), ["--callsites"], code=None)
        p = self.load(run)
        places = {(row["call"], *place(row["stack"][0])[:2]) for row in p.data["callsites"]}
        self.assertIn(("MPI_Init", "main", "ends.c"), places)

    @each_mpi
    def test_the_file_changed(self, mpi):
        """A program that was built anew, removed, or has no debug information gives addresses or functions, and a warning."""
        program, dumps = self.path("program"), self.path("dumps")
        shutil.copy(mpi.program("callsites"), program)
        self.load(self.run_profiled(mpi.command(2, program), ["--callsites", "--keep-dumps", dumps]))
        subprocess.run(["strip", "--strip-debug", program], check=True)
        self.assertEqual(self.tool("merge", dumps, "-o", self.path("stripped.json")).code, 0)
        p = self.load(None, "stripped.json")
        self.assertIn(("MPI_Sendrecv", "exchange", "", None), rows(p))
        self.assertEqual(p.warnings["callsites-without-lines"], f"Call sites in {program} have no lines: build with -g to see them.")
        shutil.copy(mpi.program("callsites_classes"), program)
        self.assertEqual(self.tool("merge", dumps, "-o", self.path("changed.json")).code, 0)
        p = self.load(None, "changed.json")
        self.assertEqual({place(row["stack"][0])[:2] for row in p.data["callsites"]}, {(None, "program")})
        self.assertIn("was built anew since it ran", p.warnings["callsites-changed"])
        os.remove(program)
        self.assertEqual(self.tool("merge", dumps, "-o", self.path("gone.json")).code, 0)
        p = self.load(None, "gone.json")
        self.assertIn("can't be read here", p.warnings["callsites-unreadable"])
        offsets = {row["stack"][0]["offset"] for row in p.data["callsites"]}
        self.assertEqual(len(offsets), 10)  # one a marked line: equal in both ranks, wherever the loader put the program

    @each_mpi
    def test_report(self, mpi):
        self.sites(mpi, "callsites", ranks=2)
        line = marks("callsites.c")["exchange"]
        run = self.tool("report", "--by", "callsite", "--columns", "call,place,calls,ranks", self.path("trace.json"))
        self.assertEqual(run.code, 0, run)
        self.assertRegex(run.text, rf"(?m)^MPI_Sendrecv +exchange \(callsites\.c:{line}\) +20 +2$")
        run = self.tool("report", "--by", "callsite", "--format", "csv", "--include", "Sendrecv", self.path("trace.json"))
        self.assertEqual(len(run.text.splitlines()), 2, run)
        self.assertIn(f"exchange (callsites.c:{line})", run.text)


if __name__ == "__main__":
    main()
