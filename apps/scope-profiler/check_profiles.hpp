#pragma once
// What `check` and `run --versus` share.

#include <string>
#include <vector>

#include "cli.hpp"
#include "compare/verdict.hpp"
#include "model/repeats.hpp"

namespace scope::app {

/// Prints the comparison of two series that were just recorded, on standard error. Commands may differ.
void compare_sides(const std::vector<model::Repetition> &base, const std::vector<model::Repetition> &now,
                   const cli::CommonOptions &common);

}  // namespace scope::app
