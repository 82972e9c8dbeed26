"""Programs that bring something of their own: sanitizers, OpenMP, another malloc, another C++ library, another PMPI tool; and those
that a preloaded library can't get into."""

import glob
import os
import shutil
import subprocess
import unittest

from harness import EndToEnd, MPIS, SHIM, SOURCES, TOOL, each_mpi, main

CLANG = shutil.which("clang")


class Building(EndToEnd):
    def build(self, mpi, name, *flags, kind="CC", compiler="", libraries=()):
        wrapper = os.environ.get(f"SCOPE_TEST_{kind}_{mpi.name.upper()}", "") or self.skipTest(f"{mpi.name} has no compiler wrapper")
        env = {f"OMPI_{kind}": compiler, f"MPICH_{kind}": compiler} if compiler else {}
        output = self.path(os.path.splitext(name)[0])
        source = name if os.path.isabs(name) else os.path.join(SOURCES, name)
        run = self.bare([wrapper, "-g", *flags, source, "-o", output, *libraries], env=env, timeout=120)
        self.assertEqual(run.code, 0, run)
        return output

    def check_sendrecv(self, run):
        p = self.load(run)
        self.assert_call(p, "MPI_Sendrecv", 2, 20, 20)
        self.assert_call(p, "MPI_Finalize", 1)
        self.assertEqual(set(p.warnings), set(), run)
        return p


BAD = """#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  volatile char *text = malloc(8);
  int sum, one = 1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  text[8] = 1;
  MPI_Finalize();
  return 0;
}
"""


class AddressSanitizer(Building):
    """gcc's runtime is a library that refuses to come second: that is turned off for it, since the shim does not replace malloc.
    clang's is in the program."""

    def check(self, mpi, compiler):
        program = self.build(mpi, "sendrecv.c", "-fsanitize=address", compiler=compiler)
        env = {"ASAN_OPTIONS": "detect_leaks=0"}  # of the MPI libraries; the user's options hold
        self.check_sendrecv(self.run_profiled(mpi.command(2, program), env=env))
        with open(self.path("bad.c"), "w", encoding="utf-8") as file:
            file.write(BAD)
        bad = self.build(mpi, self.path("bad.c"), "-fsanitize=address", compiler=compiler)
        bare = self.bare(mpi.command(1, bad), env=env)
        run = self.run_profiled(mpi.command(1, bad), env=env, code=None)
        self.assertIn("heap-buffer-overflow", bare.text + bare.errors)
        self.assertIn("heap-buffer-overflow", run.text + run.errors)
        self.assertIn("bad.c:8", run.text + run.errors, "it finds the line")
        self.assertEqual(run.code, bare.code, run)
        p = self.load(run)
        self.assertEqual(p.call("MPI_Allreduce").calls, 1, "what it had done is there")

    @each_mpi
    def test_gcc(self, mpi):
        self.check(mpi, "")

    @each_mpi("mpich")  # what the compiler does differs, not what the MPI does
    @unittest.skipUnless(CLANG, "clang is not installed")
    def test_clang(self, mpi):
        if subprocess.run([CLANG, "-fsanitize=address", "-xc", "-", "-o", self.path("a")], input=b"int main(){}", stderr=subprocess.DEVNULL).returncode:
            self.skipTest("clang has no AddressSanitizer (libclang-rt-14-dev)")
        self.check(mpi, CLANG)

    def test_the_environment_of_others_is_left_alone(self):
        mpi = next((m for m in MPIS.values() if m.mpiexec), None) or self.skipTest("no MPI is installed")
        program = self.build(mpi, "sendrecv.c", "-fsanitize=address")
        show = lambda *words, **env: self.tool("run", "--mpi-calls", "--dry-run", *words, env=env).text
        self.assertNotIn("ASAN_OPTIONS", show("true"))
        self.assertIn("ASAN_OPTIONS=verify_asan_link_order=0 ", show(program))
        self.assertIn("ASAN_OPTIONS=verify_asan_link_order=0:abort_on_error=1 ", show(program, ASAN_OPTIONS="abort_on_error=1"))
        self.assertIn("ASAN_OPTIONS=verify_asan_link_order=1 ", show(program, ASAN_OPTIONS="verify_asan_link_order=1"))
        self.assertNotIn("ASAN_OPTIONS", self.tool("run", "--dry-run", program).text, "nothing is preloaded")


