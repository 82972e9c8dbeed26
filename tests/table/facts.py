"""What an installed MPI and the table say about MPI procedures: names from libmpi.so and mpi.h, rows from mpi_calls.def."""

import re
import subprocess

# Procedures are MPI_Capitalised or MPI_T_lower; MPI_NULL_COPY_FN and the like are predefined callbacks and constants.
PROCEDURE = re.compile(r"MPI_(?:T_[a-z]|[A-Z][a-z])\w*$")


class Row:
    def __init__(self, name, kind, rule, mode, large, roles):
        self.name, self.kind, self.rule, self.mode, self.large, self.roles = name, kind, rule, mode, large, roles


def read_table(path):
    """Rows by name, `_c` forms included, and the reasons of what is not timed by name."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"//[^\n]*", "", file.read())
    rows, not_timed = {}, {}
    pattern = re.compile(r"MPI_CALL\((\w+),\s*(\w+),\s*(\w+),\s*(\w+),\s*(LARGE|SMALL),\s*\(([^)]*)\)\)")
    for name, kind, rule, mode, size, roles in pattern.findall(text):
        roles = [role.strip() for role in roles.split(",") if role.strip()]
        for form in [name] + ([name + "_c"] if size == "LARGE" else []):
            if form in rows:
                raise ValueError(f"{path}: {form} has two rows")
            rows[form] = Row(form, kind, rule, mode, form != name, roles)
    for name, reason in re.findall(r'MPI_NOT_TIMED\((\w+),\s*"([^"]*)"\)', text):
        if name in rows or name in not_timed:
            raise ValueError(f"{path}: {name} is listed twice")
        not_timed[name] = reason
    entries = len(re.findall(r"^MPI_(?:CALL|NOT_TIMED)\(", text, re.M))
    parsed = len([row for row in rows.values() if not row.large]) + len(not_timed)
    if parsed != entries:
        raise ValueError(f"{path}: {entries} entries, but {parsed} could be read")
    return rows, not_timed


def wrapper_flags(wrapper):
    """Include directories and library directories that a wrapper compiler passes on."""
    words = subprocess.run([wrapper, "-show"], check=True, capture_output=True, text=True).stdout.split()
    return [w[2:] for w in words if w.startswith("-I")], [w[2:] for w in words if w.startswith("-L")]


def find_library(wrapper, family):
    """The MPI C library that the wrapper links."""
    import os
    name = {"openmpi": "libmpi.so", "mpich": "libmpich.so"}[family]
    for directory in wrapper_flags(wrapper)[1]:
        for candidate in (name, "libmpi.so"):
            path = os.path.join(directory, candidate)
            if os.path.exists(path):
                return path
    raise FileNotFoundError(f"{wrapper} -show names no directory with {name}")


def exported(library):
    """Names that a shared library defines for others."""
    out = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in out.splitlines() if line.strip()}


def declared(compiler, include_directories):
    """Names of functions that mpi.h, and mpi-ext.h where there is one, declare."""
    source = '#include <mpi.h>\n#if __has_include(<mpi-ext.h>)\n#include <mpi-ext.h>\n#endif\n'
    command = [compiler, "-E", "-P", "-x", "c", "-"] + ["-I" + d for d in include_directories]
    text = subprocess.run(command, check=True, capture_output=True, text=True, input=source).stdout
    return set(re.findall(r"\bP?(MPIX?_\w+)\s*\(", text))
