#!/bin/sh
# Installs what is missing, builds scope-profiler in build-demo/, and profiles the heat equation with 4 ranks.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/share/demo/setup.sh"

# shellcheck disable=SC2086  # lists of words
install_missing $build_packages $open_mpi_packages

build=$top/build-demo
if [ ! -f "$build/build.ninja" ]; then
  say "configuring $build"
  cmake -S "$top" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSCOPE_TESTS=OFF >/dev/null
fi
say "building $build"
cmake --build "$build" -j "$(nproc)"

mkdir -p "$build/demo"
cd "$build/demo"
mpicc.openmpi -O2 -g -o heat "$top/share/demo/heat.c" -lm

# Where MPICH is the default, mpiexec is not Open MPI's.
case $(readlink -f "$(command -v mpiexec)") in
  *orterun | *openmpi*) mpiexec=mpiexec ;;
  *) mpiexec=mpiexec.openmpi ;;
esac
permit_open_mpi
PATH=$build/bin:$PATH
export PATH

say
say "\$ scope-profiler run --mpi-calls $mpiexec -n 4 ./heat --imbalance 0.5"
scope-profiler run --mpi-calls "$mpiexec" -n 4 ./heat --imbalance 0.5

say
say "The same by hand, and what to ask next:"
say "  cd '$build/demo'; export PATH='$build/bin':\"\$PATH\""
say "  export OMPI_MCA_rmaps_base_oversubscribe=1${OMPI_ALLOW_RUN_AS_ROOT:+ OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1}"
say "  scope-profiler report trace.json                # everything"
say "  scope-profiler report trace.json --by peer      # who sends how much to whom"
say "  scope-profiler report trace.json --by rank      # who computes and who waits"
say "  scope-profiler run --mpi-calls $mpiexec -n 4 ./heat    # without the imbalance"
