"""Rank 1 raises before its send, as in the manual of mpi4py: rank 0 waits for the message, the others in a barrier.

Under Open MPI's mpiexec the job hangs, also without the tool. An alarm ends what nobody else ends.
"""

import signal

from mpi4py import MPI

signal.alarm(60)
comm = MPI.COMM_WORLD
comm.barrier()
if comm.rank == 1:
    raise RuntimeError("before the send")
if comm.rank == 0:
    comm.recv(source=1, tag=3)
comm.barrier()
