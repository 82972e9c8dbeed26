"""`cmake --install` and `cpack`: what is installed, that it runs from anywhere, and what can be built with it. From the build tree that
is there, nothing is built twice."""

import atexit
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from harness import EndToEnd, MPIS, SOURCES, each_mpi, main

BUILD = os.environ.get("SCOPE_TEST_BUILD", "")
COMMANDS = ["run", "report", "check", "export", "merge", "watch", "doctor"]
PREFIX_NAME = "an Übersicht prefix"  # a blank and a letter that is not ASCII
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[^)]*)?\)")


def needs(*programs):
    missing = [p for p in programs if not shutil.which(p)]
    return unittest.skipIf(missing, f"{', '.join(missing)} is not installed")


def mpi_there():
    return next((m for m in MPIS.values() if m.mpiexec), None)


@functools.cache
def installation():
    """One for all tests, moved after it was made."""
    place = tempfile.mkdtemp(prefix="scope-install-")
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    first = os.path.join(place, "first")
    subprocess.run(["cmake", "--install", BUILD, "--prefix", first, "--strip"], check=True, stdout=subprocess.DEVNULL)
    os.rename(first, os.path.join(place, PREFIX_NAME))
    return os.path.join(place, PREFIX_NAME)


@unittest.skipUnless(shutil.which("cmake"), "cmake is not on PATH")
class Installed(EndToEnd):
    def setUp(self):
        super().setUp()
        self.prefix = installation()
        self.place = os.path.dirname(self.prefix)
        self.tool_path = os.path.join(self.prefix, "bin", "scope-profiler")

    def check_run(self, tool, mpi, env=None):
        run = self.bare([tool, "run", "--mpi-calls", "-o", self.path("trace.json"), *mpi.command(2, "sendrecv")], env=env)
        self.assertEqual(run.code, 0, run)
        p = self.load(run)
        self.assert_call(p, "MPI_Sendrecv", 2, 20, 20)
        self.assertEqual(p.worlds[0]["complete"], True)


