"""Runs scope-profiler on the test programs and looks at the profile it wrote.

CTest gives the surroundings: SCOPE_TEST_TOOL, SCOPE_TEST_SHIM, SCOPE_TEST_PROGRAMS, and SCOPE_TEST_MPIEXEC_OPENMPI and
SCOPE_TEST_MPIEXEC_MPICH, which are empty where that MPI is not installed. Every run happens in a directory of its own; every
process of a run carries a token in its environment, so that leftovers are found wherever they went, and only they are killed.
Every profile that a test loads is checked for conservation first (conservation.py).
"""

import atexit
import functools
import gzip
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import uuid

from conservation import violations

TOOL = os.environ.get("SCOPE_TEST_TOOL", "scope-profiler")
SHIM = os.environ.get("SCOPE_TEST_SHIM", "")
PROGRAMS = os.environ.get("SCOPE_TEST_PROGRAMS", ".")
SOURCES = os.environ.get("SCOPE_TEST_SOURCES", "")
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else "python3"  # Debian's mpi4py belongs to it
TOKEN = "SCOPE_TEST_TOKEN"
NONE = -1


class Mpi:
    """An installed MPI: its launcher, and the programs that were built with it."""

    def __init__(self, name, mpiexec):
        self.name, self.mpiexec = name, mpiexec

    def program(self, name):
        return os.path.join(PROGRAMS, f"{name}.{self.name}")

    def command(self, ranks, program, *arguments):
        path = program if os.path.isabs(program) else self.program(program)
        return [self.mpiexec, "-n", str(ranks), path, *map(str, arguments)]


MPIS = {name: Mpi(name, os.environ.get(f"SCOPE_TEST_MPIEXEC_{name.upper()}", "")) for name in ("openmpi", "mpich")}


def each_mpi(*names):
    """Marks a test that takes an Mpi: it becomes test_x_openmpi and test_x_mpich (or only those that `names` lists)."""
    def mark(function, chosen=None):
        function.mpis = chosen or list(MPIS)
        return function
    if names and callable(names[0]):
        return mark(names[0])
    return lambda function: mark(function, list(names))


def _for_mpi(function, mpi):
    @functools.wraps(function)
    def test(self):
        if not mpi.mpiexec:
            self.skipTest(f"{mpi.name} is not installed")
        return function(self, mpi)
    return test


class Row:
    """A calls[] entry; zero everywhere where the profile has none."""

    def __init__(self, name, data, ranks):
        self.name = name
        self.data = data or {}
        for key in ("calls", "errors", "total_ns", "bytes_sent", "bytes_received"):
            setattr(self, key, self.data.get(key, 0))
        per_rank = self.data.get("per_rank", {})
        for key in ("calls", "total_ns", "bytes_sent", "bytes_received"):
            setattr(self, key + "_by_rank", per_rank.get(key, [0] * ranks))


class Profile:
    def __init__(self, data):
        self.data = data
        self.ranks, self.worlds, self.totals = data["ranks"], data["worlds"], data["totals"]
        self.warnings = {w["id"]: w["text"] for w in data["warnings"]}

    def call(self, name):
        rows = [row for row in self.data["calls"] if row["name"] == name]
        assert len(rows) <= 1, f"{name} has {len(rows)} rows"
        return Row(name, rows[0] if rows else None, len(self.ranks))

    def names(self):
        return {row["name"] for row in self.data["calls"]}

    def signatures(self, call=None, rank=None, **keys):
        """Rows whose keys (peer=, tag=, bytes=, request=, comm=, root=, world=) all have the given value."""
        return [s for s in self.data["signatures"]
                if (call is None or s["call"] == call) and (rank is None or rank in s["ranks"])
                and all(s[key] == value for key, value in keys.items())]

    def total(self, what, *arguments, **keys):
        return sum(s[what] for s in self.signatures(*arguments, **keys))

    def matrix(self, layer="p2p", world=0):
        """(src, dst) -> (messages, bytes)."""
        table = self.data["peers"][layer]
        worlds = table.get("world", [0] * len(table["src"]))
        return {(s, d): (m, b) for w, s, d, m, b in zip(worlds, table["src"], table["dst"], table["messages"], table["bytes"])
                if w == world}


