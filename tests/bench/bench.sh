#!/bin/sh
# Prints what recording adds to a call, for every MPI and both clocks. Arguments: tool, working directory, then launcher and
# program of each MPI in turn.
set -eu
tool=$1
directory=$2
shift 2
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
if [ $# -eq 0 ]; then
  echo "bench: no MPI is installed, so there is nothing to measure" >&2
  exit 1
fi
while [ $# -ge 2 ]; do
  for clock in tsc monotonic; do
    echo "== $(basename "$2"), clock $clock"
    SCOPE_PROFILER_CLOCK=$clock timeout 300 "$tool" run -q --mpi-calls -o "$directory/bench.json" "$1" -n 2 "$2"
  done
  shift 2
done
