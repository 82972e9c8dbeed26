#pragma once
// Limits as users write them.

#include <string>

#include "compare/options.hpp"

namespace scope::compare {

/// "1.5 s", "20ms", "1e6", "2 GiB", "0.25", "25 %": a value of the unit, in nanoseconds, bytes, a count or 0..1. A time needs its
/// unit. Throws support::Error with the reason, without the place.
double parse_quantity(const std::string &text, Unit unit);

/// "5%" or "+5%": growth that is let through, 0.05. False where the text is something else.
bool parse_growth(const std::string &text, double &growth);

/// --max NAME=5% (growth) and NAME=0.25 (absolute); --min NAME=0.8. `option` is named in errors and is the limit's source.
Limit parse_limit_option(const std::string &text, const std::string &option);

/// --floor: a time. Throws support::Error.
double parse_floor(const std::string &text);

/// --max-regression: "5%" or "5".
double parse_max_regression(const std::string &text);

}  // namespace scope::compare
