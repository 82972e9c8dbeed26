"""Causes of the kill matrix that need more than a program: Python exceptions (mpi4py), and the kernel's end for want of memory in
a cgroup. Where a cgroup can't be made, row "kill" of the matrix stands for it: that is how the kernel ends a process."""

import os
import uuid

from harness import PYTHON, SOURCES, each_mpi, main
from kill_cell import Cell, Cells
from kill_table import BY_LAUNCHER, cells

PLAIN, AS_MODULE = [], ["-m", "mpi4py"]  # the second one makes an exception that nobody catches an MPI_Abort
ENDED, ABORTED, THROUGH = ("exited", None, None), ("aborted", None, "MPI_Abort"), ("finalized", None, None)
BARRIERS = {"MPI_Init": [1, 1], "MPI_Barrier": [10, 10], "MPI_Finalize": [0, 0]}
TO_THE_END = {**BARRIERS, "MPI_Finalize": [1, 1]}
RECEIVED = {**BARRIERS, "MPI_Send": [1, 1], "MPI_Recv": [0, 1]}
OTHER = "other"  # ended by the launcher, in this call


def other(call):
    return (OTHER, call)


# flags, moment, who, exit code, how ranks 0 and 1 end, calls of ranks 0 and 1
PYTHON_ROWS = [
    (PLAIN, "before", "one", 1, [other("MPI_Init")], {}),
    (PLAIN, "before", "all", 1, [], {}),
    (PLAIN, "compute", "one", 1, [other("MPI_Recv"), ENDED], BARRIERS),
    (PLAIN, "compute", "all", 1, [ENDED, ENDED], BARRIERS),
    (AS_MODULE, "compute", "one", 1, [other("MPI_Recv"), ABORTED], BARRIERS),
    (AS_MODULE, "compute", "all", 1, [ABORTED, ABORTED], BARRIERS),
    (PLAIN, "blocked", "one", 1, [other("MPI_Recv"), ENDED], RECEIVED),
    (AS_MODULE, "blocked", "one", 1, [other("MPI_Recv"), ABORTED], RECEIVED),
    (PLAIN, "blocked", "all", 1, [ENDED, ENDED], {**RECEIVED, "MPI_Recv": [1, 1]}),
    (PLAIN, "finalize", "one", 0, [THROUGH, THROUGH], TO_THE_END),
    (PLAIN, "finalize", "all", 0, [THROUGH, THROUGH], TO_THE_END),
    (PLAIN, "finalized", "one", 1, [THROUGH, THROUGH], TO_THE_END),
    (PLAIN, "finalized", "all", 1, [THROUGH, THROUGH], TO_THE_END),
]
# Not there: "init" (Python runs nothing inside MPI_Init). An exception in one rank alone, in a program that leaves MPI_Init and
# MPI_Finalize to mpi4py, hangs in MPI_Finalize with and without the tool: test_stall_causes.py has it.


class PythonCell(Cell):
    def python(self, mpi, flags, *words):
        command = self.command(mpi, *words)  # the notes are new
        return [*command[:3], PYTHON, *flags, os.path.join(SOURCES, "kill_matrix.py"), *words, command[-1]]

    def check(self, mpi, flags, moment, who, code, ends, calls):
        env = {"OMPI_MCA_odls_base_sigkill_timeout": "0"} if flags == PLAIN else {}
        bare = self.bare(self.python(mpi, flags, moment, who), env=env)
        self.assertEqual(bare.code, code, bare)
        run = self.run_profiled(self.python(mpi, flags, moment, who), env=env, code=code)
        self.assertLessEqual(run.added, {"notes", "trace.json"}, run)
        p = self.load(run)
        if not ends and p.ranks:  # a call before MPI_Init makes no rank; but the launcher may be quicker than the second one's own end
            ends = [other(None)]
        self.assertEqual(len(p.ranks), len(ends), p.ranks)
        for rank, end in zip(p.ranks, ends):
            self.check_end(mpi, rank, end, who)
        for name, counts in calls.items():
            self.assertEqual(p.call(name).calls_by_rank, counts, name)

    def check_end(self, mpi, rank, end, who):
        by_launcher = (*BY_LAUNCHER[mpi.name], ("recovered", None))
        found = (rank["status"], rank["signal"], rank["in_call"])
        if end[0] == OTHER:
            self.assertIn(found[:2], by_launcher)
            self.assertEqual(found[2], end[1])
        elif who == "all" and end != THROUGH:  # the launcher may be quicker
            self.assertIn(found, [end, *((*one, call) for one in by_launcher for call in (None, end[2]))])
        else:
            self.assertEqual(found, end)


class PythonExceptions(Cells):
    @each_mpi("openmpi")
    def test_rows(self, mpi):
        if self.bare([PYTHON, "-c", "import mpi4py"]).code:
            self.skipTest("mpi4py is not installed")
        self.run_cells(PythonCell, mpi, PYTHON_ROWS)


class MemoryCgroup:
    """A memory cgroup of version 1 or 2 with a limit; `reason` says why there is none."""

    def __init__(self, limit):
        self.path, self.reason = None, "no memory cgroup can be made here"
        for base, settings in self.places():
            path = os.path.join(base, "scope-test-" + uuid.uuid4().hex)
            try:
                os.mkdir(path)
                self.path = path
                for name, value in settings(limit).items():
                    with open(os.path.join(path, name), "w", encoding="ascii") as file:
                        file.write(value)
                return
            except OSError as error:
                self.reason = f"no memory cgroup can be made in {base}: {error.strerror}"
                self.remove()

    @staticmethod
    def places():
        """Directories to try, and what to write into a cgroup there."""
        first = lambda limit: {"memory.limit_in_bytes": str(limit), "memory.swappiness": "0"}
        second = lambda limit: {"memory.max": str(limit)}
        with open("/proc/self/cgroup", encoding="ascii") as file:
            lines = [line.rstrip("\n").split(":", 2) for line in file]
        for _, controllers, path in lines:
            for own in (path.lstrip("/"), ""):
                if "memory" in controllers.split(","):
                    yield os.path.join("/sys/fs/cgroup/memory", own), first
                elif not controllers:
                    yield os.path.join("/sys/fs/cgroup", own), second

    def around(self, command):
        return ["sh", "-c", 'echo $$ > "$0" && exec "$@"', os.path.join(self.path, "cgroup.procs"), *command]

    def remove(self):
        if self.path:
            os.rmdir(self.path)
        self.path = None


class OutOfMemory(Cell):
    group = None

    def setUp(self):
        super().setUp()
        self.group = MemoryCgroup(300 << 20)
        if not self.group.path:
            self.skipTest(self.group.reason + "; the matrix has SIGKILL, which is the same to a rank")
        self.addCleanup(self.group.remove)

    def command(self, mpi, *words):
        return self.group.around(super().command(mpi, *words))

    @each_mpi
    def test_a_rank_uses_up_the_memory(self, mpi):
        for cause, moment, who in cells(mpi.name, ("compute", "blocked"), ["cgroup"]):
            with self.subTest(moment=moment, who=who):
                self.check(mpi, cause, moment, who)


if __name__ == "__main__":
    main()
