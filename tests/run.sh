#!/bin/sh
# Installs what the tests need, builds in build/, runs every test. Arguments go to ctest: sh tests/run.sh -R name
# In CI (CI set in the environment) warnings are errors, and clang builds it with sanitizers first: the unit tests and the
# recorder run so, those with threads under ThreadSanitizer, and every reader is fuzzed for a minute.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/share/demo/setup.sh"

# To test:
#   libgtest-dev            unit tests
#   mpich, libmpich-dev     the second MPI, beside Open MPI
#   gfortran                Fortran test programs
#   python3, python3-mpi4py tests that compare JSON; Python test programs
#   valgrind                instructions that recording adds to a call; the shim in a program that it looks at
#   chromium                the HTML report in a browser
#   fonts-dejavu-core       letters for it: without recommended packages it brings none
#   ca-certificates         npm's registry is asked over https
#   nodejs, npm             what drives the browser; not installed where node and npm are there already, from elsewhere
#   libjemalloc2, libtcmalloc-minimal4   another malloc in the user's LD_PRELOAD
#   musl-tools              a program that the shim can't get into
#   environment-modules     the module file of an installation
#   man-db                  its man pages
#   dpkg-dev                dependencies of the Debian package
#   iproute2                a network between two namespaces that stand for nodes
#   zstd                    the Python reader of share/doc/timeline-format.md
#   slurmctld, slurmd, slurm-client, munge   a batch system on loopback; its services find no configuration and do not start
#   hpcc                    a real program that nobody here wrote (label "real")
test_packages="libgtest-dev mpich libmpich-dev gfortran python3 python3-mpi4py valgrind hpcc chromium fonts-dejavu-core ca-certificates
  libjemalloc2 libtcmalloc-minimal4 musl-tools environment-modules man-db dpkg-dev iproute2 zstd slurmctld slurmd slurm-client munge"
if ! command -v node >/dev/null 2>&1 || ! command -v npm >/dev/null 2>&1; then
  test_packages="$test_packages nodejs npm"
fi
# In CI only: the second compiler, and its sanitizers and libFuzzer; what checks the Debian package.
ci_packages="clang libclang-rt-14-dev lintian"

# shellcheck disable=SC2086  # lists of words
install_missing $build_packages $open_mpi_packages $test_packages ${CI:+$ci_packages}
permit_open_mpi

warnings_are_errors=OFF
[ -z "${CI:-}" ] || warnings_are_errors=ON

# build DIRECTORY TARGET [CMAKE ARGUMENT...]
build() {
  directory=$top/$1
  target=$2
  shift 2
  cmake -S "$top" -B "$directory" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DSCOPE_TESTS=ON \
    -DSCOPE_WERROR=$warnings_are_errors "$@"
  cmake --build "$directory" -j "$(nproc)" --target "$target"
}

# build_clang DIRECTORY TARGET [CMAKE ARGUMENT...]. Line tables are what sanitizers print; more would take longer to compile.
build_clang() {
  build "$@" -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -gline-tables-only -DNDEBUG"
}

if [ -n "${CI:-}" ]; then
  build_clang build-threads threaded_tests -DSCOPE_SANITIZE=thread
  ctest --test-dir "$top/build-threads" --output-on-failure --no-tests=error -j 2 -L '^unit$' -E '^unit\.walls$'
  build_clang build-clang sanitized_tests -DSCOPE_FUZZ=ON -DSCOPE_SANITIZE=address,undefined
  ctest --test-dir "$top/build-clang" --output-on-failure --no-tests=error -j 2 -L '^unit$'
  SCOPE_FUZZ_SECONDS=60 ctest --test-dir "$top/build-clang" --output-on-failure --no-tests=error -j 2 -L '^fuzz$'
fi

build build all

run_tests() {
  ctest --test-dir "$top/build" --output-on-failure --no-tests=error -j 2 "$@"
}

# Tests of whole jobs share two cores with each other, and wait for what other programs do: MPI's own launchers crash now and then. In
# CI such a test is run again once when it failed; the log has both runs. Everything else must pass at once.
whole_jobs='^(programs|e2e|slurm|browser|real)$'
if [ -n "${CI:-}" ] && [ $# -eq 0 ]; then
  run_tests -LE "$whole_jobs"
  run_tests -L "$whole_jobs" --repeat until-pass:2
else
  run_tests "$@"
fi
