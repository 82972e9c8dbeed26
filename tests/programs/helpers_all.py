# 2 ranks. Barrier 2, in whose midst the rank starts helpers in every way that Python has: they are no ranks and leave no trace.
import concurrent.futures
import multiprocessing
import os
import subprocess
import sys


def double(value):
    return 2 * value


def main():
    from mpi4py import MPI

    MPI.COMM_WORLD.Barrier()
    assert subprocess.run([sys.executable, "-c", "import sys; sys.exit(3)"], check=False).returncode == 3
    assert subprocess.check_output("echo 5", shell=True) == b"5\n"
    code = "import mpi4py; mpi4py.rc.initialize = False; from mpi4py import MPI; print(MPI.Get_version()[0])"
    assert subprocess.check_output([sys.executable, "-c", code]).strip().isdigit()  # calls MPI, and is no rank
    assert os.system("true") == 0
    with os.popen("echo 5") as pipe:
        assert pipe.read() == "5\n"
    child = os.fork()
    if child == 0:
        os._exit(0)  # sys.exit would call MPI_Finalize in the child, through mpi4py
    os.waitpid(child, 0)
    for way in ("fork", "spawn", "forkserver"):
        context = multiprocessing.get_context(way)
        with context.Pool(2) as pool:
            assert pool.map(double, [1, 2, 3]) == [2, 4, 6]
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as executor:
            assert executor.submit(double, 4).result() == 8
    MPI.COMM_WORLD.Barrier()


if __name__ == "__main__":
    main()
