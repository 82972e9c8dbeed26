#pragma once
// Which events belong together: sends and receives, the ranks' parts of a collective operation, epochs of remote memory access.

#include <cstdint>
#include <vector>

#include "analyze/timeline_recording.hpp"
#include "model/timeline_results.hpp"

namespace scope::analyze {

/// One collective operation: what each rank of the communicator that has a timeline began.
struct Operation {
  std::uint32_t begin = 0, end = 0;  ///< in Matches::members
  std::uint32_t first = none;        ///< the event that came first; of all_to_root: of those that are not the root's
  std::uint32_t last = none;         ///< the event that came last
  std::uint32_t root = none;         ///< the root's event
  Shape shape = Shape::none;
  bool whole = false;  ///< all have it, all are in the same operation, within the window
};

/// Numbers of events; none where there is nothing.
struct Matches {
  /// Of a send: the event in which its message was received (blocking receive, completion, receiving half). Of such a receive, and
  /// of what only saw the message (MPI_Probe, MPI_Mprobe): the send. Of what begins a part of a collective operation: the number of
  /// the Operation. Of MPI_Win_start and MPI_Win_complete: the MPI_Win_post that came last of those it needs; of MPI_Win_wait: the
  /// MPI_Win_complete that came last.
  std::vector<std::uint32_t> partner;
  std::vector<Operation> operations;
  std::vector<std::uint32_t> members;   ///< of the operations, by rank
  std::vector<model::UnmatchedRow> unmatched;  ///< most first; at most most_unmatched
  model::TimelineNotes notes;           ///< what there is to tell of it
};

inline constexpr std::size_t most_unmatched = 200;

/// All of it. Sends and receives are matched in the order of MPI 4.1, 3.5: messages of one sender, communicator and tag are
/// received in the order in which they were sent by the receives in the order in which these were posted (MPI_Mrecv: in which
/// MPI_Mprobe found them, 3.8.2), whatever they name. Receives that were cancelled or never completed take no part. Of collective
/// operations, the n-th of a rank on a communicator belongs to the n-th of the others (6.14): nonblocking ones count where
/// they begin; persistent ones where they are started, by operation, since their starts need no order among each other (6.13).
Matches match(const Recording &recording);

/// Its parts.
void match_messages(const Recording &recording, Matches &matches);
void match_collectives(const Recording &recording, Matches &matches);
/// Post and start, complete and wait (MPI 4.1, 12.5.2). The groups are not recorded: whom an epoch accesses is taken from the calls
/// in it, and the exposure is the target's first that this rank has not used yet and that was not over before.
void match_epochs(const Recording &recording, Matches &matches);

/// The place, in the list of `rank`, of the event that posted the receive that this event completed: itself where it is a blocking
/// one, or where nothing is known.
std::uint32_t posting_of(const Recording &recording, std::uint32_t rank, std::uint32_t place);

}  // namespace scope::analyze
