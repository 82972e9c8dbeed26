# 2 ranks. Lower-case calls of mpi4py, counted as MPI does them: rank 0 Send 1 and Ssend 1, rank 1 Mprobe 2 and Mrecv 2, with
# the sizes of the pickles, which rank 0 prints.
import pickle

from mpi4py import MPI

world = MPI.COMM_WORLD
thing, word = {"a": list(range(1000))}, "x"
if world.rank == 0:
    world.send(thing, dest=1, tag=1)
    world.ssend(word, dest=1, tag=2)
    print("pickled", len(MPI.pickle.dumps(thing)), len(MPI.pickle.dumps(word)), flush=True)
    assert pickle.loads(MPI.pickle.dumps(word)) == word
else:
    assert world.recv(source=0) == thing
    assert world.recv(source=0) == word
