#include "analyze/timeline_critical_path.hpp"

#include <algorithm>

namespace scope::analyze {
namespace {

class PathFinder {
 public:
  PathFinder(const Recording &recording, const std::vector<Track> &tracks, const std::vector<std::vector<Wait>> &waits)
      : recording_(recording), tracks_(tracks), waits_(tracks.size()) {
    for (const Track &track : tracks) cursors_.emplace_back(track);
    for (const auto &own : waits)
      for (const Wait &wait : own) waits_[wait.lane].push_back(&wait);
  }

  CriticalPath find() {
    const std::uint32_t last = last_to_end();
    if (last == none) return {};
    path_.length_ns = recording_.window.to - recording_.window.from;
    std::int64_t instant = recording_.window.to;
    std::uint32_t rank = last, lane = lane_of(last, true);
    for (bool goes_on = true; goes_on;) {
      const Wait *wait = last_wait(lane, instant);
      const std::int64_t until = wait ? wait->begin + wait->ns : recording_.rank(rank).begin;
      const std::int64_t begin = std::clamp(until, recording_.window.from, instant);
      charge(rank, lane, begin, instant);
      instant = begin;
      goes_on = wait != nullptr;
      if (wait) rank = wait->late_rank, lane = wait->late_lane;
    }
    rank = first_to_begin();
    charge(rank, lane_of(rank, false), recording_.window.from, instant);
    return std::move(path_);
  }

 private:
  /// The last wait of a thread that ended by then. Every wait is used once, so that the search ends also where clocks are wrong.
  const Wait *last_wait(std::uint32_t lane, std::int64_t instant) {
    std::vector<const Wait *> &own = waits_[lane];
    while (!own.empty()) {
      const Wait *wait = own.back();
      own.pop_back();
      if (wait->begin + wait->ns <= instant) return wait;
    }
    return nullptr;
  }

  void charge(std::uint32_t rank, std::uint32_t lane, std::int64_t from, std::int64_t to) {
    cursors_[lane].walk(from, to, [&](Activity activity, std::int64_t ns) { path_.charges.add(rank, activity, ns); });
  }

  /// The thread of a rank that did something last, or first.
  std::uint32_t lane_of(std::uint32_t rank, bool last) const {
    std::uint32_t found = recording_.first_lane[rank];
    for (std::uint32_t lane = found + 1; lane < recording_.first_lane[rank + 1]; ++lane) {
      const Track &track = tracks_[lane], &best = tracks_[found];
      if (track.empty()) continue;
      if (best.empty() || (last ? track.back().begin > best.back().begin : track.front().begin < best.front().begin)) found = lane;
    }
    return found;
  }

  std::uint32_t last_to_end() const {
    return best([this](std::uint32_t a, std::uint32_t b) { return recording_.rank(a).end > recording_.rank(b).end; });
  }
  std::uint32_t first_to_begin() const {
    return best([this](std::uint32_t a, std::uint32_t b) { return recording_.rank(a).begin < recording_.rank(b).begin; });
  }
  template <class Better>
  std::uint32_t best(Better better) const {
    std::uint32_t found = none;
    for (std::uint32_t rank = 0; rank < recording_.ranks(); ++rank)
      if (recording_.rank(rank).recorded && (found == none || better(rank, found))) found = rank;
    return found;
  }

  const Recording &recording_;
  const std::vector<Track> &tracks_;
  std::vector<std::vector<const Wait *>> waits_;  ///< by lane, not used yet
  std::vector<TrackCursor> cursors_;
  CriticalPath path_;
};

}  // namespace

CriticalPath find_critical_path(const Recording &recording, const std::vector<Track> &tracks,
                                const std::vector<std::vector<Wait>> &waits) {
  return PathFinder(recording, tracks, waits).find();
}

}  // namespace scope::analyze
