"""2 ranks, argv: a section. mpi4py by its manual: buffer calls, whose bytes are known, and object calls; the results are printed
by rank 0 and must not depend on the tool. test_mpi4py.py has the counts."""

import os
import sys
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank = world.Get_rank() if MPI.Is_initialized() else -1
other = 1 - rank


def ints(*values):
    return array("i", values)


def messages():
    got = ints(*[0] * 8)
    status = MPI.Status()
    if rank == 0:
        world.Send([ints(1, 2, 3), MPI.INT], 1, 1)
        world.Ssend(ints(4, 5), 1, 2)
    else:
        world.Recv(got, 0, 1)
        world.Recv(got, MPI.ANY_SOURCE, 2, status)
        assert (status.Get_source(), status.Get_count(MPI.INT)) == (0, 2)
    receive, send = world.Irecv(got, other, 3), world.Isend(ints(6, 7, 8, 9), other, 3)
    send.Wait()
    receive.Wait()
    world.Sendrecv(ints(1), other, 4, got, other, 4)
    send, receive = world.Send_init(ints(1, 2, 3, 4, 5), other, 5), world.Recv_init(got, other, 5)
    for _ in range(3):
        MPI.Prequest.Startall([send, receive])
        MPI.Request.Waitall([send, receive])
    send.Free()
    receive.Free()
    request = world.Irecv(got, other, 6)
    world.Send(bytearray(24), other, 6)
    while not request.Test():
        pass
    return got.tolist()


def objects():
    results = []
    thing = {"rank": rank, "list": list(range(5))}
    if rank == 0:
        world.send(thing, 1, 1)
        world.isend(thing, 1, 2).wait()
    else:
        results.append(world.recv(source=0, tag=1))
        results.append(world.irecv(source=0, tag=2).wait())
    results.append(world.sendrecv(rank, other, 3, None, other, 3))
    return results


def collectives():
    a, b = ints(*range(8)), ints(*[0] * 16)
    world.Barrier()
    world.Bcast([a, 6, MPI.INT], 1)
    world.Reduce([a, 3, MPI.INT], [b, 3, MPI.INT], MPI.SUM, 0)
    world.Allreduce(MPI.IN_PLACE, [b, 4, MPI.INT], MPI.SUM)
    world.Gather([a, 2, MPI.INT], [b, 2, MPI.INT] if rank == 0 else None, 0)
    world.Gatherv([a, rank + 1, MPI.INT], [b, ([1, 2], [0, 1]), MPI.INT] if rank == 1 else None, 1)
    world.Scatterv([a, ([1, 2], [0, 1]), MPI.INT] if rank == 0 else None, [b, rank + 1, MPI.INT], 0)
    world.Allgather(MPI.IN_PLACE, [b, 3, MPI.INT])
    world.Allgatherv([a, rank + 1, MPI.INT], [b, ([1, 2], [0, 1]), MPI.INT])
    world.Alltoall([a, 2, MPI.INT], [b, 2, MPI.INT])
    world.Alltoallv([a, ([rank, 2], [0, 2]), MPI.INT], [b, ([0, 1] if rank == 0 else [2, 2], [0, 4]), MPI.INT])
    world.Reduce_scatter([a, 4, MPI.INT], [b, 2, MPI.INT], [2, 2], MPI.SUM)
    world.Scan([a, 2, MPI.INT], [b, 2, MPI.INT], MPI.SUM)
    world.Exscan([a, 2, MPI.INT], [b, 2, MPI.INT], MPI.SUM)
    world.Iallreduce([a, 5, MPI.INT], [b, 5, MPI.INT], MPI.MAX).Wait()

    def smallest(source, target, datatype):
        one, two = memoryview(source).cast("i"), memoryview(target).cast("i")
        two[:] = array("i", [min(x, y) for x, y in zip(one, two)])

    op = MPI.Op.Create(smallest, commute=True)
    world.Allreduce([a, 7, MPI.INT], [b, 7, MPI.INT], op)
    op.Free()
    return b.tolist()


