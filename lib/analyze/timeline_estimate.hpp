#pragma once
// Waiting in collective operations without a timeline: an estimate from the profile's sums.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/profile.hpp"

namespace scope::analyze {

/// Of one procedure on one communicator.
struct EstimatedWaits {
  int world = 0;
  std::string call;
  int comm = -1;
  std::vector<int> ranks;                ///< of the world, that called it; ascending
  std::vector<std::int64_t> waiting_ns;  ///< of each, never negative; 0 for the one that waits least
  std::int64_t total_ns = 0;             ///< sum of these
};

/// In an operation that no rank leaves before all have come, the rank that comes last has the shortest call. So a rank's mean time
/// a call, less the shortest mean of all ranks, times its calls, is what it waited: if it was always the same rank that came last.
/// If they took turns, all of them waited longer than this says: it is a lower bound, and as good as the operation itself takes all
/// ranks the same time.
///
/// A profile has times a rank by procedure, over all communicators: procedures that spend a tenth of their time or more on other
/// communicators than the one that they spend most on are left out, and so is what ranks of that communicator call differently
/// often (they are not in the same operations). By total_ns, longest first.
std::vector<EstimatedWaits> estimate_waits(const model::Profile &profile);

/// In a few numbers. Nothing where all of them together are shorter than worth_telling_ns (findings.hpp).
struct EstimatedTotal {
  std::int64_t total_ns = 0;   ///< of all procedures and ranks
  EstimatedWaits largest;
  int last_rank = 0;           ///< that mostly came last in the largest: it waits least
};
std::optional<EstimatedTotal> estimated_total(const model::Profile &profile);

}  // namespace scope::analyze
