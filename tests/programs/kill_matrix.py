# 2 ranks: kill_matrix.py MOMENT one|all NOTES. Rank 1, or both, raise an exception that nobody catches; the other one is in
# MPI_Recv, in MPI_Init (before), in MPI_Finalize (finalize), or has ended (finalized). tests/e2e/test_kill_python.py says what
# must be counted. NOTES is a file of 4 KiB of zeros.
#   before     before MPI_Init
#   compute    after 10 Barriers
#   blocked    raised by MPI_Recv, after a Send: the message is too long
#   finalize   in a delete callback that MPI_Finalize calls: mpi4py prints it and goes on
#   finalized  after MPI_Finalize
import mmap
import os
import struct
import sys
import time

import mpi4py

mpi4py.rc.initialize = False
from mpi4py import MPI  # noqa: E402

moment, who, path = sys.argv[1:]
rank = int(os.environ["OMPI_COMM_WORLD_RANK"])
dies = rank == 1 or who == "all"
file = open(path, "r+b")
notes = mmap.mmap(file.fileno(), 4096)
struct.pack_into("i", notes, 8 + 4 * rank, os.getpid())


def note(place):
    struct.pack_into("i", notes, 4 * rank, place)


def wait_until(place):
    while struct.unpack_from("i", notes, 4 * (1 - rank))[0] < place:
        time.sleep(0.001)


def stat_of_other():
    try:
        with open(f"/proc/{struct.unpack_from('i', notes, 8 + 4 * (1 - rank))[0]}/stat", "rb") as stat:
            return stat.read().rpartition(b")")[2].split()
    except OSError:
        return None


def wait_for_its_work():
    """The other one is in the call that it noted: its processor time goes on there."""
    ticks = lambda: sum(map(int, stat_of_other()[11:13]))
    begin = ticks()
    while ticks() < begin + 3:
        time.sleep(0.001)


def die(place):
    note(place)
    wait_until(place)
    raise RuntimeError("nobody catches this")


def wait_in_recv():
    note(2)
    MPI.COMM_WORLD.Recv(bytearray(4), source=1 - rank, tag=99)


if dies and moment == "before":
    die(1)
note(1)
MPI.Init()
for _ in range(10):
    MPI.COMM_WORLD.Barrier()
if moment == "compute":
    if not dies:
        wait_in_recv()
    if who == "one":
        wait_until(2)
        wait_for_its_work()
    die(2)
if moment == "blocked":
    MPI.COMM_WORLD.Send(bytearray(8), dest=1 - rank, tag=0)
    if not dies:
        wait_in_recv()
    if who == "one":
        wait_until(2)
        wait_for_its_work()
    MPI.COMM_WORLD.Recv(bytearray(4), source=1 - rank, tag=0)
if moment == "finalize":
    def fail(*_):
        note(3)
        if dies:
            die(3)
    MPI.COMM_SELF.Set_attr(MPI.Comm.Create_keyval(None, fail), 1)
MPI.Finalize()
if moment == "finalized" and dies and who == "one":
    wait_until(4)
    while stat_of_other() and stat_of_other()[0] != b"Z":
        time.sleep(0.001)
note(4)
if moment == "finalized" and dies:
    die(4)