def object_collectives():
    return [world.bcast({"a": 1} if rank == 0 else None, 0), world.gather(rank, 0),
            world.scatter(["x", "y"] if rank == 0 else None, 0), world.allgather(rank), world.alltoall([rank, rank + 10]),
            world.reduce(rank, MPI.SUM, 0), world.allreduce(rank + 1, MPI.PROD), world.scan(rank), world.exscan(rank)]


def communicators():
    twin, half, line = world.Dup(), world.Split(rank, 0), world.Create_cart([2], [False])
    twin.Set_name("twin")
    twin.Barrier()
    half.Bcast(bytearray(10), 0)
    left, right = line.Shift(0, 1)
    line.Neighbor_alltoall(bytearray(8), bytearray(8))
    for comm in (twin, half, line):
        comm.Free()
    return [left, right]


def windows():
    memory, data = bytearray(64), bytearray(16)
    win = MPI.Win.Create(memory, 1, MPI.INFO_NULL, world)
    win.Fence()
    if rank == 0:
        win.Put([data, 16, MPI.BYTE], 1)
    win.Fence()
    win.Lock(other)
    win.Get([data, 8, MPI.BYTE], other)
    win.Accumulate([ints(1, 2, 3), MPI.INT], other)
    win.Unlock(other)
    group = world.Get_group().Incl([other])
    if rank == 0:
        win.Start(group)
        win.Put([data, 4, MPI.BYTE], 1)
        win.Complete()
    else:
        win.Post(group)
        win.Wait()
    win.Free()
    return []


def files():
    file = MPI.File.Open(world, os.path.join(os.environ["FILE_DIRECTORY"], "data"), MPI.MODE_CREATE | MPI.MODE_RDWR)
    data = bytearray(b"abcdefgh")
    file.Write_at(8 * rank, data)
    file.Write_at_all(16 + 8 * rank, data)
    world.Barrier()
    file.Read_at(8 * other, data)
    file.Iread_at(16, data).Wait()
    file.Write_ordered(data)
    size = file.Get_size()
    file.Close()
    return [bytes(data), size]


def pickle5():
    from mpi4py.util import pkl5
    comm = pkl5.Intracomm(world)
    if rank == 0:
        comm.send(bytearray(1000), 1, 9)
        return []
    assert len(comm.recv(source=0, tag=9)) == 1000
    return []


def spawn():
    child = "from mpi4py import MPI; c = MPI.Comm.Get_parent(); b = bytearray(20); c.Bcast([b, 20, MPI.BYTE], 0); " \
            "c.Reduce([bytearray(8), 8, MPI.BYTE], None, MPI.BOR, 0); c.Disconnect()"
    comm = MPI.COMM_SELF.Spawn(sys.executable, ["-c", child], 2) if rank == 0 else None
    if comm:
        comm.Bcast([bytearray(20), 20, MPI.BYTE], MPI.ROOT)
        comm.Reduce(None, [bytearray(8), 8, MPI.BYTE], MPI.BOR, MPI.ROOT)
        comm.Disconnect()
    return []


def ports():
    if rank == 0:
        port = MPI.Open_port()
        world.send(port, 1, 1)
        far = MPI.COMM_SELF.Accept(port)
    else:
        far = MPI.COMM_SELF.Connect(world.recv(source=0, tag=1))
    far.Sendrecv(bytearray(6), 0, 2, bytearray(6), 0, 2)
    far.Disconnect()
    if rank == 0:
        MPI.Close_port(port)
    return []


def executor():
    from mpi4py.futures import MPICommExecutor
    with MPICommExecutor(world, root=0) as pool:
        return list(pool.map(abs, [-1, -2, -3])) if pool is not None else []


def pool():
    from mpi4py.futures import MPIPoolExecutor
    if rank == 0:
        with MPIPoolExecutor(1) as pool:
            return list(pool.map(abs, [-1, -2]))
    return []


def initialize():
    """MPI4PY_RC_INITIALIZE=0: MPI starts when the program says so."""
    assert not MPI.Is_initialized()
    MPI.Init()
    world.Barrier()
    level = MPI.Query_thread()
    result = [level == MPI.THREAD_SINGLE]
    globals().update(rank=world.Get_rank())
    return result


if __name__ == "__main__":  # workers of a pool load this file, too
    result = globals()[sys.argv[1]]()
    if rank == 0:
        print(sys.argv[1], result)
