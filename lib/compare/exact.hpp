#pragma once
// Counts and bytes, which do not depend on timing: compared exactly.

#include <vector>

#include "compare/options.hpp"
#include "compare/verdict.hpp"

namespace scope::compare {

struct ExactResult {
  std::vector<Verdict> verdicts;
  std::vector<Metric> varying;  ///< counts that differ between repetitions and are not polling: to be compared as times are
};

/// Calls, bytes and messages of the whole; calls and bytes of every procedure; messages and bytes of every pair of ranks; calls
/// and bytes of every communicator. What grew fails, what fell passes. What differs between the repetitions of either side,
/// and the procedures that poll, are notes, and left out of the sums. Metrics in `loosened` have a tolerance elsewhere.
ExactResult check_exact(const Measurements &base, const Measurements &now, const CheckOptions &options,
                        const std::vector<Metric> &loosened);

}  // namespace scope::compare
