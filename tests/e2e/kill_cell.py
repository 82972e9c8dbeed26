"""Runs one cell of the kill matrix, bare and under the tool, and compares with what kill_table.py says."""

import concurrent.futures
import os
import platform
import signal
import struct

from harness import EndToEnd
from kill_table import BY_LAUNCHER, MOMENTS, OPENMPI, exit_codes, expected_other, expected_victim

AT_ONCE = 3  # of two ranks each: they wait more than they work
# Since Linux 6.15 a descriptor of a process tells how it ended. Before that it is known only where the launcher did not wait for
# the rank at once.
KERNEL_TELLS = tuple(int(n) for n in platform.release().split("-")[0].split(".")[:2]) >= (6, 15)

# Open MPI 4.1.4's launcher itself dies of SIGSEGV at times when a rank ends in MPI_Finalize (PMIx_server_finalize), with the tool and
# without; and seldom of SIGPIPE, of a rank that is gone already. Such a run says nothing of the tool.
TRIES = 4
LAUNCHER_CRASHES = (128 + signal.SIGSEGV, 128 + signal.SIGPIPE)


def exit_code(run):
    return run.code if run.code >= 0 else 128 - run.code


class Cell(EndToEnd):
    """One cell; not a test by itself."""

    def run_cell(self, *row):
        self.setUp()
        try:
            self.check(*row)
        finally:
            self.doCleanups()

    def command(self, mpi, *words):
        notes = self.path("notes")
        with open(notes, "wb") as file:
            file.write(bytes(4096))
        return mpi.command(2, "kill_matrix", *words, notes)

    def pids(self):
        with open(self.path("notes"), "rb") as file:
            return struct.unpack("4i", file.read(16))[2:]

    def environment(self, cause):
        # Open MPI gives the others a second to end. Where ranks have messages for the user its launcher crashes at times without it.
        return {} if cause in ("mpi_abort", "mpi_error") else {"OMPI_MCA_odls_base_sigkill_timeout": "0"}

    def check(self, mpi, cause, moment, who):
        words, env = (cause, moment, who), self.environment(cause)
        codes = exit_codes(mpi.name, cause, moment)
        bare = self.steady(mpi, codes, lambda: self.bare(self.command(mpi, *words), env=env))
        self.assertIn(exit_code(bare), codes, f"the table is wrong: exit code without the tool\n{bare}")
        run = self.steady(mpi, codes, lambda: self.run_profiled(self.command(mpi, *words), env=env, code=None))
        self.assertIn(run.code, codes, f"exit code\n{run}")
        self.assertEqual(run.added - {"notes"}, {"trace.json"}, run)
        p = self.load(run)
        self.assertEqual(p.data["metadata"]["exit_status"], run.code)
        processes = self.expected(mpi.name, cause, moment, who)
        self.check_worlds(p, MOMENTS[moment].initialised, processes, who == "all" and moment == "before")
        self.check_ranks(mpi.name, p, processes, MOMENTS[moment].initialised, who)
        os.unlink(self.path("trace.json"))

    def steady(self, mpi, codes, attempt):
        """A run whose launcher did not crash."""
        for _ in range(TRIES):
            if os.path.exists(self.path("trace.json")): os.unlink(self.path("trace.json"))
            run = attempt()
            if mpi.name != OPENMPI or exit_code(run) in codes or exit_code(run) not in LAUNCHER_CRASHES: break
        return run

    def expected(self, mpi, cause, moment, who):
        victim = expected_victim(mpi, cause, moment, who)
        return [victim if who == "all" else expected_other(mpi, cause, moment), victim]

    def check_worlds(self, p, initialised, processes, racing):
        found = [(w["size"], w["ranks_reported"], w["missing"], w["complete"]) for w in p.worlds]
        recorded = sum(process.recorded for process in processes)
        if initialised or recorded and not racing:
            self.assertEqual(found, [(recorded, recorded, [], True)])
        else:  # the first to end may take the other with it before that one has called MPI
            self.assertLessEqual(sum(size for size, _, _, _ in found), recorded)
            self.assertEqual("no-ranks-reported" in p.warnings, not found, p.warnings)
        self.assertEqual("not-initialised" in p.warnings, bool(found) and not initialised, p.warnings)

    def check_ranks(self, mpi, p, processes, initialised, who):
        pids, own = self.pids(), 0
        for at, rank in enumerate(p.ranks):
            number = pids.index(rank["pid"])
            if initialised:
                self.assertEqual(rank["rank"], number)
            process = processes[number]
            self.assertTrue(process.recorded, rank)
            end, ends = (rank["status"], rank["signal"]), list(process.ends)
            own += end in ends
            if who == "all" and ("finalized", None) not in ends:
                ends += BY_LAUNCHER[mpi]  # where it is quicker than the rank itself
            if not KERNEL_TELLS or not initialised:  # it may live for less time than the tool needs to see its file
                ends.append(("recovered", None))
            self.assertIn(end, ends, rank)
            self.assertEqual(rank["abort_code"], 3 if rank["status"] == "aborted" else None, rank)
            killed_by_launcher = who == "all" and end in BY_LAUNCHER[mpi]
            allowed = (process.in_call,)
            if killed_by_launcher:  # on its way to its own end
                allowed += (None, "MPI_Finalize") if "MPI_Comm_rank" in process.calls else (None,)
            self.assertIn(rank["in_call"], allowed, rank)
            calls = {row["name"]: row["per_rank"]["calls"][at] for row in p.data["calls"]}
            self.assertEqual({name: count for name, count in calls.items() if count}, process.calls, rank)
        if KERNEL_TELLS and initialised:
            self.assertGreater(own, 0, p.ranks)


class Cells(EndToEnd):
    def run_cells(self, kind, mpi, rows):
        """Every row as a cell of this kind, some at once."""
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for row, outcome in [(row, pool.submit(kind("run_cell").run_cell, mpi, *row)) for row in rows]:
                with self.subTest(mpi=mpi.name, row=row[:3]):
                    outcome.result()
