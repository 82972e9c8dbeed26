#pragma once
// The steps of comparison(). Internal.

#include <string>

#include "render/comparison.hpp"
#include "render/document.hpp"

namespace scope::render {

Document comparison_document(const compare::SideBySide &sides, const ComparisonOptions &options);

/// One page that needs nothing but itself and no script: the tables, wall times as bars, and with `scaling` the speed-up over the ranks.
std::string comparison_page(const compare::SideBySide &sides, const ComparisonOptions &options);

}  // namespace scope::render
