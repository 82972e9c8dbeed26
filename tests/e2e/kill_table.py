"""The table of the kill matrix: what must be in the profile when ranks of tests/programs/kill_matrix.cpp end by a cause at a
moment. The moments and causes are described at the head of that program.
"""

from dataclasses import dataclass, field

# -- when

SETUP = {"MPI_Init": 1, "MPI_Comm_create_keyval": 1, "MPI_Comm_set_attr": 1, "MPI_Barrier": 10}
CALLBACK = {**SETUP, "MPI_Comm_rank": 3}


@dataclass
class Moment:
    calls: dict                  # that have returned, on the dying rank and on the other one alike
    in_call: str | None          # of the dying rank
    other_in_call: str | None
    initialised: bool = True     # else the processes have no rank: they are shown in a world of processes without one
    recorded: bool = True        # else the dying process has called no MPI procedure, and leaves nothing


MOMENTS = {
    "before": Moment({}, None, "MPI_Init", initialised=False, recorded=False),
    "init": Moment({}, "MPI_Init", "MPI_Init", initialised=False),
    "compute": Moment(SETUP, None, "MPI_Recv"),
    "blocked": Moment(SETUP, "MPI_Recv", "MPI_Recv"),
    "finalize": Moment(CALLBACK, "MPI_Finalize", "MPI_Finalize"),
    "finalized": Moment({**CALLBACK, "MPI_Finalize": 1}, None, None),
}

# -- how

OPENMPI, MPICH = "openmpi", "mpich"
# Open MPI asks the others to end (15) and makes them (9); hydra makes them.
BY_LAUNCHER = {OPENMPI: [("killed", 15), ("killed", 9)], MPICH: [("killed", 9)]}


@dataclass
class Cause:
    ends: list                   # (status, signal) of a rank that dies of it
    code: dict                   # exit code of the launcher, by MPI
    in_call: dict = field(default_factory=dict)  # by moment, where it is not the moment's
    codes: dict = field(default_factory=dict)    # by (MPI, moment), where it is another one
    calls: dict = field(default_factory=dict)    # by moment: what the victims' peers have called besides


def by_signal(number):
    return Cause([("killed", number)], {OPENMPI: 128 + number, MPICH: number})


MPI_MISUSED = {(mpi, moment): 1 for mpi in (OPENMPI, MPICH) for moment in ("before", "finalized")}  # the library ends it with 1
CAUSES = {
    "exit": Cause([("exited", None)], {OPENMPI: 3, MPICH: 3}),
    "_exit": Cause([("exited", None)], {OPENMPI: 3, MPICH: 3}),
    "abort": by_signal(6),
    "segv": by_signal(11),
    "kill": by_signal(9),
    "term": by_signal(15),
    "xcpu": by_signal(24),
    "exception": by_signal(6),
    "memory": by_signal(6),  # std::bad_alloc, which nobody catches
    "cgroup": by_signal(9),
    # In "blocked" a signal handler calls it inside MPI_Recv, which is the call that the program made.
    "mpi_abort": Cause([("aborted", None)], {OPENMPI: 3, MPICH: 3}, codes=MPI_MISUSED,
                       in_call={"before": "MPI_Abort", "compute": "MPI_Abort", "finalize": "MPI_Abort"}),
    # The library ends the process: Open MPI by exit, which its launcher may forestall; MPICH has hydra kill it.
    "mpi_error": Cause([("exited", None), ("killed", 15), ("killed", 9)], {OPENMPI: 6, MPICH: 6},  # MPI_ERR_RANK
                       codes={**MPI_MISUSED, (OPENMPI, "blocked"): 15, (MPICH, "blocked"): 14},     # MPI_ERR_TRUNCATE
                       in_call={"before": "MPI_Comm_rank", "compute": "MPI_Send", "finalize": "MPI_Send"},
                       calls={"blocked": {"MPI_Send": 1}}),
}
# Before MPI_Init neither counts as a call of a rank: the library ends the process.
WITHOUT_RANK = {"mpi_abort": [("exited", None)], "mpi_error": [("exited", None), ("killed", 15)]}

# -- what makes no sense

NO_CALL_IN_INIT = "MPI allows the program no call inside MPI_Init, and the library's own faults there can't be provoked"
HYDRA_WAITS = "hydra does not see that a rank has ended by itself before MPI_Init: the other one waits for ever, also without the tool"
AS_KILL = "the kernel's end for want of memory is SIGKILL: the same as 'kill' at this moment"
ORTE_CRASHES = "Open MPI 4.1.4's launcher crashes or hangs at times (PMIx_server_finalize), also without the tool"
LEFT_OUT = {
    (OPENMPI, "mpi_abort", "finalize", "one"): ORTE_CRASHES,
    **{("*", cause, "init", "*"): NO_CALL_IN_INIT for cause in ("mpi_abort", "mpi_error")},
    **{(MPICH, cause, "before", "one"): HYDRA_WAITS for cause in ("exit", "_exit", "mpi_abort", "mpi_error")},
    **{(MPICH, cause, "init", "one"): HYDRA_WAITS for cause in ("exit", "_exit")},
    **{("*", "cgroup", moment, "*"): AS_KILL for moment in ("before", "init", "finalize", "finalized")},
}


def left_out(mpi, cause, moment, who):
    """The reason, or None."""
    for key, reason in LEFT_OUT.items():
        if all(wanted in ("*", value) for wanted, value in zip(key, (mpi, cause, moment, who))):
            return reason
    return None


def cells(mpi, moments, causes=None):
    return [(cause, moment, who) for moment in moments for cause in causes or CAUSES for who in ("one", "all")
            if not left_out(mpi, cause, moment, who)]


def exit_codes(mpi, cause, moment):
    """Hydra joins the wait statuses of all ranks, also of those that it killed (9), with a bitwise or, or gives one of them; a rank
    that meets a dead peer ends with 1."""
    code = CAUSES[cause].codes.get((mpi, moment), CAUSES[cause].code[mpi])
    return {code, code | 9, 9, 1} if mpi == MPICH else {code}


@dataclass
class Expected:
    """Of one process."""
    recorded: bool
    ends: list
    in_call: str | None
    calls: dict


def expected_victim(mpi, cause, moment, who):
    when, how = MOMENTS[moment], CAUSES[cause]
    calls = dict(when.calls)
    if who == "all": calls.update(how.calls.get(moment, {}))
    in_call = how.in_call.get(moment, when.in_call)
    if moment == "finalized": return Expected(True, [("finalized", None)], None, calls)
    ends = how.ends if when.initialised else WITHOUT_RANK.get(cause, how.ends)
    return Expected(when.recorded or moment in how.in_call, ends, in_call, calls)


def expected_other(mpi, cause, moment):
    when = MOMENTS[moment]
    if moment == "finalized": return Expected(True, [("finalized", None)], None, dict(when.calls))
    return Expected(True, BY_LAUNCHER[mpi], when.other_in_call, {**when.calls, **CAUSES[cause].calls.get(moment, {})})
