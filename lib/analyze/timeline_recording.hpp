#pragma once
// A timeline with what every step of its analysis looks up. Events have one number over all ranks, 32 bits: that of the rank's
// first event plus the place in the rank's list.

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analyze/timeline_roles.hpp"
#include "timeline/timeline.hpp"

namespace scope::analyze {

inline constexpr std::uint32_t none = timeline::none;

/// The time that is analysed: all of the run, or what all ranks' timelines cover.
struct Window {
  std::int64_t from = 0, to = 0;
  bool complete = true;
};

/// From the latest begin to the earliest end of the timelines that were cut short; from the first rank's begin to the last one's
/// end where none was. A rank without timeline cuts nothing, but the whole is not complete then.
Window common_window(const timeline::Header &header);

struct Recording {
  /// Keeps a reference. Throws support::Error where there are 2^32 events or more.
  explicit Recording(const timeline::Timeline &whole);

  const timeline::Timeline &timeline;
  Window window;
  std::vector<std::uint32_t> first;  ///< number of each rank's first event, and the number of all events
  std::vector<std::uint32_t> first_lane;  ///< of each rank, and the number of all: a lane is a thread of a rank
  std::vector<Act> acts;             ///< by signature; none where it is not usable
  std::vector<bool> usable;          ///< by signature: its communicator is one, and of ranks of one world

  std::size_t ranks() const { return timeline.events.size(); }
  std::uint32_t size() const { return first.back(); }
  const timeline::RankInfo &rank(std::size_t index) const { return timeline.header.ranks[index]; }
  /// The rank, as index into Header::ranks, that has this event.
  std::uint32_t rank_of(std::uint32_t event) const {
    return static_cast<std::uint32_t>(std::upper_bound(first.begin(), first.end(), event) - first.begin() - 1);
  }
  const timeline::Event &event(std::uint32_t number) const { return event(rank_of(number), number); }
  const timeline::Event &event(std::uint32_t rank, std::uint32_t number) const {
    return timeline.events[rank][number - first[rank]];
  }
  std::uint32_t lanes() const { return first_lane.back(); }
  std::uint32_t lane_of(std::uint32_t rank, const timeline::Event &event) const { return first_lane[rank] + event.thread; }
  const timeline::Signature &signature(const timeline::Event &event) const { return timeline.signatures[event.what]; }
  /// The procedure; nullptr of a region.
  const wire::CallInfo *call(const timeline::Event &event) const {
    if (event.kind == timeline::Kind::region || signature(event).call == wire::Call::none) return nullptr;
    return &wire::info(signature(event).call);
  }
  /// What the call is about, see operation_of; nullptr of a region, and of a wait that completed nothing.
  const wire::CallInfo *operation(const timeline::Event &event) const {
    if (event.kind == timeline::Kind::region) return nullptr;
    const wire::Call what = operation_of(signature(event));
    return what == wire::Call::none ? nullptr : &wire::info(what);
  }
  Act act(const timeline::Event &event) const;
  /// Index into Header::ranks of a world rank; none where there is no such rank or it has no timeline.
  std::uint32_t find(std::int32_t world, std::int32_t rank) const;
  const timeline::Communicator *communicator(std::int32_t id) const;
  /// By how much instants of two ranks may contradict each other.
  std::int64_t tolerance(std::uint32_t a, std::uint32_t b) const;
  bool is_inside(const timeline::Event &event) const { return event.begin >= window.from && event.end <= window.to; }

 private:
  bool is_usable(const timeline::Communicator *communicator) const;
  void find_intercommunicators();

  std::map<std::int32_t, std::uint32_t> ranks_on_;  ///< how many ranks of its world used an intercommunicator
  std::map<std::int32_t, std::vector<std::uint32_t>> worlds_;  ///< index by rank
  std::map<std::int32_t, std::uint32_t> communicators_;
};

/// Calls fn(place) for a call and each event that belongs to it: completions, starts and receiving halves. They follow it; events
/// of other threads that begin at the same instant may stand in between.
template <class Function>
void for_each_part(const std::vector<timeline::Event> &events, std::uint32_t call, Function fn) {
  fn(call);
  const timeline::Event &head = events[call];
  for (std::uint32_t i = call + 1; i < events.size() && events[i].begin == head.begin; ++i) {
    if (events[i].thread != head.thread || events[i].kind == timeline::Kind::region) continue;
    if (events[i].kind == timeline::Kind::call) return;
    fn(i);
  }
}

}  // namespace scope::analyze
