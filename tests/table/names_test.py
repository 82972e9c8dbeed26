"""Every MPI_* C procedure that an installed MPI library exports is a row of the table or listed as not timed.
Usage: names_test.py FAMILY WRAPPER COMPILER mpi_calls.def"""

import sys

import facts


def main():
    family, wrapper, compiler, table = sys.argv[1:]
    rows, not_timed = facts.read_table(table)
    includes, _ = facts.wrapper_flags(wrapper)
    library = facts.find_library(wrapper, family)
    symbols = facts.exported(library)
    procedures = {n for n in symbols & facts.declared(compiler, includes) if facts.PROCEDURE.match(n)}
    missing = sorted(n for n in procedures if n not in rows and n not in not_timed)
    for name in missing:
        print(f"{name}: exported by {library} and declared in mpi.h, but neither a row nor listed as not timed")
    no_twin = sorted(n for n in procedures if n in rows and "P" + n not in symbols)
    for name in no_twin:
        print(f"{name}: {library} exports no P{name}")
    for name in sorted(n for n, reason in not_timed.items() if len(reason) < 10):
        print(f"{name}: not timed, without a reason")
        missing.append(name)
    timed = len([n for n in procedures if n in rows])
    listed = len([n for n in procedures if n in not_timed])
    print(f"{len(procedures)} procedures of {library}: {timed} timed, {listed} listed as not timed")
    return 1 if missing or no_twin or len(procedures) < 350 else 0


if __name__ == "__main__":
    sys.exit(main())
