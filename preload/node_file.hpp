#pragma once
// This rank's part of the node file (wire/node_file.hpp). Not thread-safe: MPI_Init, MPI_Finalize and the end of the process only.

#include <cstddef>

#include "wire/node_file.hpp"

namespace scope::preload {

/// Claims a slot in the file of this rank's node and world, which it makes where it is not there; the live block says who the rank is.
/// False: the file can't be made, mapped or written, or its slots are used up. The rank then writes a file of its own.
bool claim_slot(const char *directory);

/// Puts the dump into the slot, or, a second time, into another one, which replaces the first. False: no slot, or no room on
/// the disk; what was written before stays valid.
bool fill_slot();

/// The mapped header; nullptr before claim_slot.
extern wire::NodeHeader *node_header;
extern char node_path[4096];  ///< of the file

/// Number of this rank's slot: 0 is the leader's.
extern unsigned own_slot;

bool read_slot(int file, unsigned number, wire::NodeSlot &slot);
/// Whether the slot's pid means the same to this process.
bool shares_pids(const wire::NodeSlot &slot);

}  // namespace scope::preload
