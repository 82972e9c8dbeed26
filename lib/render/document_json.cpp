#include "render/document.hpp"
#include "render/table_json.hpp"

namespace scope::render {

std::string json_document(const Document &document) {
  auto root = nlohmann::ordered_json::object();
  for (const auto &[key, value] : document.facts) {
    std::visit([&root, &key = key](const auto &known) { root[key] = known; }, value);
  }
  for (const Table &table : document.tables) root[table.name] = json_rows(table);
  for (const Remarks &remarks : document.remarks) {
    auto items = nlohmann::ordered_json::array();
    for (const Remark &remark : remarks.items) items.push_back({{"id", remark.id}, {"text", remark.text}});
    root[remarks.name] = std::move(items);
  }
  return json_text(root);
}

}  // namespace scope::render
