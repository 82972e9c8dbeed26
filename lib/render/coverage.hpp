#pragma once
// `doctor --coverage`.

#include <vector>

#include "model/coverage.hpp"
#include "render/document.hpp"

namespace scope::render {

/// "582 procedures timed, 83 not", and one table, "procedures".
Document coverage_document(const std::vector<model::CoverageRow> &rows);

}  // namespace scope::render
