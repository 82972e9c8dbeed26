#pragma once
// Operations that are under way: from a request handle to what was started, so that a wait can be booked on the operation that
// it completed.
//
// Several operations may share a handle (small sends do in Open MPI and MPICH, since they are complete at once): they form a
// queue, the oldest is completed first. Libraries hand a completed handle out again at once, to any thread: under
// MPI_THREAD_MULTIPLE an operation is therefore taken out before the wait and put back if it was not completed.

#include <cstdint>

#include "recorder.hpp"

namespace scope::preload {

struct Communicator;

/// What the completion of an operation books.
enum class Flow : std::uint8_t {
  nothing,         ///< sends: their bytes were booked when they began
  from_status,     ///< receives: bytes, source and tag are in the status
  exchanged,       ///< MPI_Isendrecv: bytes are in the status; the entry is that of the send, as with MPI_Sendrecv
  fixed,           ///< collectives, MPI_Rget: `received` bytes
  read, written    ///< I/O: bytes are in the status
};

struct Operation {
  Word handle;
  Communicator *comm;
  std::int64_t bytes;        ///< key of the signature: of one operation
  std::uint64_t sent;        ///< booked at each start of a persistent operation
  std::uint64_t received;    ///< booked at completion, Flow::fixed
  std::int32_t peer, tag, root;
  std::uint16_t call;        ///< wire::Call that made the request
  Flow flow;
  bool persistent : 1;
  bool active : 1;
  Started started;           ///< by which event; of a persistent one: by its last start
};

inline constexpr std::uint32_t operation_limit = 65536;  ///< tracked at once; more are counted in Header::untracked_requests

/// Remembers an operation. It keeps its communicator until it is gone.
void add_operation(const Operation &operation);

/// Completes the oldest active operation of a handle: a persistent one becomes inactive, another is removed. False if there is
/// none. The caller drops `operation.comm` with `finish_operation`.
bool take_operation(Word handle, Operation &operation);
/// Puts back what take_operation gave.
void restore_operation(const Operation &operation);
/// Ends the life of a taken operation that was completed.
void finish_operation(const Operation &operation);

/// The oldest active operation of a handle without changing it. Not under MPI_THREAD_MULTIPLE.
const Operation *peek_operation(Word handle);

/// Marks a persistent operation as active and gives a copy. `started`: the event that says so.
bool start_operation(Word handle, Started started, Operation &operation);

/// Forgets the oldest operation of a handle, active or not (MPI_Request_free).
void free_operation(Word handle);

std::uint32_t operation_count();

}  // namespace scope::preload
