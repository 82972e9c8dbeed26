#pragma once
// What the procedures of the table mean to an analysis of timelines: who sends, who receives, who meets whom.

#include <cstdint>
#include <string_view>

#include "timeline/timeline.hpp"
#include "wire/mpi_calls.hpp"

namespace scope::analyze {

/// Whose ranks must all call a procedure, in the same order.
enum class Over : std::uint8_t { nobody, communicator, window, file, world };

namespace detail {

constexpr bool is_collective_on_file(std::string_view name) {
  for (std::string_view part :
       {"_all", "_ordered", "_set_view", "_set_size", "_preallocate", "_sync", "_set_atomicity", "_seek_shared"})
    if (name.find(part) != name.npos) return true;
  return false;
}

constexpr bool is_of_a_part(std::string_view name) {
  return name == "MPI_Comm_create_group" || name == "MPI_Comm_join" || name == "MPI_Comm_create_from_group" ||
         name.starts_with("MPI_Intercomm_create");
}

}  // namespace detail

/// MPI 4.1: chapters 6 (collective communication), 7.4.2 and 7.4.3 (communicators), 12.2 and 12.5.1 (windows), 14 (files: every
/// procedure that has "collective" in its text), 11.2.2 (MPI_Finalize). The number of such a call among those of its rank on the
/// communicator, window or file tells which calls belong together, so that what is called with a part of the ranks is left out
/// everywhere; so are those that only set something up (MPI_Bcast_init; the start counts), MPI_Init, and MPI_Comm_set_info,
/// MPI_Win_set_info and MPI_File_set_info, with which no library communicates.
constexpr Over collective_over(const wire::CallInfo &call) {
  const std::string_view name = call.name;
  switch (call.rule) {
    case wire::Rule::COMM_CREATE: return detail::is_of_a_part(name) ? Over::nobody : Over::communicator;
    case wire::Rule::COMM_FREE:
    case wire::Rule::WIN_CREATE:
    case wire::Rule::FILE_OPEN: return Over::communicator;
    case wire::Rule::WIN_FREE: return Over::window;
    case wire::Rule::FILE_CLOSE: return Over::file;
    case wire::Rule::FINALIZE: return Over::world;
    default: break;
  }
  if (call.kind == wire::Kind::COLLECTIVE) return call.mode == wire::Mode::PERSISTENT ? Over::nobody : Over::communicator;
  if (call.kind == wire::Kind::ONE_SIDED) return name == "MPI_Win_fence" ? Over::window : Over::nobody;
  if (call.kind == wire::Kind::IO) return detail::is_collective_on_file(name) ? Over::file : Over::nobody;
  return Over::nobody;
}

/// Who needs whom in a collective operation.
enum class Shape : std::uint8_t {
  none,        ///< no such thing, or only neighbours, which are not known
  barrier,
  all_to_all,  ///< nobody leaves before all have come
  root_to_all,
  all_to_root,
  prefix,      ///< everyone needs the lower ranks
  fence,
  finalize
};

constexpr Shape shape_of(const wire::CallInfo &call) {
  const std::string_view name = call.name;
  switch (call.rule) {
    case wire::Rule::BCAST:
    case wire::Rule::SCATTER:
    case wire::Rule::SCATTERV: return Shape::root_to_all;
    case wire::Rule::REDUCE:
    case wire::Rule::GATHER:
    case wire::Rule::GATHERV: return Shape::all_to_root;
    case wire::Rule::EXSCAN: return Shape::prefix;
    case wire::Rule::ALLREDUCE:
      return name.find("scan") != name.npos || name.find("Scan") != name.npos ? Shape::prefix : Shape::all_to_all;
    case wire::Rule::NEIGHBOR_ALLGATHER:
    case wire::Rule::NEIGHBOR_ALLGATHERV:
    case wire::Rule::NEIGHBOR_ALLTOALL:
    case wire::Rule::NEIGHBOR_ALLTOALLV:
    case wire::Rule::NEIGHBOR_ALLTOALLW: return Shape::none;
    case wire::Rule::FINALIZE: return Shape::finalize;
    default: break;
  }
  if (name == "MPI_Win_fence") return Shape::fence;
  if (name == "MPI_Comm_free") return Shape::none;  // "normally implemented to be local", 7.4.3
  if (call.kind == wire::Kind::COLLECTIVE && call.rule == wire::Rule::NOTHING) return Shape::barrier;
  const bool persistent = call.kind == wire::Kind::COLLECTIVE && call.mode == wire::Mode::PERSISTENT;
  return persistent || collective_over(call) != Over::nobody ? Shape::all_to_all : Shape::none;
}

constexpr bool sends(wire::Rule rule) {
  return rule == wire::Rule::SEND || rule == wire::Rule::PSEND || rule == wire::Rule::SENDRECV ||
         rule == wire::Rule::SENDRECV_REPLACE;
}
constexpr bool receives(wire::Rule rule) {
  return rule == wire::Rule::RECV || rule == wire::Rule::MRECV || rule == wire::Rule::PRECV;
}
constexpr bool starts(wire::Rule rule) { return rule == wire::Rule::START || rule == wire::Rule::STARTALL; }

/// A send that may wait for its receiver: all but the buffered ones, which are local (MPI 4.1, 3.4).
constexpr bool may_block(const wire::CallInfo &call) {
  const std::string_view name = call.name;
  return sends(call.rule) && name.find("bsend") == name.npos && name.find("Bsend") == name.npos;
}
/// A send that ends after its receive began, whatever its size.
constexpr bool is_synchronous(const wire::CallInfo &call) {
  const std::string_view name = call.name;
  return name.find("ssend") != name.npos || name.find("Ssend") != name.npos;
}
constexpr bool is_partitioned(const wire::CallInfo &call) {
  return call.rule == wire::Rule::PSEND || call.rule == wire::Rule::PRECV;
}

/// NAME for NAME_c: what the variants have in common has one name.
constexpr wire::Call base_of(wire::Call call) {
  return call != wire::Call::none && wire::info(call).large ? static_cast<wire::Call>(static_cast<int>(call) - 1) : call;
}

/// What an event does, as far as its signature says.
enum class Act : std::uint8_t {
  none,
  send,        ///< a message leaves: call or start
  receive,     ///< a message has come: blocking receive, completion
  probe,       ///< a message is seen
  collective,  ///< arrives at a collective operation
};

/// The operation that an event of this signature is about: of MPI_Start and of a wait the request's, else the procedure itself.
constexpr wire::Call operation_of(const timeline::Signature &signature) {
  if (signature.call == wire::Call::none) return wire::Call::none;
  const wire::CallInfo &call = wire::info(signature.call);
  return starts(call.rule) || call.kind == wire::Kind::WAIT ? signature.request_call : signature.call;
}

/// Of events of Kind::call, completion and start. (Kind::receive is a receive always.) Peers that are not known, MPI_PROC_NULL
/// among them, take no part.
constexpr Act act_of(const timeline::Signature &signature) {
  const wire::Call what = operation_of(signature);
  if (what == wire::Call::none) return Act::none;
  const wire::CallInfo &call = wire::info(signature.call), &operation = wire::info(what);
  const bool known = signature.comm >= 0 && signature.peer >= 0;
  if (call.kind == wire::Kind::WAIT) return receives(operation.rule) && known ? Act::receive : Act::none;
  if (starts(call.rule)) {
    if (sends(operation.rule)) return known ? Act::send : Act::none;
    return operation.kind == wire::Kind::COLLECTIVE && signature.comm >= 0 ? Act::collective : Act::none;
  }
  const Over over = collective_over(call);
  if (over != Over::nobody) return over == Over::world || signature.comm >= 0 ? Act::collective : Act::none;
  if (call.mode == wire::Mode::PERSISTENT || !known) return Act::none;
  if (sends(call.rule)) return Act::send;
  if (call.rule == wire::Rule::PROBE) return call.find(wire::Role::FLAG) < 0 ? Act::probe : Act::none;  // MPI_Iprobe may see nothing
  return receives(call.rule) && call.mode == wire::Mode::BLOCKING ? Act::receive : Act::none;
}

}  // namespace scope::analyze
