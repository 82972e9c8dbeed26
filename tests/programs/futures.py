# `python -m mpi4py.futures futures.py`, Open MPI: ends normally and prints [0, 1, 4].
from mpi4py.futures import MPIPoolExecutor


def square(x):
    return x * x


if __name__ == "__main__":
    with MPIPoolExecutor() as executor:
        print(list(executor.map(square, range(3))))
