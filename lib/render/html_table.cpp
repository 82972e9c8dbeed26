#include "render/html_table.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "render/html_escape.hpp"
#include "support/text.hpp"

namespace scope::render {
namespace {

constexpr std::size_t long_text = 160;  ///< bytes; beyond, a text is folded
constexpr int short_text = 60;          ///< columns that are seen of it then

/// Columns that say what a row is about.
constexpr std::array subjects{"call", "world", "rank", "src", "dst", "layer", "rank_list"};

std::string raw(const Cell &cell) {
  char text[64];
  if (const auto *whole = std::get_if<std::int64_t>(&cell.value)) return std::to_string(*whole);
  const auto *real = std::get_if<double>(&cell.value);
  return real ? std::string(text, std::to_chars(text, text + sizeof text, *real).ptr) : "";
}

std::string attribute(const std::string &name, const std::string &value) { return " " + name + "=\"" + escape_html(value) + "\""; }

std::string head_cell(const Column &column) {
  std::string title = column.title;
  std::replace(title.begin(), title.end(), '\n', ' ');
  std::string kind = right_aligned(column.type) ? "n" : "t";
  if (!column.shown) kind += " extra";
  return "<th scope=\"col\"" + attribute("class", kind) + attribute("data-key", column.key) + ">" + escape_html(title) + "</th>";
}

/// A share is also drawn as a bar behind its number.
std::string bar(const Cell &cell) {
  const auto *real = std::get_if<double>(&cell.value);
  if (!real || !(*real >= 0)) return "";
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, std::min(*real, 1.0) * 100, std::chars_format::fixed, 2).ptr;
  return " style=\"--v:" + std::string(text, end) + "%\"";
}

std::string body_cell(const Cell &cell, const Column &column, bool heading) {
  const std::string shown = cell_text(cell, column.type);
  const bool number = right_aligned(column.type);
  std::string out = heading ? "<th scope=\"row\"" : "<td";
  std::string kind = number ? "n" : "t";
  if (column.type == Type::ratio) kind += " bar";
  if (!column.shown) kind += " extra";
  out += attribute("class", kind);
  if (number) out += attribute("data-v", raw(cell));
  if (column.type == Type::ratio) out += bar(cell);
  return out + ">" + (number ? escape_html(shown) : html_data(shown)) + (heading ? "</th>" : "</td>");
}

/// The first column that names something, or the first that is shown.
std::size_t heading_column(const Table &table) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Column &column = table.columns[c];
    if (column.shown && (column.key == "rank" || column.key == "name" || (column.type == Type::text && column.key != "layer"))) return c;
  }
  return 0;
}

std::string row_start(const Table &table, const Row &row) {
  std::string out = "<tr";
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::string &key = table.columns[c].key;
    if (std::find(subjects.begin(), subjects.end(), key) == subjects.end()) continue;
    const auto *text = std::get_if<std::string>(&row[c].value);
    out += attribute("data-" + key, text ? *text : raw(row[c]));
  }
  return out + ">";
}

}  // namespace

std::string html_data(const std::string &data) {
  if (data.size() <= long_text) return escape_html(data);
  return "<details class=\"long\"><summary>" + escape_html(support::ellipsize(support::valid_utf8(data), short_text)) + "</summary>" +
         escape_html(data) + "</details>";
}

std::string html_table(const Table &table) {
  const std::size_t heading = heading_column(table);
  std::string out = "<table" + attribute("id", "table-" + table.name) + attribute("data-table", table.name) + "><caption>" +
                    escape_html(table.title) + "</caption>\n<thead><tr>";
  for (const Column &column : table.columns) out += head_cell(column);
  out += "</tr></thead>\n<tbody>\n";
  for (const Row &row : table.rows) {
    out += row_start(table, row);
    for (std::size_t c = 0; c < table.columns.size(); ++c) out += body_cell(row[c], table.columns[c], c == heading);
    out += "</tr>\n";
  }
  return out + "</tbody></table>";
}

}  // namespace scope::render
