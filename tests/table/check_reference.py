"""Compares the roles of the table with a second source: a TSV with one MPI procedure a line (name, flags, parameters as
name:KIND:direction[:array], kinds as the MPI standard names them). Types can't tell a source from a tag; this can.
Usage: SCOPE_MPI_REFERENCE=procedures.tsv check_reference.py mpi_calls.def; without the variable, exit code 77 (skipped)."""

import os
import re
import sys

import facts

NUMBER = r"(POLY)?XFER_NUM_ELEM(_NNI)?"
HANDLES = {"COMM": "COMMUNICATOR", "WIN": "WINDOW", "FH": "FILE", "OP": "OPERATION", "GROUP": "GROUP", "INFO": "INFO",
           "ERRHANDLER": "ERRHANDLER", "SESSION": "SESSION", "MESSAGE": "MESSAGE", "TYPE": "DATATYPE"}

# Role: what name:KIND:direction[:array] must look like. Roles that only say a C type are left to the type test.
PATTERNS = {
    "BUF": r"\w+:(BUFFER|C_BUFFER|LOCATION\w*|\w*NUM_BYTES\w*):\w+",
    "SENDBUF": r"sendbuf:BUFFER:in",
    "RECVBUF": r"recvbuf:BUFFER:out",
    "COUNT": rf"(count|origin_count):{NUMBER}:in",
    "SENDCOUNT": rf"sendcount:{NUMBER}:in",
    "RECVCOUNT": rf"(recvcount|result_count):{NUMBER}:in",
    "SENDCOUNTS": rf"sendcounts:{NUMBER}:in:array",
    "RECVCOUNTS": rf"recvcounts:{NUMBER}:in:array",
    "COUNT_OUT": rf"\w+:({NUMBER}|POLYDTYPE_NUM_ELEM\w*|\w*):out",
    "PARTITIONS": r"partitions:PARTITION:in",
    "SENDTYPE": r"sendtype:DATATYPE:in",
    "RECVTYPE": r"(recvtype|result_datatype):DATATYPE:in",
    "OTHER_TYPE": r"target_datatype:DATATYPE:in",
    "TYPES": r"\w+:DATATYPE:in:array",
    "SENDTYPES": r"sendtypes:DATATYPE:in:array",
    "RECVTYPES": r"recvtypes:DATATYPE:in:array",
    "TYPES_OUT": r"\w+:DATATYPE:out:array",
    "DEST": r"dest:RANK(_NNI)?:in",
    "SOURCE": r"source:RANK(_NNI)?:in",
    "TARGET": r"(target_rank|rank):RANK(_NNI)?:in",
    "ROOT": r"root:RANK(_NNI)?:in",
    "TAG": r"tag:TAG:in",
    "SENDTAG": r"sendtag:TAG:in",
    "RECVTAG": r"recvtag:TAG:in",
    "REQUEST": r"request:REQUEST:(inout|in)",
    "REQUEST_IN": r"request:REQUEST:(inout|in)",
    "REQUEST_OUT": r"request:REQUEST:out",
    "REQUESTS": r"array_of_requests:REQUEST:inout:array",
    "N": r"(count|incount):ARRAY_LENGTH(_NNI)?:in",
    "OUTCOUNT": r"outcount:ARRAY_LENGTH:out",
    "INDICES": r"array_of_indices:INDEX:out:array",
    "INDEX": r"index:INDEX:out",
    "FLAG": r"flag:LOGICAL:out",
    "STATUS": r"status:STATUS:out",
    "STATUSES": r"array_of_statuses:STATUS:out:array",
    "STATUS_IN": r"status:STATUS:(in|inout)",
    "INFOS": r"\w+:INFO:in:array",
    "OFFSET": r"\w+:OFFSET:in",
    "OFFSET_OUT": r"\w+:OFFSET:out",
    "STRING": r"\w+:STRING:\w+",
    "FUNCTION": r"\w+:(POLY)?FUNCTION:in",
}
for role, kind in HANDLES.items():
    PATTERNS[role] = rf"\w+:{kind}:(in|inout)"  # a handle passed by value; the object changes, the handle does not
    PATTERNS[role + "_OUT"] = rf"\w+:{kind}:out"
    PATTERNS[role + "_INOUT"] = rf"\w+:{kind}:inout"
# A parameter that must have this role and no other, wherever it stands: what the recorder looks for.
REQUIRED = [(r"dest:RANK\w*:in$", {"DEST"}), (r"source:RANK\w*:in$", {"SOURCE"}), (r"root:RANK\w*:in$", {"ROOT"}),
            (r"tag:TAG:in$", {"TAG"}), (r"sendtag:", {"SENDTAG"}), (r"recvtag:", {"RECVTAG"}), (r"sendbuf:BUFFER", {"SENDBUF"}),
            (r"recvbuf:BUFFER", {"RECVBUF"}), (r"sendcounts:", {"SENDCOUNTS"}), (r"recvcounts:", {"RECVCOUNTS"}),
            (r"array_of_requests:", {"REQUESTS"}), (r"request:REQUEST:out", {"REQUEST_OUT"}),
            (r"array_of_statuses:", {"STATUSES"}), (r"status:STATUS:out", {"STATUS"}), (r"comm\w*:COMMUNICATOR:in$", {"COMM"})]


def read_reference(path):
    procedures = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            fields = line.rstrip("\n").split("\t")
            procedures[fields[0]] = (set(fields[1].split(",")), fields[2].split() if len(fields) > 2 else [])
    return procedures


def faults_of(row, parameters):
    if len(row.roles) != len(parameters):
        yield f"{len(row.roles)} arguments, the reference has {len(parameters)}"
        return
    for position, (role, parameter) in enumerate(zip(row.roles, parameters), 1):
        pattern = PATTERNS.get(role)
        if pattern and not re.fullmatch(pattern + r"(:array)?", parameter):
            yield f"argument {position} is {role} here and {parameter} in the reference"
        for wanted, roles in REQUIRED:
            if re.match(wanted, parameter) and role not in roles:
                yield f"argument {position} is {role} here, must be {'/'.join(roles)}: {parameter} in the reference"


def main():
    reference_file = os.environ.get("SCOPE_MPI_REFERENCE")
    if not reference_file:
        print("SKIP: SCOPE_MPI_REFERENCE names no list of procedures")
        return 77
    rows, not_timed = facts.read_table(sys.argv[1])
    reference = read_reference(reference_file)
    faults = []
    for name, (flags, parameters) in reference.items():
        if name not in rows:
            if name not in not_timed:
                faults.append(f"{name}: in the reference, but neither a row nor listed as not timed")
            continue
        # MPI_Pcontrol's `...` is no argument of the row.
        parameters = [p for p in parameters if ":VARARGS" not in p]
        # The reference gives the union of both forms; two procedures have arguments that only NAME_c has.
        small = [p for p in parameters if "large_counts" not in p]
        faults += [f"{name}: {fault}" for fault in faults_of(rows[name], small)]
        if small != parameters and name + "_c" in rows:
            faults += [f"{name}_c: {fault}" for fault in faults_of(rows[name + "_c"], parameters)]
        if ("large-count" in flags) != (name + "_c" in rows):
            faults.append(f"{name}: the reference {'has' if 'large-count' in flags else 'has no'} {name}_c")
    print("\n".join(faults) or f"{len(reference)} procedures agree with {reference_file}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
