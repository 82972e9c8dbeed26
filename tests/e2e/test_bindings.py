"""The same program in C and in Fortran's three bindings, on both MPIs: the same profile but for times and machines."""

import os
import unittest

from harness import MPIS, EndToEnd, each_mpi, main

BINDINGS = ("bindings_mpif", "bindings_mpi", "bindings_f08", "bindings_f08_short")
TIMES = ("_ns", "_seconds", "seconds_lost")
OTHER = {"imbalance", "total", "std", "evidence"}


def comparable(value):
    """A profile without what differs from run to run: times, and what is computed from them."""
    if isinstance(value, dict):
        return {k: comparable(v) for k, v in value.items() if not k.endswith(TIMES) and k not in OTHER}
    if isinstance(value, list):
        return [comparable(v) for v in value]
    return value


def drop_helper_calls(data, calls):
    """Open MPI's Fortran layer asks for the size of the communicator in Gatherv and the like, by a PMPI_Comm_size of its own that
    nothing tells from one of the program: `calls` a rank, without bytes."""
    rows = [row for row in data["calls"] + data["signatures"] if row.get("name", row.get("call")) == "MPI_Comm_size"]
    rows += [row for row in data["communicators"] if row["id"] == 0]
    for row in rows:
        row["calls"] -= calls * len(data["ranks"])
        if "per_rank" in row:
            row["per_rank"]["calls"] = [n - calls for n in row["per_rank"]["calls"]]
    data["totals"]["calls"] -= calls * len(data["ranks"])


def without_times(data):
    """All of a profile but times (also in what is ordered by them), processes, machines, and the command that was run."""
    parts = ("calls", "signatures", "peers", "communicators", "worlds", "sizes", "ranks", "totals")
    kept = {key: comparable(data[key]) for key in parts}
    kept["calls"].sort(key=lambda row: row["name"])
    kept["signatures"].sort(key=lambda row: (row["region"], row["ranks"]))
    kept["sizes"].sort(key=lambda row: (row["call"], row["bytes_from"]))
    kept["communicators"].sort(key=lambda row: row["id"])
    for world in kept["worlds"]:
        for key in set(world) - {"id", "size", "parent", "ranks_reported", "missing", "complete"}:
            del world[key]
    of_rank = ("world", "rank", "status", "signal", "in_call", "threads")
    kept["ranks"] = [{key: rank[key] for key in of_rank} for rank in kept["ranks"]]
    kept["totals"] = {key: kept["totals"][key] for key in ("calls", "bytes_sent", "bytes_received")}
    return kept


class Bindings(EndToEnd):
    def normal(self, mpi, program):
        if not os.path.exists(mpi.program(program)):
            self.skipTest(f"{program} was not built for {mpi.name}")
        data = self.profile(mpi, 2, program).data
        if mpi.name == "openmpi" and program != "bindings":
            drop_helper_calls(data, 1)
        return without_times(data)

    @each_mpi
    def test_fortran_is_like_c(self, mpi):
        c = self.normal(mpi, "bindings")
        self.assertEqual(c["totals"]["calls"], 87)
        for program in BINDINGS:
            with self.subTest(program=program):
                fortran = self.normal(mpi, program)
                for key in c:
                    self.assertEqual(fortran[key], c[key], f"{program}: {key}")

    def test_both_mpis_alike(self):
        if not all(mpi.mpiexec for mpi in MPIS.values()):
            raise unittest.SkipTest("one MPI only")
        for program in ("bindings",) + BINDINGS:
            with self.subTest(program=program):
                one, other = (self.normal(mpi, program) for mpi in MPIS.values())
                for key in one:
                    self.assertEqual(one[key], other[key], f"{program}: {key}")


if __name__ == "__main__":
    main()
