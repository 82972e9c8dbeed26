# What share/demo/run.sh and tests/run.sh have in common; read with `.`, POSIX sh.
# shellcheck shell=sh disable=SC2034  # the lists are used by the scripts that read this file

# To build the tool:
#   cmake, ninja-build      the build system and what runs it
#   g++                     C++20 compiler
#   libcli11-dev            command line
#   nlohmann-json3-dev      writing profiles; what is wrong with one that can't be read
#   rapidjson-dev           reading profiles and what ranks leave (headers)
#   libspdlog-dev           messages
#   libdw-dev, pkgconf      function, file and line of call sites; finding libdw
#   libjs-d3                charts of the HTML report, embedded
#   zlib1g-dev              profiles that end in .gz
#   libzstd-dev             timelines of run --trace
#   libtomlplusplus-dev     budgets of check and the file of --config (its headers)
build_packages="cmake ninja-build g++ libcli11-dev nlohmann-json3-dev rapidjson-dev libspdlog-dev libdw-dev pkgconf libjs-d3 zlib1g-dev libzstd-dev libtomlplusplus-dev"

# To run an MPI program; the tool itself needs none of it:
#   libopenmpi-dev, openmpi-bin   Open MPI: mpicc, mpiexec
open_mpi_packages="libopenmpi-dev openmpi-bin"

say() { printf '%s\n' "$*"; }
die() {
  printf '%s: %s\n' "$0" "$*" >&2
  exit 1
}

# install_missing PACKAGE...: installs what is not there and says what that is. Asks nothing; quick when nothing is missing.
install_missing() {
  if ! command -v dpkg-query >/dev/null 2>&1; then
    say "This is not a Debian system; it needs what Debian calls: $*"
    return 0
  fi
  missing=
  for package in "$@"; do
    dpkg-query -W -f='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing="$missing $package"
  done
  [ -n "$missing" ] || return 0

  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 || die "missing:$missing. Neither root nor sudo is here to install them."
    sudo -n true 2>/dev/null || die "sudo would ask for a password. Install by hand, then start this again:
  sudo apt-get install$missing"
    as_root="sudo -n"
  fi
  say "installing:$missing"
  apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0"
  # Both are lists of words.
  # shellcheck disable=SC2086
  if ! { $apt update && $apt install -y --no-install-recommends $missing; }; then
    die "apt-get could not install:$missing"
  fi
}

# Open MPI refuses to start as root, and to start more ranks than there are cores, unless told.
permit_open_mpi() {
  export OMPI_MCA_rmaps_base_oversubscribe=1
  if [ "$(id -u)" -eq 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
}
