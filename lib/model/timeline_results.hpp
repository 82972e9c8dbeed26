#pragma once
// What a timeline explains (run --trace): who waited for whom, whose delay it was, which way the run could not have been shorter.
// Plain structs, the profile's "timeline" (DESIGN 6). Times are integer nanoseconds; instants are those of the timeline.
// Ranks are world ranks. Lists are bounded: see TimelineResults::folded.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace scope::model {

/// The timeline itself.
struct TimelineInfo {
  std::string file;          ///< its name, beside the profile; "" where it was not written
  std::int64_t events = 0;
  std::int64_t from_ns = 0;  ///< all ranks' events are there from here ...
  std::int64_t to_ns = 0;    ///< ... to here: what follows is about this time only
  bool complete = true;      ///< that is the whole run, of all ranks
  bool operator==(const TimelineInfo &) const = default;
};

struct TimelineRank {
  int world = 0, rank = 0;
  bool operator==(const TimelineRank &) const = default;
};

/// Calls of one signature in which a rank waited. What was folded into a row has -1 where it differed.
struct WaitStateRow {
  std::string pattern;  ///< "late-sender", "wait-nxn", ...: analyze/timeline_waits.hpp
  int world = 0;
  int rank = -1;        ///< who waited
  std::string call;     ///< "MPI_Waitall"
  std::string request;  ///< of a wait on requests: the operation waited for, "MPI_Irecv"; else ""
  int comm = -1;
  int peer = -1;        ///< for whom, in point-to-point; -1 in collectives (DelayRow says whose delay it was)
  int root = -1, tag = -1;
  std::int64_t bytes = -1;
  std::int64_t waits = 0, total_ns = 0, max_ns = 0;
  bool operator==(const WaitStateRow &) const = default;
};

/// Of one procedure: total_ns = waiting_ns + transfer_ns, over all ranks. transfer_ns is what the call would have taken had nobody
/// been late: moving data, and the library's own work.
struct CallWaiting {
  std::string call;
  std::int64_t calls = 0, total_ns = 0, waiting_ns = 0, transfer_ns = 0;
  bool operator==(const CallWaiting &) const = default;
};

/// Of one rank each, all vectors of one length, by world and rank: the ranks that have a timeline.
struct RankWaiting {
  std::vector<int> world, rank;
  std::vector<std::int64_t> mpi_ns;      ///< sum over its calls
  std::vector<std::int64_t> waiting_ns;  ///< of these
  std::vector<std::int64_t> caused_ns;   ///< waiting of all ranks whose origin is this one
  std::vector<std::int64_t> path_ns;     ///< of the critical path
  bool operator==(const RankWaiting &) const = default;
};

/// Where delays came from: what a rank did while others waited for it.
struct DelayRow {
  int world = 0;
  int rank = -1;        ///< -1: several, folded
  std::string region;   ///< innermost user region, "" outside
  std::string call;     ///< "" computation
  std::int64_t caused_ns = 0;  ///< waiting time of all ranks that it caused
  bool operator==(const DelayRow &) const = default;
};

struct CriticalPathRow {
  int world = 0;
  int rank = -1;        ///< -1: several, folded
  std::string region;
  std::string call;     ///< "" computation
  std::int64_t path_ns = 0;
  bool operator==(const CriticalPathRow &) const = default;
};

/// Sends and receives of one channel that found no partner.
struct UnmatchedRow {
  int world = 0, comm = -1, source = -1, destination = -1, tag = -1;
  std::int64_t sends = 0, receives = 0;
  bool operator==(const UnmatchedRow &) const = default;
};

/// POP's efficiencies with communication split in two: parallel = load_balance x communication, communication = serialisation x
/// transfer, each 0..1; null where no rank has time.
struct EfficiencySplit {
  std::optional<double> parallel, load_balance, communication, serialisation, transfer;
  std::int64_t run_ns = 0;    ///< longest rank
  std::int64_t ideal_ns = 0;  ///< the same on a network that takes no time
  bool approximate = false;   ///< dependencies contradicted each other somewhere and were left out there
  bool operator==(const EfficiencySplit &) const = default;
};

/// What had to be left out or put together, and what did not fit.
struct TimelineNotes {
  std::int64_t messages = 0;           ///< matched
  std::int64_t unmatched_sends = 0, unmatched_receives = 0;  ///< in `unmatched`
  std::int64_t beyond_window = 0;      ///< sends and receives without partner because a timeline ended
  std::int64_t collectives = 0;        ///< operations that all ranks took part in
  std::int64_t mismatched_collectives = 0;  ///< ranks were in different operations: events are missing
  std::int64_t partial_collectives = 0;     ///< not all ranks of the communicator have them
  std::int64_t clock_violations = 0;   ///< effects before their cause by more than the clocks' error
  std::int64_t clock_worst_ns = 0;     ///< the largest of these
  std::int64_t unattributed_ns = 0;    ///< waiting for which no origin was found
  std::int64_t folded = 0;             ///< rows of the lists that were put together to keep them short
  std::vector<TimelineRank> without;   ///< ranks that have no timeline
  std::vector<TimelineRank> cut;       ///< ranks whose timeline is not complete
  bool operator==(const TimelineNotes &) const = default;
};

struct TimelineResults {
  TimelineInfo info;
  std::int64_t waiting_ns = 0;                 ///< sum over all calls
  std::int64_t path_ns = 0;                    ///< length of the critical path: the run's
  std::vector<WaitStateRow> wait_states;       ///< by total_ns, longest first
  std::vector<CallWaiting> calls;              ///< by waiting_ns, longest first, then name
  RankWaiting ranks;
  std::vector<DelayRow> delays;                ///< by caused_ns, longest first
  std::vector<CriticalPathRow> critical_path;  ///< by path_ns, longest first
  std::vector<UnmatchedRow> unmatched;         ///< most first
  EfficiencySplit efficiency;
  TimelineNotes notes;
  bool operator==(const TimelineResults &) const = default;
};

}  // namespace scope::model
