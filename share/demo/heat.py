"""2-D heat equation on a square plate by Jacobi iteration, with mpi4py and nothing else: the same program as heat.c, with the
same options and, for the same size and steps, the same output. The defaults are smaller, as plain Python is slow.

    heat.py [--size N] [--steps S] [--imbalance F]

--imbalance F gives the last rank F times its own work on top: a load imbalance made on purpose.
"""

import sys
from array import array

from mpi4py import MPI

NORTH, SOUTH, WEST, EAST = range(4)
USAGE = "usage: heat.py [--size N] [--steps S] [--imbalance F]"


def refuse(rank, reason):
    """The same end on every rank, without MPI_Abort, as nothing has been sent yet."""
    if rank == 0:
        print(f"heat: {reason}\n{USAGE}", file=sys.stderr)
    sys.exit(2)


def parse(words, rank):
    options = {"--size": 96.0, "--steps": 100.0, "--imbalance": 0.0}
    if len(words) % 2:
        refuse(rank, "an option lacks its value")
    for name, text in zip(words[::2], words[1::2]):
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 <= value <= 1e6:
            refuse(rank, "a value is not a number from 0 to 1000000")
        if name not in options:
            refuse(rank, "unknown option")
        options[name] = value
    return int(options["--size"]), int(options["--steps"]), options["--imbalance"]


class Block:
    """One rank's part: ny rows of nx points with a border of one point around them, row after row."""

    def __init__(self, nx, ny, at_top):
        self.nx, self.ny, self.width = nx, ny, nx + 2
        self.u = array("d", bytes(8 * self.width * (ny + 2)))
        self.next = array("d", self.u)
        if at_top:  # the upper edge of the plate is kept at 1, the others at 0
            for x in range(self.width):
                self.u[x] = self.next[x] = 1.0

    def update_row(self, y):
        u, out, width = self.u, self.next, self.width
        largest = 0.0
        for i in range(y * width + 1, y * width + 1 + self.nx):
            value = 0.25 * ((u[i - width] + u[i + width]) + (u[i - 1] + u[i + 1]))
            change = abs(value - u[i])
            if change > largest:
                largest = change
            out[i] = value
        return largest

    def update(self, extra_rows):
        """One step; the extra rows are computed again, which changes nothing but the time."""
        largest = 0.0
        for y in range(1, self.ny + 1):
            largest = max(largest, self.update_row(y))
        for i in range(extra_rows):
            largest = max(largest, self.update_row(1 + i % self.ny))
        self.u, self.next = self.next, self.u
        return largest

    def sum(self):
        total = 0.0
        for y in range(1, self.ny + 1):
            for x in range(1, self.nx + 1):
                total += self.u[y * self.width + x]
        return total


def exchange_edges(block, neighbours, column, grid):
    view = memoryview(block.u)

    def row(x, y):
        return [view[y * block.width + x :], block.nx, MPI.DOUBLE]

    def col(x, y):
        return [view[y * block.width + x :], 1, column]

    nx, ny = block.nx, block.ny
    MPI.Request.Waitall(
        [
            grid.Irecv(row(1, 0), neighbours[NORTH], SOUTH),
            grid.Irecv(row(1, ny + 1), neighbours[SOUTH], NORTH),
            grid.Irecv(col(0, 1), neighbours[WEST], EAST),
            grid.Irecv(col(nx + 1, 1), neighbours[EAST], WEST),
            # The tag is the direction in which the message travels.
            grid.Isend(row(1, 1), neighbours[NORTH], NORTH),
            grid.Isend(row(1, ny), neighbours[SOUTH], SOUTH),
            grid.Isend(col(1, 1), neighbours[WEST], WEST),
            grid.Isend(col(nx, 1), neighbours[EAST], EAST),
        ]
    )


def main():
    world = MPI.COMM_WORLD
    rank, ranks = world.Get_rank(), world.Get_size()
    size, steps, imbalance = parse(sys.argv[1:], rank)
    dims = MPI.Compute_dims(ranks, 2)  # dims[0] >= dims[1]: rows of blocks, blocks in a row
    if size < dims[0]:
        refuse(rank, "--size is too small for so many ranks")

    grid = world.Create_cart(dims, periods=[False, False], reorder=False)
    grid.Set_name("grid")
    coords = grid.Get_coords(rank)
    neighbours = [*grid.Shift(0, 1), *grid.Shift(1, 1)]

    ny, nx = (size * (coords[d] + 1) // dims[d] - size * coords[d] // dims[d] for d in (0, 1))
    block = Block(nx, ny, coords[0] == 0)
    column = MPI.DOUBLE.Create_vector(ny, 1, nx + 2).Commit()

    extra_rows = int(imbalance * ny) if rank == ranks - 1 else 0
    residual = array("d", [0.0])
    for _ in range(steps):
        exchange_edges(block, neighbours, column, grid)
        largest = array("d", [block.update(extra_rows)])
        grid.Allreduce([largest, 1, MPI.DOUBLE], [residual, 1, MPI.DOUBLE], MPI.MAX)

    total = array("d", [0.0])
    grid.Reduce([array("d", [block.sum()]), 1, MPI.DOUBLE], [total, 1, MPI.DOUBLE] if rank == 0 else None, MPI.SUM, 0)
    if rank == 0:
        print(f"heat: {size} x {size} points, {steps} steps, {ranks} ranks as {dims[0]} x {dims[1]}")
        print(f"residual {residual[0]:.6e}, mean temperature {total[0] / (size * size):.6f}")

    column.Free()
    grid.Free()


if __name__ == "__main__":
    main()
