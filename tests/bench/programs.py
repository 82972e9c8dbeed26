"""Whole programs, from the start of the command to its end: bare and under `scope-profiler run --mpi-calls` in turn, the order
changing from pair to pair. Prints the medians, and the median of the pairs' ratios with the 95 % interval that the ratios' order gives
(no assumption about how they are spread). Needs a machine with nothing else to do: two runs of one program differ by several percent.

programs.py TOOL HEAT.C [MPIEXEC MPICC MESSAGES]...

SCOPE_BENCH_PAIRS: how many pairs, 21 by default. SCOPE_BENCH_PROGRAMS: a regular expression; only rows whose name has it."""

import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PAIRS = int(os.environ.get("SCOPE_BENCH_PAIRS", "21"))

with open(os.path.join(os.path.dirname(__file__), "..", "data", "hpccinf.txt"), encoding="ascii") as file:
    HPCC_INPUT = file.read().format(size=4000, block=80)


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
    if not re.search(os.environ.get("SCOPE_BENCH_PROGRAMS", ""), name):
        return
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
            # Nine tenths of the whole are copies of 64 KiB and more, whose time varies by several percent from run to run; what recording adds
            # is in the small ones.
            measure(f"latency, 1 B to 8 KiB, {family}", tool, [*start, messages, "latency", "8192"], directory, env)
            measure(f"latency, 1 B to 4 MiB, {family}", tool, [*start, messages, "latency"], directory, env)
            measure(f"message rate, windows of 64, {family}", tool, [*start, messages, "rate"], directory, env)


if __name__ == "__main__":
    main()
