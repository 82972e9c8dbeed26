"""The gate on a real program: A/A comparisons of the heat demo, which must not fail, and comparisons with a heat demo that
computes 10 % longer, which must. Not a test: it needs a machine that is left alone, and minutes.

    gate_heat.py TOOL HEAT_C [--gates 40] [--slower 20] [--repeats 30] [--ranks 2] [--size 100] [--steps 8000]
                 [--mpicc mpicc.mpich] [--mpiexec mpiexec.mpich]

The 10 % are a spin after every step, of a tenth of the time that the step's own computation took: calibrated by the step itself.
Both programs run in turn (--versus), so the gate compares pair by pair. The gate is on compute_time, the time of the ranks outside
MPI, since that is where a region of the program's own would be; wall time and MPI time are gated beside it, as by default.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

STEP = "double largest = update(&b, extra_rows);"
SPIN = """double began = MPI_Wtime();
    double largest = update(&b, extra_rows);
    double until = 1.1 * (MPI_Wtime() - began) + began;
    while (MPI_Wtime() < until) continue;"""


def build(source, directory, mpicc="mpicc"):
    """heat, and heat_slow with the spin."""
    with open(source, encoding="utf-8") as file:
        text = file.read()
    assert text.count(STEP) == 1, "the demo's step looks different now"
    with open(os.path.join(directory, "heat_slow.c"), "w", encoding="utf-8") as file:
        file.write(text.replace(STEP, SPIN))
    for name, code in (("heat", source), ("heat_slow", os.path.join(directory, "heat_slow.c"))):
        subprocess.run([mpicc, "-O2", "-o", os.path.join(directory, name), code, "-lm"], check=True)


def gate(arguments, directory, other):
    """Verdicts by metric, of one comparison."""
    line = lambda name: [arguments.mpiexec, "-n", str(arguments.ranks), f"./{name}", "--size", str(arguments.size), "--steps", str(arguments.steps)]
    run = [arguments.tool, "run", "-q", "--mpi-calls", "--repeat", str(arguments.repeats), "-o", "a.json", "--versus", " ".join(line(other))]
    subprocess.run(run + line("heat"), cwd=directory, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    check = [arguments.tool, "check", "a.json", "a.versus.json", "--allow-different", "--json", "-"]
    out = subprocess.run(check, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    result = json.loads(out)
    return result["verdict"], {c["metric"]: c for c in result["checks"]}


def series(arguments, directory, other, count, found):
    hits, unsure = 0, 0
    for number in range(1, count + 1):
        verdict, checks = gate(arguments, directory, other)
        hit = found(verdict, checks)
        hits += hit
        unsure += not hit and verdict == "inconclusive"
        compute = checks["compute_time"]
        print(f"{other} {number}: {verdict}; compute_time {compute['ratio'] - 1:+.1%}, {compute['verdict']}", flush=True)
    return hits, unsure


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("source")
    for name, value in (("gates", 40), ("slower", 20), ("repeats", 30), ("ranks", 2), ("size", 100), ("steps", 8000)):
        parser.add_argument(f"--{name}", type=int, default=value)
    for name, values in (("mpicc", ("mpicc.mpich", "mpicc")), ("mpiexec", ("mpiexec.mpich", "mpiexec"))):  # MPICH starts faster
        parser.add_argument(f"--{name}", default=next((value for value in values if shutil.which(value)), values[-1]))
    arguments = parser.parse_args()
    arguments.tool = os.path.abspath(arguments.tool)
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1")
    with tempfile.TemporaryDirectory(prefix="gate-heat-") as directory:
        build(arguments.source, directory, arguments.mpicc)
        slow, slow_unsure = series(arguments, directory, "heat_slow", arguments.slower, lambda v, c: c["compute_time"]["verdict"] == "fail")
        false, unsure = series(arguments, directory, "heat", arguments.gates, lambda v, c: v == "fail")
    print(f"+10 %: {slow} of {arguments.slower} found, {slow_unsure} inconclusive")
    print(f"A/A: {false} of {arguments.gates} failed, {unsure} inconclusive")
    return 0 if false == 0 and slow >= 0.95 * arguments.slower else 1


if __name__ == "__main__":
    sys.exit(main())
