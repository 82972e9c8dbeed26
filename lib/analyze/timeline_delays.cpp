#include "analyze/timeline_delays.hpp"

#include <algorithm>
#include <tuple>

namespace scope::analyze {
namespace {

/// A wait begins or ends to count, seen from the end of the run.
struct Boundary {
  std::int64_t instant = 0;
  std::uint32_t rank = 0, wait = 0;  ///< place in the rank's waits
  bool opens = false;                ///< at the end of the wait
};

std::vector<Boundary> boundaries_of(const std::vector<std::vector<Wait>> &waits) {
  std::vector<Boundary> boundaries;
  std::size_t count = 0;
  for (const auto &own : waits) count += own.size();
  boundaries.reserve(2 * count);
  for (std::uint32_t rank = 0; rank < waits.size(); ++rank)
    for (std::uint32_t i = 0; i < waits[rank].size(); ++i) {
      boundaries.push_back({waits[rank][i].begin + waits[rank][i].ns, rank, i, true});
      boundaries.push_back({waits[rank][i].begin, rank, i, false});
    }
  // Latest first. What ends at an instant, seen backwards, does so before the next begins: else they would seem to overlap.
  std::sort(boundaries.begin(), boundaries.end(), [](const Boundary &a, const Boundary &b) {
    return std::tuple(-a.instant, a.opens, a.rank, a.wait) < std::tuple(-b.instant, b.opens, b.rank, b.wait);
  });
  return boundaries;
}

/// The sweep from the end of the run to its begin.
class Sweep {
 public:
  Sweep(const Recording &recording, const std::vector<Track> &tracks, Delays &delays) : delays_(delays), states_(tracks.size()) {
    for (const Track &track : tracks) cursors_.emplace_back(track);
    for (std::uint32_t rank = 0; rank < recording.ranks(); ++rank)
      rank_of_lane_.insert(rank_of_lane_.end(), recording.first_lane[rank + 1] - recording.first_lane[rank], rank);
  }

  void open(std::int64_t instant, const Wait &wait) {
    State &own = states_[wait.lane];
    // A call within a call, of a damaged timeline, carries no more than its own time.
    const bool leads = own.waits_for == none;
    if (points_at(wait.late_lane, wait.lane)) {
      delays_.unattributed_ns += wait.ns;
      return;
    }
    settle(wait.lane, instant);
    if (leads) own = {wait.late_lane, wait.call, own.weight, instant};
    pass_on(wait.late_lane, instant, leads ? own.weight + 1 : 1);
    if (!leads) others_.push_back({wait.lane, wait.call});
  }

  void close(std::int64_t instant, const Wait &wait) {
    State &own = states_[wait.lane];
    if (own.waits_for != none && own.call == wait.call) {
      pass_on(wait.late_lane, instant, -(own.weight + 1));
      own.waits_for = none;
      own.since = instant;
      return;
    }
    auto found = std::find(others_.begin(), others_.end(), std::pair(wait.lane, wait.call));
    if (found == others_.end()) return;  // was not attributed
    others_.erase(found);
    pass_on(wait.late_lane, instant, -1);
  }

 private:
  struct State {
    std::uint32_t waits_for = none;  ///< a lane
    std::uint32_t call = 0;    ///< place of the call in which it waits
    std::int64_t weight = 0;   ///< lanes that point at this one, directly or not
    std::int64_t since = INT64_MAX;  ///< its charges are settled from here on
  };

  bool points_at(std::uint32_t from, std::uint32_t lane) const {
    while (from != none && from != lane) from = states_[from].waits_for;
    return from == lane;
  }

  /// Charges what was done since the last change of its weight, if it is the end of a chain.
  void settle(std::uint32_t lane, std::int64_t instant) {
    State &state = states_[lane];
    if (state.waits_for != none) return;
    auto charge = [&](Activity activity, std::int64_t ns) {
      delays_.charges.add(rank_of_lane_[lane], activity, ns * state.weight);
    };
    if (state.weight > 0) cursors_[lane].walk(instant, state.since, charge);
    state.since = instant;
  }

  void pass_on(std::uint32_t lane, std::int64_t instant, std::int64_t weight) {
    for (; lane != none; lane = states_[lane].waits_for) {
      settle(lane, instant);
      states_[lane].weight += weight;
    }
  }

  Delays &delays_;
  std::vector<State> states_;
  std::vector<TrackCursor> cursors_;
  std::vector<std::uint32_t> rank_of_lane_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> others_;  ///< lane and call of further waits
};

}  // namespace

Delays find_delays(const Recording &recording, const std::vector<Track> &tracks, const std::vector<std::vector<Wait>> &waits) {
  Delays delays;
  Sweep sweep(recording, tracks, delays);
  for (const Boundary &boundary : boundaries_of(waits)) {
    const Wait &wait = waits[boundary.rank][boundary.wait];
    if (boundary.opens) sweep.open(boundary.instant, wait);
    else sweep.close(boundary.instant, wait);
  }
  return delays;
}

}  // namespace scope::analyze
