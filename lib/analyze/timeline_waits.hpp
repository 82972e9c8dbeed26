#pragma once
// Wait states: the part of a call in which nothing could move, because another rank was late.
//
// Definitions are those of Scalasca's patterns (Geimer, Wolf, Wylie, Abraham, Becker, Mohr: "The Scalasca performance toolset
// architecture", Concurrency and Computation 22(6), 2010, and its "Performance properties"; of remote memory access: Hermanns,
// Geimer, Mohr, Wolf: "Scalable detection of MPI-2 remote memory access inefficiency patterns", EuroPVM/MPI 2009), in our words:
//   late-sender     a receive, or a wait for one, or a probe, until the send begins
//   late-receiver   a send that blocks, or a wait for one, until the receive is posted. Only where it ended after that: what the
//                   library buffered waits for nobody
//   wait-barrier    a barrier until the last rank enters it
//   wait-nxn        likewise an operation in which all ranks need all; also what is collective without being communication
//   late-broadcast  an operation from one rank to all, on the others: until the root enters it
//   early-reduce    an operation from all ranks to one, on that one: until the first of the others enters it
//   early-scan      a scan until the last of the lower ranks enters it
//   wait-finalize   MPI_Finalize until the last rank enters it
//   wait-fence      MPI_Win_fence until the last rank enters it
//   late-post       MPI_Win_start or MPI_Win_complete until the last target has called MPI_Win_post
//   early-wait      MPI_Win_wait until the last origin calls MPI_Win_complete
// Of what completes requests (nonblocking, persistent), the wait is the part of MPI_Wait and the like. A call has one wait state at
// most: that of the latest rank that it needed, so that waits on many requests are not counted twice.

#include <array>
#include <cstdint>
#include <vector>

#include "analyze/timeline_matching.hpp"

namespace scope::analyze {

enum class Pattern : std::uint8_t {
  late_sender,
  late_receiver,
  wait_barrier,
  wait_nxn,
  late_broadcast,
  early_reduce,
  early_scan,
  wait_finalize,
  wait_fence,
  late_post,
  early_wait
};

/// "late-sender": the name in the profile.
constexpr const char *pattern_name(Pattern pattern) {
  constexpr const char *names[] = {"late-sender", "late-receiver", "wait-barrier",  "wait-nxn",   "late-broadcast", "early-reduce",
                                   "early-scan",  "wait-finalize", "wait-fence",    "late-post",  "early-wait"};
  return names[static_cast<std::size_t>(pattern)];
}

/// What a call needs of another rank before it can end.
struct Need {
  Pattern pattern = Pattern::late_sender;
  bool certain = false;            ///< no library ends the call before that
  std::uint32_t part = 0;          ///< place of the call, or of what belongs to it, whose signature names it
  std::uint32_t late = none;       ///< number of the event that must begin first
  std::uint32_t operation = none;  ///< of a collective operation
};

/// What a call and its parts need, in the order of the parts, as far as it is known.
void find_needs(const Recording &recording, const Matches &matches, std::uint32_t rank, std::uint32_t call,
                std::vector<Need> &needs);

struct Wait {
  std::int64_t begin = 0, ns = 0;  ///< from the begin of the call
  std::uint32_t call = 0, part = 0;  ///< places in the rank's list, see Need
  std::uint32_t late = none, late_rank = 0;  ///< number of an event, index of its rank
  std::uint32_t lane = 0, late_lane = 0;     ///< whose thread waits for whose
  Pattern pattern = Pattern::late_sender;
};

struct CallSum {
  std::int64_t calls = 0, total_ns = 0, waiting_ns = 0;
};

struct WaitStates {
  std::vector<std::vector<Wait>> by_rank;         ///< in the order of the calls
  std::array<CallSum, wire::call_count> calls{};  ///< of calls within the window
  std::vector<std::int64_t> mpi_ns, waiting_ns;   ///< by rank
  std::int64_t clock_violations = 0, clock_worst_ns = 0;
};

/// Over all calls within the window. A wait that is no longer than the clocks' errors of the two ranks together is none; what
/// contradicts causality by more than that is counted as a violation, and is no wait.
WaitStates find_waits(const Recording &recording, const Matches &matches);

}  // namespace scope::analyze
