#!/bin/sh
# Installs what the tests need, builds in build/, runs every test. Arguments go to ctest: sh tests/run.sh -R name
# In CI (CI set in the environment) warnings are errors, and clang builds the same and runs the unit tests first.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/share/demo/setup.sh"

# To test:
#   libgtest-dev            unit tests
#   mpich, libmpich-dev     the second MPI, beside Open MPI
#   gfortran                Fortran test programs
#   python3, python3-mpi4py tests that compare JSON; Python test programs
#   hpcc                    a real program that nobody here wrote (label "real")
test_packages="libgtest-dev mpich libmpich-dev gfortran python3 python3-mpi4py hpcc"
# In CI only: the second compiler.
ci_packages="clang"

# shellcheck disable=SC2086  # lists of words
install_missing $build_packages $open_mpi_packages $test_packages ${CI:+$ci_packages}
permit_open_mpi

warnings_are_errors=OFF
[ -z "${CI:-}" ] || warnings_are_errors=ON

# build DIRECTORY [CMAKE ARGUMENT...]
build() {
  directory=$top/$1
  shift
  cmake -S "$top" -B "$directory" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSCOPE_TESTS=ON \
    -DSCOPE_WERROR=$warnings_are_errors "$@"
  cmake --build "$directory" -j "$(nproc)"
}

if [ -n "${CI:-}" ]; then
  build build-clang -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++
  ctest --test-dir "$top/build-clang" --output-on-failure --no-tests=error -j 2 -L '^unit$'
fi

build build

exec ctest --test-dir "$top/build" --output-on-failure --no-tests=error -j 2 "$@"
