#!/bin/sh
# Prints what a region costs, and what recording adds to a call, for every MPI, both clocks, without options, with call sites, with a timeline. Arguments: tool, working
# directory, programs of regions and of threads, then launcher and program of each MPI in turn.
set -eu
tool=$1
directory=$2
regions=$3
threads=$4
shift 4
echo "== a begin and an end of a region, nothing recorded"
"$regions"
for clock in tsc monotonic; do
  echo "== a begin and an end of a region, recorded, clock $clock"
  SCOPE_PROFILER_CLOCK=$clock "$tool" run -q -o "$directory/bench.json" "$regions"
done
echo "== recording by several threads at once, without MPI"
"$threads"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
if [ $# -eq 0 ]; then
  echo "bench: no MPI is installed, so there is nothing to measure" >&2
  exit 1
fi
while [ $# -ge 2 ]; do
  for clock in tsc monotonic; do
    for with in --callsites=0 --callsites --trace; do
      echo "== $(basename "$2"), clock $clock, $with"
      SCOPE_PROFILER_CLOCK=$clock timeout 300 "$tool" run -q --mpi-calls $with -o "$directory/bench.json" "$1" -n 2 "$2"
    done
  done
  echo "== $(basename "$2"), 16 ranks, a communicator split off in reverse order"
  # With more ranks than cores Open MPI would yield the processor in MPI_Iprobe: a system call, after which all that follows takes longer.
  OMPI_MCA_mpi_yield_when_idle=0 timeout 300 "$tool" run -q --mpi-calls -o "$directory/bench.json" "$1" -n 16 "$2" split
  echo "== $(basename "$2"), 1 and 4 threads, CPU time"
  # Open MPI would bind each rank to one core.
  OMPI_MCA_hwloc_base_binding_policy=none timeout 300 "$tool" run -q --mpi-calls -o "$directory/bench.json" "$1" -n 2 "$2" threads
  shift 2
done
