#pragma once
// What a timeline explains, all of it: matching, wait states, delays, critical path, efficiencies.

#include "model/timeline_results.hpp"
#include "timeline/timeline.hpp"

namespace scope::analyze {

/// Longest lists of the results. What is beyond is folded, shortest first: wait states into one row a pattern and call, the others
/// into one row a region and call, with rank -1. No time is lost by that.
inline constexpr std::size_t most_wait_states = 2000, most_delays = 1000, most_path_rows = 1000;

/// Fills everything but the name of the file. The timeline must be what timeline.hpp says (orders, indices): its reader sees to
/// that. Throws support::Error where it has 2^32 events or more.
model::TimelineResults analyze_timeline(const timeline::Timeline &timeline);

}  // namespace scope::analyze
