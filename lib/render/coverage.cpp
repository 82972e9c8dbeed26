#include "render/coverage.hpp"

#include <algorithm>

namespace scope::render {
namespace {

/// Unknown where the row says nothing.
Cell optional_text(const std::string &text) { return text.empty() ? Cell{} : Cell{text, ""}; }

}  // namespace

Document coverage_document(const std::vector<model::CoverageRow> &rows) {
  Table table{"procedures", "MPI procedures", "", {}, {}, 0};
  // People see the reason where the bytes would stand: no row has both.
  table.columns = {{"name", "Procedure", Type::text},
                   {"kind", "Kind", Type::text},
                   {"timed", "Timed", Type::text},
                   {"bytes", "Bytes counted, or why not timed", Type::text},
                   {"reason", "Why not timed", Type::text, false}};
  for (const auto &row : rows) {
    Cell bytes = optional_text(row.counted);
    bytes.text = row.reason;
    table.rows.push_back({Cell{row.name, ""}, optional_text(row.kind), Cell{std::string(row.timed ? "yes" : "no"), ""}, bytes,
                          optional_text(row.reason)});
  }
  const auto timed = std::count_if(rows.begin(), rows.end(), [](const auto &row) { return row.timed; });
  const auto left = static_cast<std::int64_t>(rows.size()) - timed;
  Document document;
  document.headline = std::to_string(timed) + " procedures timed, " + std::to_string(left) + " not";
  document.facts = {{"timed", static_cast<std::int64_t>(timed)}, {"not_timed", left}};
  document.tables.push_back(std::move(table));
  return document;
}

}  // namespace scope::render
