#pragma once
// A table for programs: raw numbers, units in the keys, null for what is not known.

#include <nlohmann/json.hpp>

#include "render/table.hpp"

namespace scope::render {

/// One object a row, with the columns' keys.
nlohmann::ordered_json json_rows(const Table &table);

}  // namespace scope::render