class Threads(EndToEnd):
    @each_mpi
    def test_openmp(self, mpi):
        p = self.profile(mpi, 2, "openmp")
        self.assertEqual(p.run.numbers()["threads"], [3])
        self.assert_call(p, "MPI_Send", 15, 240, 0)
        self.assert_call(p, "MPI_Irecv", 15)
        self.assert_call(p, "MPI_Wait", 15, 0, 240)
        self.assert_call(p, "MPI_Allreduce", 2, 16, 16)
        self.assertEqual([r["threads"] for r in p.ranks], [3, 3])
        self.assertEqual(p.matrix(), {(0, 1): (15, 240), (1, 0): (15, 240)})
        for tag in range(3):
            self.assertEqual(p.total("calls", "MPI_Send", tag=tag), 10)


class OtherMalloc(EndToEnd):
    """The user's LD_PRELOAD stays behind ours and works."""

    def check(self, mpi, name):
        library = next(iter(glob.glob(f"/usr/lib/*/{name}")), None) or self.skipTest(f"{name} is not installed")
        run = self.run_profiled(mpi.command(2, "sendrecv"), env={"LD_PRELOAD": library})
        p = self.load(run)
        self.assert_call(p, "MPI_Sendrecv", 2, 20, 20)
        maps = self.run_profiled(["cat", "/proc/self/maps"], env={"LD_PRELOAD": library}).text
        self.assertIn(os.path.realpath(library), maps)
        self.assertIn(os.path.basename(SHIM), maps)

    @each_mpi
    def test_jemalloc(self, mpi):
        self.check(mpi, "libjemalloc.so.2")

    @each_mpi("mpich")
    def test_tcmalloc(self, mpi):
        self.check(mpi, "libtcmalloc_minimal.so.4")


