#pragma once
// How far this node's CLOCK_MONOTONIC is from the launcher's, asked of the launcher itself (run --trace). No MPI call and nothing
// that another rank waits for: a rank that dies, or never gets here, takes nobody with it. Ranks on the launcher's own node look
// into their environment and do nothing. It takes place outside of MPI_Init and MPI_Finalize, before the one and after the other: a
// millisecond of one rank in between would be waiting of others, and may change what a program does.

#include "wire/trace_block.hpp"

namespace scope::preload {

/// Notes the measurement in header.offsets[which], which is 0 before MPI_Init and 1 after MPI_Finalize. Only one process of a node
/// asks, the first that comes here. False, and nothing noted, where another one asks, the node is the launcher's, there is no
/// launcher to ask, or it does not answer within 200 ms (then nobody of the node asks again). `run_dir` is the run directory.
bool exchange_clock(wire::TraceHeader &header, int which, const char *run_dir);

/// Tells the launcher, where there is one to be told, that this node's data are in `directory` of this node. Half a second at most.
void tell_away(const char *run_id, const char *boot_id, const char *host, const char *directory);

}  // namespace scope::preload
