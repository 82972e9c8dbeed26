#pragma once
// Several profiles beside each other, for people and for programs.

#include <optional>
#include <string>

#include "compare/side_by_side.hpp"
#include "render/style.hpp"

namespace scope::render {

struct ComparisonOptions {
  std::string format = "text";             ///< text, markdown, csv, json, html
  std::optional<compare::Scaling> scaling; ///< adds speed-up, efficiency and POP's factors
  int top = -1;                            ///< rows of the tables of changes, 0 all; -1: 15 for people, all for programs
  Style style;
};

/// CSV has one table: the changes of calls, or with `scaling` the scaling. Throws support::Error for an unknown format.
std::string comparison(const compare::SideBySide &sides, const ComparisonOptions &options);

}  // namespace scope::render
