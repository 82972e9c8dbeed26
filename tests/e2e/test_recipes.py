"""The recipes of share/ci and the CMake package are run, as their systems would run them."""

import importlib.util
import os
import re
import shutil
import sys
import types
import unittest
import xml.etree.ElementTree as ElementTree

from harness import EndToEnd, MPIS, TOOL, main, read_json

SHARE = os.environ.get("SCOPE_TEST_SHARE", "")
BUILD = os.environ.get("SCOPE_TEST_BUILD", "")


def read(name):
    with open(os.path.join(SHARE, name), encoding="utf-8") as file:
        return file.read()


def github_steps(text):
    """The scripts of `run: |`, by the step's name."""
    steps = re.findall(r"^      - name: (.*)\n        run: \|\n((?:          .*\n)+)", text, re.M)
    return [(name, re.sub(r"^ {10}", "", script, flags=re.M)) for name, script in steps]


def gitlab_script(text):
    """The lines of `script:`."""
    block = re.search(r"^  script:\n((?:    - .*\n)+)", text, re.M).group(1)
    return [line[6:] for line in block.splitlines()]


class Recipes(EndToEnd):
    def setUp(self):
        super().setUp()
        self.mpi = next((m for m in MPIS.values() if m.mpiexec), None)
        if not self.mpi:
            self.skipTest("no MPI is installed")

    def env(self, **more):
        """The tool on PATH, and a Makefile's worth of a project: `make` copies a program to ./sim."""
        return {"PATH": os.path.dirname(TOOL) + os.pathsep + os.environ["PATH"], "RUN": f"{self.mpi.mpiexec} -n 2 ./sim",
                "BUILD": f"cp {self.mpi.program('sendrecv')} sim", **more}

    def bash(self, script, code=0, **env):
        run = self.bare(["bash", "-eo", "pipefail", "-c", script], env=self.env(**env), timeout=240)
        self.assertEqual(run.code, code, f"{script}\n{run}")
        return run

    def test_github(self):
        for name in ("base", "new"):
            os.mkdir(self.path(name))
        steps = github_steps(read("ci/github-actions.yml"))
        self.assertEqual([name for name, _ in steps], ["Build both", "Run both in turn", "Compare"])
        summary = self.path("summary.md")
        for name, script in steps[:2]:
            self.bash(script.replace("--repeat 10", "--repeat 2"))
        profile = read_json(self.path("profiles", "base.json"))
        self.assertEqual(len(profile["repeats"]), 2)
        self.assertEqual(profile["worlds"][0]["size"], 2)
        # Two repetitions of a millisecond: floors and overlaps decide, which nobody can promise under load.
        run = self.bash(steps[2][1].replace("check ", "check --report-only "), GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=summary)
        self.assertIn("::", run.text)
        with open(summary, encoding="utf-8") as file:
            self.assertIn("## ", file.read())
        cases = {c.get("name"): c for c in ElementTree.parse(self.path("gate.xml")).getroot().iter("testcase")}
        self.assertEqual(list(cases["calls"]), [], "the calls are the same")
        # A pull request that makes more calls fails the step.
        shutil.copy(self.mpi.program("p2p_modes"), self.path("new", "sim"))
        self.bash(steps[1][1].replace("--repeat 10", "--repeat 1"))
        self.bash(steps[2][1], code=1)

    def test_gitlab(self):
        script = "\n".join(gitlab_script(read("ci/gitlab-ci.yml"))).replace("--repeat 5", "--repeat 1")
        gate = script.replace("check ", "check --report-only ")
        self.bash(gate, CI_COMMIT_BRANCH="main", CI_DEFAULT_BRANCH="main")
        stored = [n for n in os.listdir(self.path("history")) if n.endswith(".json.gz")]
        self.assertEqual(len(stored), 1)
        self.bash(gate, CI_COMMIT_BRANCH="feature", CI_DEFAULT_BRANCH="main")
        self.assertEqual([n for n in os.listdir(self.path("history")) if n.endswith(".json.gz")], stored, "only the main branch adds")
        with open(self.path("metrics.txt")) as file:
            self.assertRegex(file.read(), r"(?m)^scope_profiler_wall_seconds \d")
        self.assertIsInstance(read_json(self.path("quality.json")), list)
        self.bash(script.replace("$BUILD", f"cp {self.mpi.program('p2p_modes')} sim"), code=1, CI_COMMIT_BRANCH="feature")

    def test_slurm(self):
        script = os.path.join(SHARE, "ci", "slurm.sh")
        os.mkdir(self.path("performance"))
        shutil.copy(self.mpi.program("sendrecv"), self.path("sim"))
        env = self.env(SLURM_JOB_ID="17", REPEAT="1")
        first = self.bare(["bash", script], env=env, timeout=120)
        self.assertEqual((first.code, first.text.splitlines()[-1]), (0, "performance/base.json is made from this run"), first)
        shutil.copy(self.mpi.program("p2p_modes"), self.path("sim"))
        env["SLURM_JOB_ID"] = "18"
        self.assertEqual(self.bare(["bash", script], env=env, timeout=120).code, 1)
        self.assertTrue(os.path.exists(self.path("performance", "18.xml")))

    def test_reframe(self):
        """With a stub of ReFrame: what its class attributes say is run."""
        same = lambda *arguments, **keys: (lambda function: function)
        rfm = types.ModuleType("reframe")
        rfm.simple_test = lambda cls: cls
        rfm.RunOnlyRegressionTest = object
        rfm.run_before = same
        sanity = types.ModuleType("reframe.utility.sanity")
        sanity.assert_found = lambda pattern, text: bool(re.search(pattern, text, re.M))
        sanity.extractsingle = lambda pattern, text, group, kind: kind(re.search(pattern, text, re.M).group(group))
        modules = {"reframe": rfm, "reframe.utility": types.ModuleType("reframe.utility"), "reframe.utility.sanity": sanity}
        rfm.utility, modules["reframe.utility"].sanity = modules["reframe.utility"], sanity
        sys.modules.update(modules)
        self.addCleanup(lambda: [sys.modules.pop(name) for name in modules])
        shutil.copy(self.mpi.program("sendrecv"), self.path("sim"))
        before = os.getcwd()
        os.chdir(self.directory)
        self.addCleanup(os.chdir, before)
        spec = importlib.util.spec_from_file_location("reframe_gate", os.path.join(SHARE, "ci", "reframe_gate.py"))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        test = module.Performance()
        run = test.executable.replace("mpiexec", self.mpi.mpiexec).replace("--repeat 5", "--repeat 1")
        self.bash(run.replace("new.json", "base.json"))
        test.stdout = self.bash("\n".join([run, *test.postrun_cmds]).replace("check ", "check --report-only ")).text
        test.check()
        self.assertTrue(test.sanity_patterns, test.stdout)
        self.assertGreater(test.perf_patterns["wall"], 0)
        shutil.copy(self.mpi.program("p2p_modes"), self.path("sim"))
        test.stdout = self.bash("\n".join(["set +e", run, *test.postrun_cmds])).text
        self.assertNotRegex(test.stdout, r"(?m)^scope-profiler: 0$")

    def test_spack(self):
        """Spack is not in Debian, so the recipe meets stand-ins of the words that it uses: its options exist, and it asks for what the build
        needs, and for no MPI."""
        asked, made = [], types.ModuleType("spack.package")
        record = lambda kind: lambda *arguments, **keys: asked.append((kind, *arguments))
        for kind in ("license", "version", "variant", "depends_on", "conflicts", "resource"):
            setattr(made, kind, record(kind))
        made.join_path = os.path.join
        made.CMakePackage = type("CMakePackage", (), {
            "define": lambda self, name, value: f"-D{name}={value}", "define_from_variant": lambda self, name, variant: f"-D{name}={variant}",
            "stage": types.SimpleNamespace(source_path="/src")})
        sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": made})
        self.addCleanup(lambda: [sys.modules.pop(name) for name in ("spack", "spack.package")])
        spec = importlib.util.spec_from_file_location("package", os.path.join(SHARE, "packaging", "spack", "package.py"))
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self.assertEqual(module.ScopeProfiler().cmake_args(), ["-DSCOPE_TESTS=tests", "-DSCOPE_D3=/src/d3/d3.min.js"])
        with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as file:
            cache = file.read()
        for option in ("SCOPE_TESTS", "SCOPE_D3"):
            self.assertRegex(cache, rf"(?m)^{option}:")
        needed = {re.split("[@+]", words[1])[0] for words in asked if words[0] == "depends_on"}
        self.assertEqual(needed, {"c", "cxx", "cmake", "pkgconfig", "cli11", "nlohmann-json", "rapidjson", "spdlog", "tomlplusplus", "elfutils", "zlib-api", "zstd",
                                  "googletest"})

    @unittest.skipUnless(shutil.which("cmake") and shutil.which("ctest"), "cmake is not on PATH")
    def test_cmake_package(self):
        """From a prefix with a blank, which is then moved."""
        prefix = self.path("a prefix")
        installed = self.bare(["cmake", "--install", BUILD, "--prefix", prefix, "--strip"])
        self.assertEqual(installed.code, 0, installed)
        moved = self.path("moved prefix")
        os.rename(prefix, moved)
        project = self.path("project")
        os.mkdir(project)
        shutil.copy(self.mpi.program("sendrecv"), os.path.join(project, "sim"))
        base = os.path.join(project, "base.json")
        self.run_profiled([self.mpi.mpiexec, "-n", "2", os.path.join(project, "sim")], output="project/base.json", timeout=120)
        with open(os.path.join(project, "CMakeLists.txt"), "w") as file:
            file.write(f"""cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES NONE)
enable_testing()
find_package(scope_profiler 0.1 REQUIRED)
scope_profiler_add_gate(NAME sim.gate COMMAND {self.mpi.mpiexec} -n 2 ${{CMAKE_SOURCE_DIR}}/sim BASE ${{CMAKE_SOURCE_DIR}}/base.json
  REPEAT 1 CHECK_OPTIONS --max wall=100000% --max mpi_time=100000% --max compute_time=100000% ${{OPTIONS}})
""")
        env = self.env(CMAKE_PREFIX_PATH=moved, PATH=os.environ["PATH"])
        configure = ["cmake", "-S", project, "-B", self.path("b")]
        self.assertEqual(self.bare(configure, env=env).code, 0, self.bare(configure, env=env))
        test = ["ctest", "--test-dir", self.path("b"), "--output-on-failure", "-R", "^sim.gate$"]
        run = self.bare(test, env=env, timeout=120)
        self.assertEqual(run.code, 0, run)
        self.assertIn("sim.gate.profile", run.text, "the fixture runs first")
        ElementTree.parse(self.path("b", "sim.gate.xml"))
        shutil.copy(self.mpi.program("p2p_modes"), os.path.join(project, "sim"))
        worse = self.bare(test, env=env, timeout=120)
        self.assertNotEqual(worse.code, 0, worse)
        self.assertIn("calls.MPI_", worse.text)
        with open(os.path.join(project, "CMakeLists.txt"), "a") as file:
            file.write("scope_profiler_add_gate(NAME no.base COMMAND true)\n")
        refused = self.bare(configure, env=env)
        self.assertNotEqual(refused.code, 0)
        self.assertIn("give BASE or BUDGET", refused.errors.replace("\n  ", " "))


if __name__ == "__main__":
    main()
