#pragma once
// A table for programs: raw numbers, units in the keys, null for what is not known.

#include <nlohmann/json.hpp>

#include "render/table.hpp"

namespace scope::render {

/// One object a row, with the columns' keys.
nlohmann::ordered_json json_rows(const Table &table);

/// The document as text with a line feed: invalid UTF-8 becomes U+FFFD, and what terminals and logs would act on is escaped
/// (support::json_terminal_safe). `indent` -1: on one line.
std::string json_text(const nlohmann::ordered_json &document, int indent = 2);

}  // namespace scope::render