class Prefix(Installed):
    def test_files(self):
        there = lambda *names: self.assertTrue(os.path.exists(os.path.join(self.prefix, *names)), names)
        for page in ["scope-profiler", *(f"scope-profiler-{command}" for command in COMMANDS)]:
            there("share", "man", "man1", page + ".1")
        for name in ("bash-completion/completions/scope-profiler", "zsh/site-functions/_scope-profiler",
                     "fish/vendor_completions.d/scope-profiler.fish", "doc/scope-profiler/README.md", "doc/scope-profiler/CHANGELOG.md",
                     "doc/scope-profiler/LICENSE", "scope-profiler/schema/summary.schema.json", "scope-profiler/spack/package.py"):
            there("share", *name.split("/"))

    def test_nothing_names_where_it_was_built(self):
        """Texts and what the loader reads; debug information is stripped."""
        for folder, _, names in os.walk(self.prefix):
            for name in names:
                with open(os.path.join(folder, name), "rb") as file:
                    text = file.read()
                for place in (BUILD, os.path.dirname(os.path.dirname(SOURCES)), os.path.join(self.place, "first")):
                    self.assertNotIn(place.encode(), text, os.path.join(folder, name))

    def test_links_of_documents(self):
        checked = 0
        for folder, _, names in os.walk(os.path.join(self.prefix, "share")):
            for name in filter(lambda n: n.endswith(".md"), names):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    for target in LINK.findall(file.read()):
                        if "://" not in target:
                            checked += 1
                            self.assertTrue(os.path.exists(os.path.join(folder, target)), f"{name}: {target}")
        self.assertGreater(checked, 20)

    @each_mpi
    def test_runs_where_it_was_moved_to(self, mpi):
        self.check_run(self.tool_path, mpi)

    def test_runs_through_links_and_PATH(self):
        mpi = mpi_there() or self.skipTest("no MPI is installed")
        os.symlink(self.tool_path, self.path("first"))
        os.symlink("first", self.path("scope"))
        self.check_run(self.path("scope"), mpi)
        self.check_run("scope-profiler", mpi, {"PATH": os.path.dirname(self.tool_path) + os.pathsep + os.environ["PATH"]})

    def test_version(self):
        run = self.bare([self.tool_path, "--version"])
        self.assertRegex(run.text, r"\Ascope-profiler \d+\.\d+\.\d+\n\Z")
        number = run.text.split()[1]
        with open(os.path.join(self.prefix, "share", "doc", "scope-profiler", "CHANGELOG.md"), encoding="utf-8") as file:
            self.assertEqual(re.search(r"^## (\S+)", file.read(), re.M).group(1), number, "the newest entry of the changelog")
        for page in os.listdir(os.path.join(self.prefix, "share", "man", "man1")):
            with open(os.path.join(self.prefix, "share", "man", "man1", page), encoding="utf-8") as file:
                self.assertIn(f'"scope-profiler {number}"', file.readline(), page)
        verbose = self.bare([self.tool_path, "--version", "-v"])
        lines = verbose.text.splitlines()
        self.assertEqual(lines[0], run.text.strip())
        self.assertIn("shim: " + os.path.join(self.prefix, "lib", "scope-profiler", "libscope-profiler-mpi.so"), lines)
        for format_ in ("scope-profiler-summary", "scope-profiler-rank", "live block", "scope-profiler-profile"):
            self.assertRegex(verbose.text, rf"(?m)^  {format_} \d+$")
        for mpi in MPIS.values():
            if mpi.mpiexec:
                self.assertRegex(verbose.text, rf"(?m)^  .*: {'openmpi' if mpi.name == 'openmpi' else 'hydra'} \d")

    @needs("modulecmd")
    def test_module_file(self):
        script = """eval "$(modulecmd sh use "$1")"; eval "$(modulecmd sh load scope-profiler)"
                    command -v scope-profiler; scope-profiler --version; printf '%s\\n' "$CMAKE_PREFIX_PATH" "$PKG_CONFIG_PATH" "$PYTHONPATH"
                    eval "$(modulecmd sh unload scope-profiler)"; command -v scope-profiler || echo unloaded"""
        env = {"CMAKE_PREFIX_PATH": None, "PKG_CONFIG_PATH": None, "PYTHONPATH": None}
        run = self.bare(["bash", "-c", script, "bash", os.path.join(self.prefix, "share", "modulefiles")], env=env)
        lines = run.text.splitlines()
        self.assertEqual([lines[0], *lines[2:]], [self.tool_path, self.prefix, os.path.join(self.prefix, "share", "pkgconfig"),
                                                   os.path.join(self.prefix, "share", "scope-profiler", "python"), "unloaded"], run)
        self.assertTrue(lines[1].startswith("scope-profiler "), run)

    def test_bash_completion_is_where_bash_looks(self):
        """bash-completion loads DATADIR/bash-completion/completions/COMMAND and expects that it registers COMMAND."""
        file = os.path.join(self.prefix, "share", "bash-completion", "completions", "scope-profiler")
        script = 'source "$1"; complete -p scope-profiler; COMP_WORDS=(scope-profiler wa); COMP_CWORD=1; _scope_profiler; echo "${COMPREPLY[@]}"'
        run = self.bare(["bash", "-c", script, "bash", file])
        self.assertEqual(run.text.split(), ["complete", *run.text.split()[1:-1], "watch"], run)
        self.assertIn("scope-profiler", run.text.splitlines()[0])

    @needs("man")
    def test_man_finds_the_pages(self):
        """From PATH, as man-db derives it. Nothing is wrong with their macros."""
        env = {"PATH": os.path.dirname(self.tool_path) + os.pathsep + os.environ["PATH"], "MANPATH": None, "LC_ALL": "C.UTF-8"}
        for page in ["scope-profiler", *(f"scope-profiler-{command}" for command in COMMANDS)]:
            run = self.bare(["man", "--warnings=w", "-P", "cat", page], env=env)
            self.assertEqual((run.code, run.errors), (0, ""), run)
            self.assertIn(page.upper() + "(1)", run.text)


