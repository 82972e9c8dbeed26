#pragma once
// A running job between two looks at it: what every rank does, and how fast. Pure.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyze/stall.hpp"
#include "model/live_state.hpp"

namespace scope::analyze {

/// Of one rank, or added up over several, in the time between the two looks. Null where there was no earlier look.
struct Rates {
  std::optional<double> mpi_share;  ///< 0..1 of the time; of several ranks the mean
  std::optional<double> calls, bytes_sent, bytes_received;  ///< a second
};

struct WatchRank {
  int world = 0, rank = -1;
  std::string host;
  std::int64_t pid = 0;
  model::Doing doing = model::Doing::computing;
  model::RankStatus end = model::RankStatus::recovered;  ///< while gone
  std::string call, request;  ///< of Doing::in_call and asking; the request's operation of a wait
  int comm = -1, peer = -1, tag = -1;
  std::string comm_name;
  std::int64_t bytes = -1;
  std::int64_t since_ns = 0;  ///< how long it is there; 0 for a rank that is gone
  Rates rates;
  model::LiveCounts counts;
};

/// Ranks of one world that do the same: equal state, call and communicator.
struct WatchState {
  WatchRank first;         ///< peer, tag and request are -1 and "" where they differ; rates are those of all together
  std::vector<int> ranks;  ///< ascending
  bool many_peers = false;
  std::int64_t since_min_ns = 0, since_max_ns = 0;
};

struct WatchTotals {
  int ranks = 0, in_call = 0, computing = 0, asking = 0, gone = 0;
  int unreported = 0;  ///< ranks of the worlds that left no file yet
  Rates rates;
  model::LiveCounts counts;
};

struct Watched {
  std::vector<WatchRank> ranks;    ///< by world, then rank
  std::vector<WatchState> states;  ///< longest in its call first
  WatchTotals totals;
  bool several_worlds = false;
  std::int64_t still_ns = 0;         ///< for how long no rank made progress, as far as known
  std::optional<StallReport> stall;  ///< where that is the limit or more
};

/// Counts of an earlier look, by LiveRank::process.
struct WatchBefore {
  std::uint64_t at_ns = 0;  ///< 0: there was none
  std::map<std::string, model::LiveCounts> counts;
};
WatchBefore remember(const std::vector<model::LiveWorld> &worlds, std::uint64_t now_ns);

/// `observed_still_ns`: for how long the observer has seen no progress (StallClock). Ranks that are all in calls know more:
/// since when they are there.
Watched watch(const std::vector<model::LiveWorld> &worlds, const WatchBefore &before, std::uint64_t now_ns,
              std::int64_t observed_still_ns, std::int64_t stall_limit_ns);

enum class WatchOrder { since, mpi, calls, bytes, rank };
/// Highest first, ranks ascending. Ranks that are gone come last in every order but that of ranks.
void sort_ranks(std::vector<WatchRank> &ranks, WatchOrder order);
void sort_states(std::vector<WatchState> &states, WatchOrder order);

}  // namespace scope::analyze
