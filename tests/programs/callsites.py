"""Call sites in Python with mpi4py; the lines are marked as in callsites.c. The name of a function and its file hold letters
beyond ASCII. Per rank: 5 buffers around the ring with Sendrecv, one Allreduce in a method, 4 lower-case bcasts (of two Bcasts
each, MPI's), one Barrier in a second thread's function where threads are allowed."""
import threading
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()  # @rank


def größe():
    mine, theirs = array("i", [0] * 4), array("i", [0] * 4)
    world.Sendrecv(mine, (rank + 1) % size, 3, theirs, (rank - 1) % size, 3)  # @sendrecv


class Solver:
    def agree(self):
        return world.allreduce(rank)  # @allreduce


for _ in range(5):
    größe()  # @call
Solver().agree()
for number in range(4):
    world.bcast(number)  # @bcast


def in_a_thread():
    world.Barrier()  # @barrier


if MPI.Query_thread() == MPI.THREAD_MULTIPLE:
    thread = threading.Thread(target=in_a_thread)
    thread.start()
    thread.join()
