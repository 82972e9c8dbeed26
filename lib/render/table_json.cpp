#include "render/table_json.hpp"

#include "support/text.hpp"

namespace scope::render {
namespace {

nlohmann::ordered_json value_of(const Cell &cell) {
  return std::visit([](const auto &value) -> nlohmann::ordered_json {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) return nullptr;
    else return value;
  }, cell.value);
}

}  // namespace

nlohmann::ordered_json json_rows(const Table &table) {
  auto rows = nlohmann::ordered_json::array();
  for (const Row &row : table.rows) {
    auto object = nlohmann::ordered_json::object();
    for (std::size_t c = 0; c < row.size(); ++c) object[table.columns[c].key] = value_of(row[c]);
    rows.push_back(std::move(object));
  }
  return rows;
}

std::string json_text(const nlohmann::ordered_json &document, int indent) {
  return support::json_terminal_safe(document.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) + "\n";
}

}  // namespace scope::render