class Run:
    """What came out of one run of the tool or of a bare program."""

    def __init__(self, code, out, err, directory, command):
        self.code, self.out, self.err, self.directory, self.command = code, out, err, directory, command
        self.text = out.decode(errors="replace")
        self.errors = err.decode(errors="replace")

    def lines(self):
        return sorted(self.text.splitlines())

    def numbers(self):
        """"word number ..." lines of a program's output."""
        return {line.split()[0]: [int(n) for n in line.split()[1:]] for line in self.text.splitlines() if line.split()[1:]}

    def __str__(self):
        return f"{' '.join(self.command)}\nexit code {self.code}\n--- stdout\n{self.text}\n--- stderr\n{self.errors}"


def read_json(path):
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return json.loads(data.decode("utf-8"))


# Open MPI's jobs of one user share a session directory below /tmp, and one that ends while another starts may take it away from it,
# or both make it at once. So every test has its own, below this one; its path is short because sockets lie in it.
SESSIONS = tempfile.mkdtemp(prefix="scope-ompi-")
atexit.register(shutil.rmtree, SESSIONS, ignore_errors=True)


def environment(token, extra=None):
    sessions = os.path.join(SESSIONS, token[:8])
    os.makedirs(sessions, exist_ok=True)
    env = {k: v for k, v in os.environ.items()
           if not k.startswith(("SCOPE_", "OMPI_", "PMIX_", "PMI_", "LD_PRELOAD", "NO_COLOR", "CLICOLOR"))}
    env.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
               OMPI_MCA_btl_base_warn_component_unused="0", OMPI_MCA_orte_tmpdir_base=sessions, PYTHONDONTWRITEBYTECODE="1")
    env[TOKEN] = token
    env.update(extra or {})
    return {k: v for k, v in env.items() if v is not None}


def processes_with(token):
    """Processes of this user that carry the token, by pid: (name, state)."""
    wanted = f"{TOKEN}={token}".encode()
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if wanted not in file.read().split(b"\0"):
                    continue
            with open(f"/proc/{pid}/stat", "rb") as file:
                name, _, rest = file.read().decode(errors="replace").rpartition(")")
        except OSError:
            continue  # gone, or not ours
        if rest.split()[0] != "Z":
            found[int(pid)] = name.partition("(")[2]
    return found


def kill_all(token):
    for pid in processes_with(token):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


