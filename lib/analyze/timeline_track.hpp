#pragma once
// What a thread of a rank did when: computation or a call, and in which user region.

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/timeline_recording.hpp"

namespace scope::analyze {

/// A call or computation within a region, in one number.
class Activity {
 public:
  Activity() = default;
  /// `region`: index into Header::regions, none outside. `call`: Call::none is computation.
  Activity(std::uint32_t region, wire::Call call)
      : number_((region == none ? 0u : region + 1u) * calls + static_cast<std::uint32_t>(call)) {}
  std::uint32_t region() const { return number_ < calls ? none : number_ / calls - 1; }
  wire::Call call() const { return static_cast<wire::Call>(number_ % calls); }
  std::uint32_t number() const { return number_; }
  static Activity of(std::uint32_t number) {
    Activity activity;
    activity.number_ = number;
    return activity;
  }
  bool operator==(const Activity &) const = default;

 private:
  static constexpr std::uint32_t calls = static_cast<std::uint32_t>(wire::Call::none) + 1;
  std::uint32_t number_ = static_cast<std::uint32_t>(wire::Call::none);
};

/// "" outside of regions.
std::string region_name(const Recording &recording, Activity activity);
/// "" of computation.
std::string call_name(Activity activity);

/// From `begin` to the next stretch's.
struct Stretch {
  std::int64_t begin = 0;
  Activity activity;
};

/// By begin, each later than the one before. Before the first and behind the last call it is computation.
using Track = std::vector<Stretch>;

/// By lane.
std::vector<Track> tracks_of(const Recording &recording);

/// Walks backwards through a track.
class TrackCursor {
 public:
  explicit TrackCursor(const Track &track) : track_(&track), place_(track.size()) {}

  /// Calls fn(activity, ns) for what fills [from, to), the latest first. `to` is never later than the `from` of the walk before.
  template <class Function>
  void walk(std::int64_t from, std::int64_t to, Function fn) {
    while (to > from) {
      while (place_ > 0 && (*track_)[place_ - 1].begin >= to) --place_;
      const bool before_all = place_ == 0;
      const std::int64_t begin = before_all ? from : std::max(from, (*track_)[place_ - 1].begin);
      fn(before_all ? Activity() : (*track_)[place_ - 1].activity, to - begin);
      to = begin;
    }
  }

 private:
  const Track *track_;
  std::size_t place_;  ///< of the stretch behind the one that is looked at
};

}  // namespace scope::analyze
