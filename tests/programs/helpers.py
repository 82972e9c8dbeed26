# n ranks. Barrier 2, in whose midst the rank starts another Python and a forked process: they are no ranks and leave no
# trace.
import multiprocessing
import subprocess
import sys

from mpi4py import MPI


def nothing():
    pass


MPI.COMM_WORLD.Barrier()
subprocess.run([sys.executable, "-c", "pass"], check=True)
child = multiprocessing.get_context("fork").Process(target=nothing)
child.start()
child.join()
MPI.COMM_WORLD.Barrier()
