"""Whole programs, from the start of the command to its end: bare and under `scope-profiler run --mpi-calls` in turn, the order
changing from pair to pair. Prints the medians, and the median of the pairs' ratios with the 95 % interval that the ratios' order gives
(no assumption about how they are spread). Needs a machine with nothing else to do: two runs of one program differ by several percent.

programs.py TOOL HEAT.C [MPIEXEC MPICC MESSAGES]..."""

import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PAIRS = int(os.environ.get("SCOPE_BENCH_PAIRS", "21"))

HPCC_INPUT = """HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
4000         Ns
1            # of NBs
80           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
1            Ps
2            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
##### This line (no. 32) is ignored (it serves as a separator). ######
0                               Number of additional problem sizes for PTRANS
1200 10000 30000                values of N
0                               number of additional blocking sizes for PTRANS
40 9 8 13 13 20 16 32 64        values of NB
"""


# The Lennard-Jones melt of LAMMPS's own benchmarks: 32,000 atoms.
LAMMPS_INPUT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 20 0 20 0 20
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
run 1500
"""


def percent(ratio):
    return f"{(ratio - 1) * 100:+6.2f} %"


def seconds(command, directory, env):
    for name, text in (("hpccinf.txt", HPCC_INPUT), ("in.melt", LAMMPS_INPUT)):
        with open(os.path.join(directory, name), "w", encoding="ascii") as file:
            file.write(text)
    if os.path.exists(os.path.join(directory, "hpccoutf.txt")):
        os.remove(os.path.join(directory, "hpccoutf.txt"))
    began = time.monotonic()
    subprocess.run(command, cwd=directory, env=env, stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - began


def interval_of_median(values):
    """Of a sample's median: the narrowest pair of order statistics that holds it with at least 95 %."""
    values, count, below, rank = sorted(values), len(values), 0.0, 0
    while True:
        below += math.comb(count, rank) / 2**count  # P(at most `rank` of them lie below the median)
        if below > 0.025:
            break
        rank += 1
    return (values[rank - 1], values[count - rank]) if rank else (math.nan, math.nan)  # fewer than 6 say nothing


def measure(name, tool, command, directory, env):
    profiled = [tool, "run", "-q", "--mpi-calls", "-o", os.path.join(directory, "trace.json"), *command]
    times = {False: [], True: []}
    for pair in range(PAIRS):
        for recorded in (False, True) if pair % 2 else (True, False):
            times[recorded].append(seconds(profiled if recorded else command, directory, env))
    bare, recorded = statistics.median(times[False]), statistics.median(times[True])
    ratios = [b / a for a, b in zip(times[False], times[True])]
    low, high = interval_of_median(ratios)
    print(
        f"{name:<40} {bare:9.3f} {recorded:9.3f} {percent(statistics.median(ratios))} {percent(low)} to {percent(high)}",
        flush=True,
    )


def main():
    tool, heat, *families = sys.argv[1:]
    env = dict(os.environ, OMP_NUM_THREADS="1", OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1", OPENBLAS_NUM_THREADS="1")
    print(f"{'seconds, 2 ranks, ' + str(PAIRS) + ' pairs':<40} {'bare':>9} {'recorded':>9} {'median':>8} {'95 % interval':>20}", flush=True)
    with tempfile.TemporaryDirectory(prefix="scope-bench-") as directory:
        while families:
            mpiexec, mpicc, messages, *families = families
            family = messages.rsplit(".", 1)[-1]
            program = os.path.join(directory, "heat." + family)
            subprocess.run([mpicc, "-O2", "-o", program, heat, "-lm"], check=True)
            start = [mpiexec, "-n", "2"]
            measure(f"heat, {family}", tool, [*start, program, "--size", "2000", "--steps", "2000"], directory, env)
            for name, program, *arguments in (("LAMMPS", "lmp", "-in", "in.melt", "-log", "none"), ("HPCC", "hpcc")):
                path = shutil.which(program)
                linked = subprocess.run(["ldd", path], capture_output=True, text=True).stdout if path else ""
                if {"openmpi": "libmpi.so", "mpich": "libmpich.so"}[family] in linked:
                    measure(f"{name}, {family}", tool, [*start, path, *arguments], directory, env)
            measure(f"latency, 1 B to 4 MiB, {family}", tool, [*start, messages, "latency"], directory, env)
            measure(f"message rate, windows of 64, {family}", tool, [*start, messages, "rate"], directory, env)


if __name__ == "__main__":
    main()
