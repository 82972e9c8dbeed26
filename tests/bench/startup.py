"""What the shim adds to MPI_Init and MPI_Finalize of 8 ranks, and to a serial process. Runs with and without it take turns.

startup.py TOOL SHIM PROGRAM.serial [MPIEXEC PROGRAM INNER]...

Where there are fewer cores than ranks, the two calls vary by more than the shim adds. "added" is the median over pairs of runs of
the difference in what the slowest rank saw, with a 95 % interval (bootstrap). "own" is the time that the shim alone had the call,
before and after it passed it on (startup.c), waiting for a core included: median of all ranks; "own CPU" is without the waiting,
of the slowest rank."""

import os
import random
import re
import statistics
import subprocess
import sys
import tempfile

RANKS, PAIRS = 8, int(os.environ.get("SCOPE_BENCH_PAIRS", "21"))
LINE = re.compile(r"(init|finalize) (-?\d+) own (-?\d+) cpu (-?\d+)")


def ranks(command, env):
    """Call -> a row (whole, own, own CPU) in ms for every rank."""
    out = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = {"init": [], "finalize": []}
    for match in LINE.finditer(out):
        rows[match[1]].append([int(n) / 1000 for n in match.groups()[1:]])
    if {len(found) for found in rows.values()} != {RANKS}:
        sys.exit(f"{command}: not all of {RANKS} ranks printed their times")
    return rows


def interval(values):
    chance = random.Random(1)
    medians = sorted(statistics.median(chance.choices(values, k=len(values))) for _ in range(2000))
    return medians[50], medians[1949]


def main():
    tool, shim, serial, *families = sys.argv[1:]
    env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    with tempfile.TemporaryDirectory(prefix="scope-bench-") as directory:
        subprocess.run([serial, "serial", shim, directory], check=True)
        print(f"{f'ms, {RANKS} ranks, {PAIRS} pairs':<28} {'bare':>8} {'recorded':>8} {'added':>24} {'own':>7} {'own CPU':>8}", flush=True)
        while families:
            mpiexec, program, inner, *families = families
            bare_command = [mpiexec, "-n", str(RANKS), program]
            command = [tool, "run", "-q", "--mpi-calls", "-o", os.path.join(directory, "trace.json"), *bare_command]
            inner_env = dict(env, LD_PRELOAD=inner)
            bare, recorded = [], []
            for pair in range(PAIRS):
                for runs, words in ((bare, bare_command), (recorded, command))[:: 1 if pair % 2 else -1]:
                    runs.append(ranks(words, inner_env))
            for call in ("init", "finalize"):
                slowest = [[max(row[0] for row in run[call]) for run in runs] for runs in (bare, recorded)]
                added = [b - a for a, b in zip(*slowest)]
                low, high = interval(added)
                every = [row for run in recorded for row in run[call]]
                print(f"{'MPI_' + call.capitalize() + ', ' + program.rsplit('.', 1)[-1]:<28} {statistics.median(slowest[0]):8.1f} {statistics.median(slowest[1]):8.1f} "
                      f"{statistics.median(added):8.1f} ({low:.1f} to {high:.1f})".ljust(71)
                      + f"{statistics.median(row[1] for row in every):7.2f} {max(row[2] for row in every):8.2f}", flush=True)


if __name__ == "__main__":
    main()
