#pragma once
// Timelines made by hand: events in any order, one call a line. Communicator 0 is MPI_COMM_WORLD of world 0.

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "timeline/timeline.hpp"

namespace scope::test {

using wire::Call;

class TimelineBuilder {
 public:
  /// Ranks live from 0 to `end`, and their timelines with them.
  TimelineBuilder(int ranks, std::int64_t end) {
    result_.header.communicators.push_back({0, 0, ranks, 0, {}});
    for (int rank = 0; rank < ranks; ++rank) {
      timeline::RankInfo info;
      info.rank = rank;
      info.end = info.to = end;
      result_.header.ranks.push_back(info);
      result_.header.communicators[0].members.push_back(rank);
    }
    result_.events.resize(static_cast<std::size_t>(ranks));
  }

  std::int32_t communicator(std::vector<std::int32_t> members) {
    const auto id = static_cast<std::int32_t>(result_.header.communicators.size());
    const auto size = static_cast<std::int32_t>(members.size());
    result_.header.communicators.push_back({id, 0, size, 0, std::move(members)});
    return id;
  }

  timeline::RankInfo &rank(std::size_t rank) { return result_.header.ranks[rank]; }
  timeline::Header &header() { return result_.header; }

  /// The place of the event in the rank's list. Events of a rank are added by begin.
  std::uint32_t add(std::size_t rank, std::int64_t begin, std::int64_t end, const timeline::Signature &what,
                    timeline::Kind kind = timeline::Kind::call, std::uint32_t start = timeline::none) {
    auto same = std::find(result_.signatures.begin(), result_.signatures.end(), what);
    const auto index = static_cast<std::uint32_t>(same - result_.signatures.begin());
    if (same == result_.signatures.end()) result_.signatures.push_back(what);
    result_.events[rank].push_back({begin, end, index, start, thread, kind});
    return static_cast<std::uint32_t>(result_.events[rank].size() - 1);
  }
  std::uint32_t region(std::size_t rank, std::int64_t begin, std::int64_t end, const std::string &path) {
    auto &regions = result_.header.regions;
    auto same = std::find(regions.begin(), regions.end(), path);
    const auto index = static_cast<std::uint32_t>(same - regions.begin());
    if (same == regions.end()) regions.push_back(path);
    result_.events[rank].push_back({begin, end, index, timeline::none, thread, timeline::Kind::region});
    return static_cast<std::uint32_t>(result_.events[rank].size() - 1);
  }

  const timeline::Timeline &timeline() const { return result_; }
  timeline::Timeline &timeline() { return result_; }

  std::uint16_t thread = 0;  ///< of what is added next

 private:
  timeline::Timeline result_;
};

/// A call with a peer: send, receive, probe.
inline timeline::Signature to(Call call, std::int32_t peer, std::int32_t tag = 0, std::int32_t comm = 0, std::int64_t bytes = 8) {
  return {call, Call::none, comm, peer, -1, tag, bytes, 0};
}
/// A wait or start, of an operation with a peer.
inline timeline::Signature of(Call call, Call operation, std::int32_t peer, std::int32_t tag = 0, std::int32_t comm = 0,
                              std::int64_t bytes = 8) {
  return {call, operation, comm, peer, -1, tag, bytes, 0};
}
/// A collective call.
inline timeline::Signature on(Call call, std::int32_t comm = 0, std::int32_t root = -1, Call operation = Call::none) {
  return {call, operation, comm, -1, root, -1, 8, 0};
}

inline constexpr timeline::Kind further = timeline::Kind::completion, further_start = timeline::Kind::start,
                                received = timeline::Kind::receive;

}  // namespace scope::test
