"""Every cause of death at every moment, one rank or all, on both MPIs: kill_table.py says what must come out.
A CTest entry a class: they run side by side.
"""

from harness import MPIS, main
from kill_cell import Cell, Cells
from kill_table import CAUSES, MPICH, OPENMPI, cells


class Matrix(Cells):
    def matrix(self, name, *moments):
        if not MPIS[name].mpiexec:
            self.skipTest(f"{name} is not installed")
        self.run_cells(Cell, MPIS[name], cells(name, moments, [cause for cause in CAUSES if cause != "cgroup"]))


class OpenMpiEarly(Matrix):
    def test_before_and_inside_init(self):
        self.matrix(OPENMPI, "before", "init")


class OpenMpiRunning(Matrix):
    def test_in_computation_and_blocked(self):
        self.matrix(OPENMPI, "compute", "blocked")


class OpenMpiLate(Matrix):
    def test_inside_and_after_finalize(self):
        self.matrix(OPENMPI, "finalize", "finalized")


class MpichEarly(Matrix):
    def test_before_init_to_computation(self):
        self.matrix(MPICH, "before", "init", "compute")


class MpichLate(Matrix):
    def test_blocked_to_after_finalize(self):
        self.matrix(MPICH, "blocked", "finalize", "finalized")


if __name__ == "__main__":
    main()
