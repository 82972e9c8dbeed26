#pragma once
// Results as rows, bounded in number.

#include <vector>

#include "analyze/timeline_critical_path.hpp"
#include "analyze/timeline_waits.hpp"
#include "model/timeline_results.hpp"

namespace scope::analyze {

/// Adds to `folded` the number of rows that were put together.
std::vector<model::WaitStateRow> wait_state_rows(const Recording &recording, const WaitStates &waits, std::size_t most,
                                                 std::int64_t &folded);
std::vector<model::CallWaiting> call_waiting(const WaitStates &waits);
std::vector<model::DelayRow> delay_rows(const Recording &recording, const Charges &charges, std::size_t most, std::int64_t &folded);
std::vector<model::CriticalPathRow> path_rows(const Recording &recording, const Charges &charges, std::size_t most,
                                              std::int64_t &folded);
model::RankWaiting rank_waiting(const Recording &recording, const WaitStates &waits, const Charges &delays, const Charges &path);

}  // namespace scope::analyze
