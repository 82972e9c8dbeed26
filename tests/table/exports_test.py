"""The shim exports MPI_X and PMPI_X for every timed row and nothing else, and asks the loader for no MPI library.
Usage: exports_test.py SHIM mpi_calls.def"""

import re
import subprocess
import sys

import facts


def main():
    shim, table = sys.argv[1:]
    rows, not_timed = facts.read_table(table)
    wanted = {prefix + name for name in rows for prefix in ("", "P")}
    found = facts.exported(shim)
    faults = [f"{n}: a row, but not exported" for n in sorted(wanted - found)]
    faults += [f"{n}: exported, but {'listed as not timed' if n in not_timed else 'no row'}" for n in sorted(found - wanted)]
    out = subprocess.run(["readelf", "-d", shim], check=True, capture_output=True, text=True).stdout
    allowed = re.compile(r"(libc|libdl|libpthread|librt|ld-linux.*)\.so")
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", out)
    faults += [f"needs {n}: must run without libmpi and libstdc++" for n in needed if not allowed.match(n)]
    out = subprocess.run(["nm", "-D", "--undefined-only", shim], check=True, capture_output=True, text=True).stdout
    undefined = [line.split()[-1] for line in out.splitlines()]
    faults += [f"{n}: left undefined" for n in undefined if re.match(r"P?MPIX?_|ompi_|opal_|_Z", n)]
    print("\n".join(faults) or f"{len(found)} names, as the table says")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