class EndToEnd(unittest.TestCase):
    maxDiff = None

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        for name, function in list(vars(cls).items()):
            for mpi in getattr(function, "mpis", ()):
                setattr(cls, f"{name}_{mpi}", _for_mpi(function, MPIS[mpi]))
            if hasattr(function, "mpis"):
                delattr(cls, name)

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="scope-e2e-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.token = uuid.uuid4().hex
        self.addCleanup(kill_all, self.token)

    def path(self, *names):
        return os.path.join(self.directory, *names)

    # -- running

    def start(self, command, env=None, cwd=None, stdin=subprocess.DEVNULL, **options):
        return subprocess.Popen(command, cwd=cwd or self.directory, env=environment(self.token, env), stdin=stdin,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, **options)

    def finish(self, process, command, timeout=60, stdin=None):
        try:
            out, err = process.communicate(stdin, timeout)
        except subprocess.TimeoutExpired:
            kill_all(self.token)
            out, err = process.communicate()
            self.fail(f"no end after {timeout} s\n{Run(process.returncode, out, err, self.directory, command)}")
        run = Run(process.returncode, out, err, self.directory, command)
        deadline = time.monotonic() + 5  # Open MPI's daemons may take a moment after mpiexec itself
        while processes_with(self.token) and time.monotonic() < deadline:
            time.sleep(0.05)
        left = processes_with(self.token)
        if left:
            kill_all(self.token)
            self.fail(f"processes left behind: {left}\n{run}")
        return run

    def bare(self, command, env=None, cwd=None, stdin=None, timeout=60):
        pipe = subprocess.DEVNULL if stdin is None else subprocess.PIPE
        return self.finish(self.start(command, env, cwd, pipe), command, timeout, stdin)

    def tool(self, *arguments, **options):
        return self.bare([TOOL, *map(str, arguments)], **options)

    def run_profiled(self, command, options=(), output="trace.json", code=0, calls=True, **more):
        """`scope-profiler run --mpi-calls -o <directory>/trace.json COMMAND`; a code of None accepts any."""
        flags = ["--mpi-calls"] if calls else []
        before = set(os.listdir(self.directory))
        run = self.tool("run", *flags, "-o", self.path(output), *options, *command, **more)
        if code is not None:
            self.assertEqual(run.code, code, run)
        run.added = set(os.listdir(self.directory)) - before
        return run

    def load(self, run, output="trace.json"):
        """The profile that a run wrote: conserved, and nothing of the run left beside it."""
        path = self.path(output)
        self.assertTrue(os.path.exists(path), f"no profile was written\n{run}")
        data = read_json(path)
        self.assertEqual((data["format"], data["format_version"]), ("scope-profiler-summary", 1))
        self.assertEqual(violations(data), [], f"not conserved\n{run}")
        left = [n for n in os.listdir(self.directory) if n.startswith((".scope", "scope-profiler"))]
        self.assertEqual(left, [], "the run directory was not removed")
        return Profile(data)

    def profile(self, mpi, ranks, program, *arguments, **options):
        """Runs a test program under the tool and loads the profile; .run is what it printed. All ranks must have reported."""
        run = self.run_profiled(mpi.command(ranks, program, *arguments), **options)
        profile = self.load(run, options.get("output", "trace.json"))
        profile.run = run
        if options.get("code", 0) == 0 and len(profile.worlds) == 1:
            world = profile.worlds[0]
            found = (world["size"], world["ranks_reported"], world["missing"], world["complete"])
            self.assertEqual(found, (ranks, ranks, [], True), f"world: size, reported, missing, complete\n{run}")
            self.assertEqual([r["rank"] for r in profile.ranks], list(range(ranks)))
        return profile

    # -- asserting

    def assert_call(self, profile, name, calls, sent=0, received=0, errors=0):
        """Calls and bytes by rank. A single number holds for every rank."""
        row, ranks = profile.call(name), len(profile.ranks)
        spread = lambda value: list(value) if isinstance(value, (list, tuple)) else [value] * ranks
        found = (row.calls_by_rank, row.bytes_sent_by_rank, row.bytes_received_by_rank, row.errors)
        self.assertEqual(found, (spread(calls), spread(sent), spread(received), errors),
                         f"{name}: calls, sent, received by rank, errors")

    def assert_signature(self, profile, call, rank=None, sent=0, received=0, calls=1, completions=None, **keys):
        """Exactly one signature row has these keys, and it counts this."""
        rows = profile.signatures(call, rank, **keys)
        shown = [{k: s.get(k) for k in ("call", "request", "comm", "peer", "root", "tag", "bytes", "calls", "ranks")}
                 for s in profile.signatures(call)]
        self.assertEqual(len(rows), 1, f"{call} {keys} of rank {rank}; there are {shown}")
        found = tuple(rows[0][key] for key in ("calls", "bytes_sent", "bytes_received"))
        self.assertEqual(found, (calls, sent, received), f"{call} {keys}: calls, sent, received")
        if completions is not None:
            self.assertEqual(rows[0]["completions"], completions, f"{call} {keys}")


def main():
    """Entry of every test file. When all was skipped, CTest is told so by the first word."""
    program = unittest.main(verbosity=2, exit=False)
    result = program.result
    if result.testsRun and len(result.skipped) == result.testsRun:
        print("SKIP: " + "; ".join(sorted({reason for _, reason in result.skipped})), flush=True)
    raise SystemExit(not result.wasSuccessful())
