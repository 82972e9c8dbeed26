// The table as Markdown for people and as CSV for programs.

#include <algorithm>
#include <charconv>
#include <cmath>

#include "render/escape.hpp"
#include "render/table.hpp"

namespace scope::render {
namespace {

/// The shortest text that reads back as the same number, without an exponent where numbers are of a usual size.
std::string raw_number(double value) {
  char text[64];
  const double size = std::fabs(value);
  const bool usual = size == 0 || (size >= 1e-6 && size < 1e15);
  const auto result = usual ? std::to_chars(text, text + sizeof text, value, std::chars_format::fixed)
                            : std::to_chars(text, text + sizeof text, value);
  return std::string(text, result.ptr);
}

std::string csv_cell(const Cell &cell) {
  if (const auto *text = std::get_if<std::string>(&cell.value)) return csv_field(*text);
  if (const auto *integer = std::get_if<std::int64_t>(&cell.value)) return std::to_string(*integer);
  if (const auto *real = std::get_if<double>(&cell.value)) return raw_number(*real);
  return "";
}

std::string one_line(std::string title) {
  std::replace(title.begin(), title.end(), '\n', ' ');
  return title;
}

}  // namespace

std::string markdown_table(const Table &table) {
  std::string titles = "|", rule = "|", rows;
  for (const Column &column : table.columns) {
    if (!column.shown) continue;
    titles += " " + markdown_escape(one_line(column.title)) + " |";
    rule += right_aligned(column.type) ? " ---: |" : " --- |";
  }
  for (const Row &row : table.rows) {
    rows += "|";
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (table.columns[c].shown) rows += " " + markdown_escape(cell_text(row.at(c), table.columns[c].type)) + " |";
    rows += "\n";
  }
  return titles + "\n" + rule + "\n" + rows;
}

std::string csv_table(const Table &table) {
  std::string out;
  for (std::size_t c = 0; c < table.columns.size(); ++c) (out += c ? "," : "") += csv_field(table.columns[c].key);
  out += "\r\n";
  for (const Row &row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) (out += c ? "," : "") += csv_cell(row[c]);
    out += "\r\n";
  }
  return out;
}

}  // namespace scope::render