class OtherCppLibrary(Building):
    """A prefix like conda's, with a C++ library of its own."""

    def prefix(self):
        os.mkdir(self.path("lib"))
        for name in ("libstdc++.so.6", "libgcc_s.so.1"):
            found = subprocess.run(["g++", f"-print-file-name={name}"], check=True, capture_output=True, text=True).stdout.strip()
            shutil.copy(os.path.realpath(found), self.path("lib", name))
        return self.path("lib")

    @each_mpi
    def test_program_with_its_own(self, mpi):
        prefix = self.prefix()
        program = self.build(mpi, "throws.cpp", f"-Wl,-rpath,{prefix}", "-std=c++20", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", kind="CXX")
        self.assertIn(os.path.join(prefix, "libstdc++.so.6"), self.bare(["ldd", program]).text)
        p = self.load(self.run_profiled(mpi.command(1, program)))
        self.assert_call(p, "MPI_Barrier", 10)  # after exceptions that passed through our frames, unwound by the prefix's libgcc_s

    @each_mpi("mpich")
    def test_one_that_the_tool_could_not_use(self, mpi):
        """Compiler modules put theirs into LD_LIBRARY_PATH; this one has none of the symbols that our compiler's has."""
        os.mkdir(self.path("old"))
        made = self.bare(["cc", "-shared", "-xc", "/dev/null", "-Wl,-soname,libstdc++.so.6", "-o", self.path("old", "libstdc++.so.6")])
        self.assertEqual(made.code, 0, made)
        program = self.build(mpi, "sendrecv.c")
        run = self.run_profiled(mpi.command(2, program), env={"LD_LIBRARY_PATH": self.path("old")}, code=None)
        bare = self.bare(mpi.command(2, program), env={"LD_LIBRARY_PATH": self.path("old")})
        self.assertEqual(run.code, bare.code, run)
        if bare.code == 0:  # else the launcher itself is in C++
            self.check_sendrecv(run)
        serial = self.run_profiled(["true"], env={"LD_LIBRARY_PATH": self.path("old")})
        self.assertNotIn("GLIBCXX", serial.errors)

    def test_the_tool_needs_none(self):
        needed = self.bare(["objdump", "-p", TOOL])
        if needed.code or "asan" in needed.text:
            self.skipTest("no objdump, or a build with sanitizers")
        for library in ("libstdc++", "libgcc_s", "libspdlog", "libfmt", "libmpi"):
            self.assertNotIn(library, needed.text)


class SecondTool(EndToEnd):
    """Another PMPI tool, before and behind the shim: each call is counted once by both."""

    def check(self, mpi, order):
        preload = ":".join({"shim": SHIM, "tool": mpi.program("pmpi_tool") + ".so"}[word] for word in order)
        option = ["-x", f"LD_PRELOAD={preload}"] if mpi.name == "openmpi" else ["-genv", "LD_PRELOAD", preload]
        run = self.run_profiled([mpi.mpiexec, *option, "-n", "2", mpi.program("probes")])
        said = sorted(line for line in run.errors.splitlines() if line.startswith("tool: "))
        self.assertEqual(said, ["tool: rank 0 sent 5", "tool: rank 1 sent 0"], run)
        p = self.load(run)
        self.assert_call(p, "MPI_Send", [5, 0], [150, 0])
        self.assert_call(p, "MPI_Finalize", 1)

    @each_mpi
    def test_behind_the_shim(self, mpi):
        self.check(mpi, ("shim", "tool"))

    @each_mpi
    def test_before_the_shim(self, mpi):
        self.check(mpi, ("tool", "shim"))


class OutOfReach(Building):
    """Said in words, and the program runs as it would."""

    HELLO = "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 3; }\n"

    def hello(self, compiler, *flags):
        with open(self.path("hello.c"), "w", encoding="utf-8") as file:
            file.write(self.HELLO)
        made = self.bare([compiler, *flags, self.path("hello.c"), "-o", self.path("hello")])
        self.assertEqual(made.code, 0, made)
        return self.path("hello")

    def check_named(self, run, reason):
        self.assertEqual((run.text, run.code), ("hello\n", 3), run)
        warning = self.load(run).warnings["no-ranks-reported"]
        self.assertTrue(warning.startswith(f"No rank reported: '{self.path('hello')}' is {reason}"), warning)
        self.assertIn("statically linked" if "static" in reason else "set-user-ID", " ".join(run.errors.split()))

    def test_static(self):
        for flags in (["-static"], ["-static-pie"]):
            self.check_named(self.run_profiled([self.hello("gcc", *flags)], code=None), "statically linked, and the shim can't get into it.")

    def test_static_under_a_launcher(self):
        mpi = next((m for m in MPIS.values() if m.mpiexec), None) or self.skipTest("no MPI is installed")
        run = self.run_profiled(mpi.command(2, self.hello("gcc", "-static")), code=None)
        self.assertEqual(run.text, "hello\nhello\n", run)
        self.assertIn("statically linked", self.load(run).warnings["no-ranks-reported"])

    def test_set_user_id(self):
        program = self.hello("gcc")
        os.chmod(program, 0o4755)
        self.check_named(self.run_profiled([program], code=None), "set-user-ID or set-group-ID: ld.so preloads nothing into it.")

    @unittest.skipUnless(shutil.which("musl-gcc"), "musl-tools is not installed")
    def test_musl(self):
        program = self.hello("musl-gcc")
        for words in ([program], ["env", program]):
            run = self.run_profiled(words, code=125)
            self.assertEqual(run.text, "")
            self.assertIn(f"'{program}' is built for the C library musl (its loader is /lib/ld-musl-", run.errors)
            self.assertIn("without --mpi-calls", run.errors)
        bare = self.bare([program])
        run = self.run_profiled([program], calls=False, code=None)
        self.assertEqual((run.text, run.code), (bare.text, bare.code), run)


if __name__ == "__main__":
    main()
