#pragma once
// Operations that are under way: from a request handle to what was started, so that a wait can be booked on the operation that
// it completed.
//
// Several operations may share a handle (small sends do in Open MPI and MPICH, since they are complete at once): they form a
// queue, the oldest is completed first. Libraries hand a completed handle out again at once, to any thread: under
// MPI_THREAD_MULTIPLE an operation is therefore taken out before the wait and put back if it was not completed.
//
// Each thread has a map of its own for what it began, with a lock and memory of its own, so that threads that complete their own
// requests share nothing. What is not there is looked for in the maps of the others; what is put back goes into the map of who
// puts it back, so that a thread that polls requests of others finds them at once from the second time on.
//
// Of operations of several threads that share a handle, a thread gets its own first, the oldest first.

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
  Communicator *comm;        ///< only where the source that a status names must be translated: holding it costs a shared counter
  std::int64_t bytes;        ///< key of the signature: of one operation
  std::uint64_t received;    ///< booked at completion, Flow::fixed
  std::int32_t peer, tag, root;
  std::uint32_t comm_index;  ///< of its record, wire::none_comm
  Started started;           ///< by which event; of a persistent one: by its last start
  std::uint16_t call;        ///< wire::Call that made the request
  Flow flow;
  bool active;               ///< changed without a lock by who has taken a persistent one
  bool persistent;
  bool sends;                ///< each start of a persistent operation books `bytes` as sent
  bool foreign;              ///< taken out of another thread's map
};

/// Memory is taken for so many (2.8 MiB); more are counted in Header::untracked_requests. With a full table of signatures and a wait
/// on all of them a rank stays below 16 MiB.
inline constexpr std::uint32_t operation_limit = 32768;

/// A place for an operation, to be filled and then given to add_operation; nullptr without memory. What it held before is in it.
Operation *new_operation(Thread &thread);
/// Remembers an operation. It keeps its communicator until it is gone.
void add_operation(Thread &thread, Operation *operation);

/// Takes the oldest active operation of a handle: a persistent one becomes inactive, another can't be found any more. nullptr if
/// there is none. It is the caller's until it is put back or ended.
Operation *take_operation(Thread &thread, Word handle);
/// Puts back what take_operation gave.
void restore_operation(Thread &thread, Operation *operation);
/// Ends the life of a taken operation that was completed; a persistent one stays.
void finish_operation(Thread &thread, Operation *operation);

/// Marks a persistent operation as active; nullptr if there is none. `started`: the event that says so.
const Operation *start_operation(Thread &thread, Word handle, Started started);

/// Forgets the oldest operation of a handle, active or not (MPI_Request_free).
void free_operation(Thread &thread, Word handle);

/// How many can be found, of all threads.
std::uint32_t operation_count();

}  // namespace scope::preload
