#pragma once
// The addition that budgets make to TOML. Internal to the budget.

#include <string>

namespace scope::compare {

/// Lines of the form KEY <= VALUE become KEY = "<= VALUE", on the same line; parts of the key that TOML would want in quotes get
/// them. So do lines with < and >, for a clear error. Everything else stays as it is, faults too.
std::string as_toml(const std::string &text);

}  // namespace scope::compare
