#pragma once
// Where waiting came from. The idea is that of delay analysis (Böhme, Geimer, Arnold, Voigtlaender, Wolf: "Identifying the root
// causes of wait states in large-scale parallel applications", ACM Trans. Parallel Computing 3(2), 2016): a wait state is caused by
// what the late rank did meanwhile, and if that one was waiting itself, by what the rank did that it waited for.
//
// In a simple form: at every instant, each waiting rank points at the rank that it waits for; the one at the end of the chain is
// not waiting, and what it does at that instant (computation in a region, or a call that moves data) is charged with that instant
// of every rank that points at it, directly or by way of others. So the charges add up to the waiting time, to the nanosecond.
// Other than in that paper, all that the late rank did in the interval is charged, not what it did longer than the waiting one.

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analyze/timeline_track.hpp"
#include "analyze/timeline_waits.hpp"

namespace scope::analyze {

/// Time by rank and activity.
class Charges {
 public:
  void add(std::uint32_t rank, Activity activity, std::int64_t ns) {
    times_[(static_cast<std::uint64_t>(rank) << 32) | activity.number()] += ns;
  }
  /// Calls fn(rank, activity, ns), in no order.
  template <class Function>
  void visit(Function fn) const {
    for (const auto &[key, ns] : times_)
      fn(static_cast<std::uint32_t>(key >> 32), Activity::of(static_cast<std::uint32_t>(key)), ns);
  }

 private:
  std::unordered_map<std::uint64_t, std::int64_t> times_;
};

struct Delays {
  Charges charges;
  std::int64_t unattributed_ns = 0;  ///< of ranks that waited for each other, which only wrong clocks make believe
};

/// Tracks by lane, waits by rank. Time and memory are linear in waits and stretches, apart from sorting, and from chains of waiting
/// ranks, which are followed link by link. What is said of ranks here holds for each of their threads.
Delays find_delays(const Recording &recording, const std::vector<Track> &tracks, const std::vector<std::vector<Wait>> &waits);

}  // namespace scope::analyze
