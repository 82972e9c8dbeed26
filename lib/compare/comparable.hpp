#pragma once
// Whether two profiles are of the same thing.

#include <vector>

#include "compare/measurements.hpp"
#include "compare/verdict.hpp"

namespace scope::compare {

/// Rank counts of the worlds, MPI library, command (paths count by their last part: builds lie in different directories),
/// processor, number of hosts; runs that failed or are incomplete. Empty: comparable.
std::vector<Difference> differences(const Measurements &base, const Measurements &now);

/// Whether the number of ranks is among the differences: other ranks make other calls, so that counts say nothing.
bool ranks_differ(const std::vector<Difference> &differences);

/// What makes one profile unfit for a gate: it failed or is incomplete.
std::vector<Difference> defects(const Measurements &profile, int side);

}  // namespace scope::compare
