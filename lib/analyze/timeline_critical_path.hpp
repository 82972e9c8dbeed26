#pragma once
// The critical path: the chain of computation and calls that the run's length is the sum of. It is found backwards from the last
// end: where a rank waited, the path goes on at the instant, and on the rank, that it waited for (Böhme, Wolf, Geimer:
// "Characterizing load and communication imbalance in parallel applications", IPDPS workshops 2012). What is not on it can be made
// faster without the run's getting shorter.

#include <cstdint>
#include <vector>

#include "analyze/timeline_delays.hpp"

namespace scope::analyze {

struct CriticalPath {
  Charges charges;             ///< of the path, they add up to length_ns
  std::int64_t length_ns = 0;  ///< the window's
};

/// Of all worlds together. Where the path comes to the begin of a rank that was not among the first, it goes on with the one that
/// began first.
CriticalPath find_critical_path(const Recording &recording, const std::vector<Track> &tracks,
                                const std::vector<std::vector<Wait>> &waits);

}  // namespace scope::analyze