class Consumers(Installed):
    """Programs of others that are built against an installation, and profiled by it."""

    REGIONS = {"setup": 1, "solve": 3, "solve/exchange": 3, "level": 1, "level/level": 1, "level/level/level": 1, "finish": 1}

    def compiler(self, mpi, kind):
        path = os.environ.get(f"SCOPE_TEST_{kind}_{mpi.name.upper()}", "")
        return path or self.skipTest(f"{mpi.name} has no compiler wrapper {kind}")

    def check_regions(self, mpi, program, expected):
        """Calls a rank of each region."""
        command = [self.tool_path, "run", "--mpi-calls", "-o", self.path("trace.json"), mpi.mpiexec, "-n", "2", program]
        run = self.bare(command)
        self.assertEqual(run.code, 0, run)
        p = self.load(run)
        self.assertEqual({r["path"]: r["per_rank"]["calls"] for r in p.data["regions"]}, {path: [n, n] for path, n in expected.items()})
        return p

    def flags(self, *words):
        """What a Makefile's shell makes of pkg-config's answer."""
        env = {"PKG_CONFIG_PATH": os.path.join(self.prefix, "share", "pkgconfig")}
        run = self.bare(["sh", "-c", 'eval "set -- $(pkg-config "$@")"; printf "%s\\n" "$@"', "sh", *words], env=env)
        self.assertEqual(run.code, 0, run)
        return run.text.splitlines()

    def build(self, *command):
        run = self.bare([*command], timeout=120)
        self.assertEqual(run.code, 0, run)

    @each_mpi
    @needs("pkg-config")
    def test_pkg_config(self, mpi):
        self.assertEqual(self.flags("--modversion", "scope-profiler"), self.flags("--modversion", "scope-profiler-mpi"))
        flags = self.flags("--cflags", "--libs", "scope-profiler")
        self.assertIn("-ldl", flags)
        self.build(self.compiler(mpi, "CC"), "-std=gnu11", "-Wall", "-Werror", os.path.join(SOURCES, "regions.c"), *flags, "-o", self.path("sim"))
        p = self.check_regions(mpi, self.path("sim"), self.REGIONS)
        self.assertEqual({r["path"]: r["mpi_calls"] for r in p.data["regions"] if r["name"] == "exchange"}, {"solve/exchange": 12})
        self.build(self.compiler(mpi, "CXX"), "-std=c++17", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", os.path.join(SOURCES, "regions_wrappers.cpp"),
                   *self.flags("--cflags", "--libs", "scope-profiler-mpi"), "-o", self.path("wrappers"))
        run = self.bare([self.tool_path, "run", "--mpi-calls", "-o", self.path("w.json"), mpi.mpiexec, "-n", "2", self.path("wrappers")])
        self.assertEqual(run.code, 0, run)
        names = {r["name"].split(" ")[0] for r in self.load(run, "w.json").data["regions"]}
        self.assertLessEqual({"all", "mpi:send", "mpi:irecv", "mpi:wait"}, names)

    @needs("pkg-config")
    def test_fortran(self):
        mpi = mpi_there() or self.skipTest("no MPI is installed")
        source, = self.flags("--variable=fortran_source", "scope-profiler")
        source = source if os.path.exists(source) else source.replace("\\ ", " ")
        self.build(self.compiler(mpi, "FC"), "-J", self.directory, source, os.path.join(SOURCES, "regions_fortran.f90"), "-o", self.path("sim"))
        self.check_regions(mpi, self.path("sim"), {"outer": 2, "outer/inner": 2})

    def test_python(self):
        """The module needs nothing but its folder, which the module file puts into PYTHONPATH."""
        script = "from scope_profiler_native import region\nfor i in range(3):\n  with region('step'):\n    pass\n"
        folder = os.path.join(self.prefix, "share", "scope-profiler", "python")
        command = [self.tool_path, "run", "-o", self.path("trace.json"), sys.executable, "-c", script]
        run = self.bare(command, env={"PYTHONPATH": folder})
        self.assertEqual(run.code, 0, run)
        self.assertEqual({r["path"]: r["calls"] for r in self.load(run).data["regions"]}, {"step": 3})

    @needs("cmake")
    def test_cmake(self):
        mpi = mpi_there() or self.skipTest("no MPI is installed")
        os.mkdir(self.path("project"))
        for name in ("regions.c", "regions_wrappers.cpp", "regions_fortran.f90"):
            shutil.copy(os.path.join(SOURCES, name), self.path("project"))
        with open(self.path("project", "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write("""cmake_minimum_required(VERSION 3.16)
project(consumer LANGUAGES C CXX Fortran)
find_package(scope_profiler 0.1 REQUIRED)
add_executable(c_sim regions.c)
target_link_libraries(c_sim PRIVATE scope_profiler::region)
add_executable(cxx_sim regions_wrappers.cpp)
target_compile_definitions(cxx_sim PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
target_link_libraries(cxx_sim PRIVATE scope_profiler::mpi)
add_executable(fortran_sim regions_fortran.f90)
target_link_libraries(fortran_sim PRIVATE scope_profiler::fortran)
message(STATUS "the tool is ${scope_profiler_EXECUTABLE}")
""")
        env = {"CMAKE_PREFIX_PATH": self.prefix, "CC": self.compiler(mpi, "CC"), "CXX": self.compiler(mpi, "CXX"), "FC": self.compiler(mpi, "FC")}
        configured = self.bare(["cmake", "-S", self.path("project"), "-B", self.path("b")], env=env, timeout=120)
        self.assertEqual(configured.code, 0, configured)
        self.assertIn(f"the tool is {self.tool_path}\n", configured.text)
        built = self.bare(["cmake", "--build", self.path("b")], env=env, timeout=240)
        self.assertEqual(built.code, 0, built)
        self.check_regions(mpi, self.path("b", "c_sim"), self.REGIONS)
        self.check_regions(mpi, self.path("b", "fortran_sim"), {"outer": 2, "outer/inner": 2})
        run = self.bare([mpi.mpiexec, "-n", "2", self.path("b", "cxx_sim")])
        self.assertEqual(run.code, 0, "nothing of the tool is needed to run it\n" + str(run))


class Packages(EndToEnd):
    """cpack packs what is built."""

    def pack(self, generator):
        run = self.bare(["cpack", "-G", generator, "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-B", self.path("packed")], timeout=120)
        self.assertEqual(run.code, 0, run)
        ending = {"DEB": ".deb", "TGZ": ".tar.gz"}[generator]
        found = [n for n in os.listdir(self.path("packed")) if n.endswith(ending)]
        self.assertEqual(len(found), 1, found)
        return self.path("packed", found[0])

    def check_run(self, tool):
        mpi = mpi_there()
        if mpi:
            run = self.bare([tool, "run", "--mpi-calls", "-o", self.path("trace.json"), *mpi.command(2, "sendrecv")])
            self.assertEqual(run.code, 0, run)
            shutil.rmtree(self.path("packed"))
            self.assert_call(self.load(run), "MPI_Sendrecv", 2, 20, 20)
        else:
            self.assertEqual(self.bare([tool, "--version"]).code, 0)

    def check_with_lintian(self, package):
        if not shutil.which("lintian"):
            print("lintian is not installed; ", end="", flush=True)
            return
        run = self.bare(["lintian", "--allow-root", "--fail-on", "error,warning", package], timeout=120)
        self.assertEqual((run.code, run.text), (0, ""), run)

    @needs("cpack", "tar")
    def test_archive(self):
        archive = self.pack("TGZ")
        self.assertRegex(os.path.basename(archive), r"^scope-profiler-\d+\.\d+\.\d+-Linux\.tar\.gz$")
        os.mkdir(self.path("anywhere"))
        self.assertEqual(self.bare(["tar", "xf", archive, "-C", self.path("anywhere")]).code, 0)
        top = os.listdir(self.path("anywhere"))
        self.assertEqual(top, [os.path.basename(archive)[:-len(".tar.gz")]])
        self.check_run(self.path("anywhere", top[0], "bin", "scope-profiler"))

    @needs("cpack", "dpkg", "dpkg-shlibdeps")
    def test_debian_package(self):
        """Into a root where nothing is but what dpkg knows of this system: the dependencies must be among it."""
        package = self.pack("DEB")
        self.check_with_lintian(package)
        field = lambda name: self.bare(["dpkg-deb", "-f", package, name]).text.strip()
        depends = field("Depends")
        self.assertIn("libdw1", depends)
        self.assertNotRegex(depends, r"mpi|mpich|pmix|fabric|ucx")
        self.assertEqual(field("Suggests"), "openmpi-bin | mpich")
        admin = self.path("root", "var", "lib", "dpkg")
        for folder in ("info", "updates", "triggers"):
            os.makedirs(os.path.join(admin, folder))
        shutil.copy("/var/lib/dpkg/status", admin)
        dpkg = [*([] if os.geteuid() == 0 else ["unshare", "-r"]), "dpkg", f"--root={self.path('root')}", f"--log={self.path('log')}"]
        run = self.bare([*dpkg, "-i", package], timeout=120)
        self.assertEqual(run.code, 0, run)
        state = self.bare(["dpkg-query", f"--admindir={admin}", "-W", "-f", "${db:Status-Status}", "scope-profiler"])
        self.assertEqual(state.text, "installed", state)
        self.assertTrue(os.path.exists(self.path("root", "usr", "share", "man", "man1", "scope-profiler-run.1.gz")))
        self.check_run(self.path("root", "usr", "bin", "scope-profiler"))
        removed = self.bare([*dpkg, "-r", "scope-profiler"], timeout=120)
        self.assertEqual(removed.code, 0, removed)
        self.assertFalse(os.path.exists(self.path("root", "usr", "lib", "scope-profiler")))


if __name__ == "__main__":
    main()
