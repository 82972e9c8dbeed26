#pragma once
// Typed view of mpi_calls.def. Used by the preloaded shim and by the tool; both check table_hash, so that ids of one build
// are never read with the table of another. Everything is constexpr and free of allocation and of the standard library.

#include <cstdint>

namespace scope::wire {

/// What kind of operation a procedure is. The names in region names and profiles are given by kind_name().
enum class Kind : std::uint8_t { POINT_TO_POINT, WAIT, COLLECTIVE, ONE_SIDED, IO, PROCESS, OTHER };

/// What the arguments say about traffic (first block), or the bookkeeping that a call needs (second block).
enum class Rule : std::uint8_t {
  NOTHING, SEND, RECV, MRECV, SENDRECV, SENDRECV_REPLACE, PSEND, PRECV,
  BCAST, GATHER, GATHERV, SCATTER, SCATTERV, REDUCE, ALLREDUCE, EXSCAN, ALLGATHER, ALLGATHERV, ALLTOALL, ALLTOALLV, ALLTOALLW,
  REDUCE_SCATTER, REDUCE_SCATTER_BLOCK,
  NEIGHBOR_ALLGATHER, NEIGHBOR_ALLGATHERV, NEIGHBOR_ALLTOALL, NEIGHBOR_ALLTOALLV, NEIGHBOR_ALLTOALLW,
  PUT, GET, GET_ACCUMULATE, FETCH_AND_OP, COMPARE_AND_SWAP, READ, WRITE,
  INIT, SESSION_INIT, FINALIZE, ABORT, PCONTROL, START, STARTALL, REQUEST_FREE, REQUEST_STATUS, CANCEL, PROBE, MPROBE,
  WAIT, WAITALL, WAITANY, WAITSOME, TEST, TESTALL, TESTANY, TESTSOME,
  COMM_CREATE, COMM_PARENT, COMM_FREE, COMM_NAME, TYPE_FREE, WIN_CREATE, WIN_FREE, FILE_OPEN, FILE_CLOSE
};

/// When traffic is booked. BLOCKING: at return. NONBLOCKING: sent bytes at the call, received ones at the completion of its
/// request. PERSISTENT: sent bytes at each start, received ones at each completion.
enum class Mode : std::uint8_t { BLOCKING, NONBLOCKING, PERSISTENT };

/// What an argument is, and with it its C type: `int` unless said. POLY_* and COUNT* are `int` in NAME and `MPI_Count` in
/// NAME_c; INT_AINT is `int` in NAME and `MPI_Aint` in NAME_c; AINT_COUNT is `MPI_Aint` in NAME and `MPI_Count` in NAME_c.
enum class Role : std::uint8_t {
  NONE,
  BUF, SENDBUF, RECVBUF,                                   // void *
  COUNT, SENDCOUNT, RECVCOUNT, SENDCOUNTS, RECVCOUNTS,     // counts of elements; the plural ones are arrays
  COUNT_OUT, PARTITIONS, BIGCOUNT, BIGCOUNT_PTR,           // BIGCOUNT is MPI_Count in both
  TYPE, SENDTYPE, RECVTYPE, OTHER_TYPE, TYPES, SENDTYPES, RECVTYPES, TYPES_OUT, TYPE_OUT, TYPE_INOUT,
  DEST, SOURCE, TARGET, ROOT, TAG, SENDTAG, RECVTAG,
  COMM, COMM_OUT, COMM_INOUT, WIN, WIN_OUT, WIN_INOUT, FH, FH_OUT, FH_INOUT, MESSAGE_OUT, MESSAGE_INOUT,
  REQUEST, REQUEST_IN, REQUEST_OUT, REQUESTS,              // REQUEST: MPI_Request *, REQUEST_IN: MPI_Request
  N, OUTCOUNT, INDICES, INDEX, FLAG, STATUS, STATUSES, STATUS_IN,
  OP, OP_OUT, OP_INOUT, GROUP, GROUP_OUT, GROUP_INOUT, INFO, INFOS, INFO_OUT, INFO_INOUT,
  ERRHANDLER, ERRHANDLER_OUT, ERRHANDLER_INOUT, SESSION, SESSION_OUT, SESSION_INOUT,
  INT, INT_PTR, POLY_INT, POLY_INT_PTR, INT_AINT, INT_AINT_PTR, AINT, AINT_PTR, AINT_COUNT, AINT_COUNT_PTR,
  OFFSET, OFFSET_OUT, STRING, POINTER, FUNCTION
};

inline constexpr int max_arity = 16;

/// One procedure.
struct CallInfo {
  const char *name;  ///< with its prefix: "MPI_Send", "MPI_Send_c", "MPIX_Allreduce_init"
  Kind kind;
  Rule rule;
  Mode mode;
  bool large;  ///< the NAME_c form: counts are MPI_Count (64 bits)
  std::uint8_t arity;
  Role roles[max_arity];

