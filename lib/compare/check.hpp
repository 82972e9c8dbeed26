#pragma once
// The gate: everything that is compared, in one result.

#include <string>

#include "compare/options.hpp"
#include "compare/verdict.hpp"

namespace scope::compare {

/// A new profile against a base, and against the absolute limits. Throws support::Error where there is nothing that can be
/// compared; profiles that are not comparable make a result that is refused.
CheckResult check(const Measurements &base, const Measurements &now, const CheckOptions &options);

/// Against the absolute limits alone. Throws support::Error for a limit on growth, and where there is no limit.
CheckResult check_budget(const Measurements &now, const CheckOptions &options);

/// Applies the allowances, sorts, counts, and sets `overall`. Of a result that was made piece by piece (history).
void conclude(CheckResult &result, const CheckOptions &options);

/// 0 pass, 1 failed, 2 refused. Inconclusive is 0, with `strict` 1. `report_only` makes 1 to 0.
int exit_code(const CheckResult &result, bool strict, bool report_only);

}  // namespace scope::compare
