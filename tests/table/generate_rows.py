"""Writes the list of rows that an installed MPI can be compared with: ROW(MPI_X) for every row whose procedure libmpi.so
exports and mpi.h declares. Usage: generate_rows.py FAMILY WRAPPER COMPILER mpi_calls.def OUTPUT"""

import sys

import facts


def main():
    family, wrapper, compiler, table, output = sys.argv[1:]
    rows, _ = facts.read_table(table)
    includes, _ = facts.wrapper_flags(wrapper)
    here = facts.exported(facts.find_library(wrapper, family)) & facts.declared(compiler, includes)
    names = [name for name in rows if name in here]
    with open(output, "w", encoding="utf-8") as file:
        file.write("".join(f"ROW({name})\n" for name in names))


if __name__ == "__main__":
    main()
