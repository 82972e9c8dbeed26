#pragma once
// Absolute limits: no base is needed.

#include <vector>

#include "compare/options.hpp"
#include "compare/verdict.hpp"

namespace scope::compare {

/// One verdict a limit and metric that its pattern stands for; limits on growth are skipped. The median over the repetitions
/// counts. Calls that were never made have 0 calls, bytes and time; a region or figure that is not there fails where the name
/// is no pattern and `fail_on_missing` is set.
std::vector<Verdict> check_limits(const CheckOptions &options, const Measurements &now);

}  // namespace scope::compare
