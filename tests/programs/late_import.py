"""Computes, prints whether an MPI library is in the process, and with an argument imports mpi4py then, for two Barriers."""

import os
import sys


def mpi_is_loaded():
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return any("/libmpi" in line for line in maps)


def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\n").encode())  # a line in one piece: the launcher may mix pieces of several ranks


say("before", mpi_is_loaded(), sum(i * i for i in range(1000)))
if len(sys.argv) > 1:
    from mpi4py import MPI
    say("after", mpi_is_loaded(), MPI.COMM_WORLD.size)
    MPI.COMM_WORLD.Barrier()
    MPI.COMM_WORLD.Barrier()
