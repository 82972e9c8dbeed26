#pragma once
// Communicators, windows, files and matched messages of the program: which record a handle stands for now, and which rank
// of MPI_COMM_WORLD a peer is. Handles are reused by the libraries, so a freed one is forgotten before it is freed.

#include <cstdint>

#include "recorder.hpp"

namespace scope::preload {

/// Ends of a neighbourhood collective: how many, and which of them are MPI_PROC_NULL and carry nothing.
struct Topology {
  std::int32_t out_degree, in_degree;
  std::uint8_t *out_null, *in_null;  ///< per neighbour; nullptr when none is MPI_PROC_NULL
};

struct Communicator {
  Word handle;
  std::uint64_t key;
  std::uint32_t index;        ///< of its record in the live block
  std::int32_t rank, size, remote_size;
  bool inter, foreign;
  std::int32_t *to_world;     ///< of peers (the remote group in an intercommunicator); nullptr: ranks are world ranks already
  std::uint32_t created;      ///< collective creations on it so far: the same number on all of its ranks
  std::uint32_t references;   ///< the handle, and every request in flight
  std::uint64_t group_hash;
  Topology *topology;
};

SCOPE_HIDDEN extern std::uint32_t comm_epoch;  ///< changes whenever a handle is freed

/// After MPI_Init: the records of MPI_COMM_WORLD and MPI_COMM_SELF.
void start_communicators();

inline CommSlot &comm_slot(Thread &thread, Word handle) { return thread.comms[(handle ^ handle >> 7 ^ handle >> 12) % 16]; }
Communicator *look_up_communicator(Thread &thread, Word handle);

/// The communicator of a handle that was seen before, nullptr otherwise. Asks the library nothing.
inline Communicator *known_communicator(Thread &thread, Word handle) {
  const CommSlot &slot = comm_slot(thread, handle);
  if (__builtin_expect(slot.handle == handle && slot.epoch == __atomic_load_n(&comm_epoch, __ATOMIC_ACQUIRE), true)) return slot.comm;
  return look_up_communicator(thread, handle);
}
/// The same, and makes its record if it is new. The handle must be valid: the call that it was given to has succeeded.
Communicator *any_communicator(Thread &thread, Word handle);

/// A communicator that a call on `parent` has made. `distinct` is mixed into its key (the tag of MPI_Comm_create_group);
/// `collective` says that all ranks of the parent made the call. MPI_COMM_NULL only advances the parent's count.
void created_communicator(Thread &thread, Communicator *parent, Word handle, bool collective, std::uint64_t distinct);
/// The same before the handle may be asked (MPI_Comm_idup): it has the parent's group.
void duplicated_communicator(Communicator *parent, Word handle);

void forget_communicator(Word handle);
void rename_communicator(Communicator &communicator, const char *name);
void keep(Communicator *communicator);   ///< a binding refers to it
void drop(Communicator *communicator);
/// The same for a request of the thread, or one that it completes.
void keep(Thread &thread, Communicator *communicator);
void drop(Thread &thread, Communicator *communicator);

/// The rank of MPI_COMM_WORLD behind a peer; a peer of another world stays as it is (the record is marked foreign).
inline std::int32_t world_rank(const Communicator *communicator, std::int32_t peer) {
  if (!communicator || !communicator->to_world || peer < 0) return peer;
  std::int32_t peers = communicator->inter ? communicator->remote_size : communicator->size;
  return peer < peers ? communicator->to_world[peer] : peer;
}

/// Neighbours, asked for once; nullptr when the communicator has no topology.
const Topology *topology_of(Communicator &communicator);

// Handles that lead to a communicator: windows, files, matched messages.
void bind_handle(Word handle, Communicator *communicator);
Communicator *bound_communicator(Word handle);
/// Removes the binding; the caller must `drop` what it gets.
Communicator *unbind_handle(Word handle);

/// Which event found a message (run --trace), kept until it is received.
void keep_probe(Word message, Started event);
Started take_probe(Word message);

}  // namespace scope::preload