  /// Position of the first argument with this role, -1 when there is none.
  constexpr int find(Role role) const {
    for (int i = 0; i < arity; ++i)
      if (roles[i] == role) return i;
    return -1;
  }
};

/// A procedure that is not timed, and why.
struct NotTimed {
  const char *name;
  const char *reason;
};

#define SCOPE_LARGE(...) __VA_ARGS__
#define SCOPE_SMALL(...)

/// Index of a procedure in `calls`. The order is that of mpi_calls.def with every _c variant behind its row.
enum class Call : std::uint16_t {
#define MPI_CALL(name, kind, rule, mode, size, roles) name, SCOPE_##size(name##_c, )
#define MPI_NOT_TIMED(name, reason)
#include "mpi_calls.def"
#undef MPI_CALL
#undef MPI_NOT_TIMED
  none
};

inline constexpr int call_count = static_cast<int>(Call::none);

namespace detail {
using enum Role;
template <class... Roles>
constexpr CallInfo row(const char *name, Kind kind, Rule rule, Mode mode, bool large, Roles... roles) {
  return {name, kind, rule, mode, large, static_cast<std::uint8_t>(sizeof...(Roles)), {roles...}};
}
#define SCOPE_ARGUMENTS(...) __VA_OPT__(, ) __VA_ARGS__
inline constexpr CallInfo calls[] = {
#define MPI_CALL(name, kind, rule, mode, size, roles)                                                        \
  row(#name, Kind::kind, Rule::rule, Mode::mode, false SCOPE_ARGUMENTS roles),                               \
      SCOPE_##size(row(#name "_c", Kind::kind, Rule::rule, Mode::mode, true SCOPE_ARGUMENTS roles), )
#define MPI_NOT_TIMED(name, reason)
#include "mpi_calls.def"
#undef MPI_CALL
#undef MPI_NOT_TIMED
};
#undef SCOPE_ARGUMENTS
}  // namespace detail

using detail::calls;
static_assert(sizeof calls / sizeof calls[0] == call_count);

inline constexpr NotTimed not_timed[] = {
#define MPI_CALL(name, kind, rule, mode, size, roles)
#define MPI_NOT_TIMED(name, reason) {#name, reason},
#include "mpi_calls.def"
#undef MPI_CALL
#undef MPI_NOT_TIMED
};

constexpr const CallInfo &info(Call call) { return calls[static_cast<int>(call)]; }

/// "point-to-point", "wait", ...: the word in region names and profiles.
constexpr const char *kind_name(Kind kind) {
  switch (kind) {
    case Kind::POINT_TO_POINT: return "point-to-point";
    case Kind::WAIT: return "wait";
    case Kind::COLLECTIVE: return "collective";
    case Kind::ONE_SIDED: return "one-sided";
    case Kind::IO: return "io";
    case Kind::PROCESS: return "process";
    case Kind::OTHER: return "other";
  }
  return "other";
}

/// FNV-1a over all names and roles: equal only for builds with the same table.
constexpr std::uint64_t table_hash() {
  std::uint64_t hash = 14695981039346656037ull;
  auto mix = [&hash](unsigned char byte) { hash = (hash ^ byte) * 1099511628211ull; };
  for (const CallInfo &call : calls) {
    for (const char *c = call.name; *c; ++c) mix(static_cast<unsigned char>(*c));
    mix(static_cast<unsigned char>(call.rule));
    for (int i = 0; i < call.arity; ++i) mix(static_cast<unsigned char>(call.roles[i]));
  }
  return hash;
}

}  // namespace scope::wire
