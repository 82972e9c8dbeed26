"""Regions in Python. Without an argument no MPI: main (1 call), main/steps (3), main/steps/leaf (6: a decorated function), and what an
exception left. "mpi": mpi4py is imported inside of main, and main/exchange (2 calls) has one Barrier each."""

import sys

from scope_profiler_native import region


@region
def leaf():
    pass


@region("named")
def fails():
    raise KeyError("expected")


def serial():
    for _ in range(3):
        with region("steps"):
            leaf()
            leaf()
    try:
        fails()
    except KeyError:
        pass


def parallel():
    from mpi4py import MPI
    for _ in range(2):
        with region("exchange"):
            MPI.COMM_WORLD.Barrier()


with region("main"):
    parallel() if "mpi" in sys.argv else serial()
