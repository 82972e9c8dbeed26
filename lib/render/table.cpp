#include "render/table.hpp"

#include <algorithm>

#include "support/text.hpp"

namespace scope::render {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char &c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string without_unit(const std::string &key) {
  return key.ends_with("_ns") ? key.substr(0, key.size() - 3) : key;
}

std::string integer_text(std::int64_t value, Type type) {
  switch (type) {
    case Type::ns: return support::format_ns(static_cast<double>(value));
    case Type::bytes: return support::format_bytes(static_cast<double>(value));
    case Type::ratio: return support::format_percent(static_cast<double>(value));
    case Type::count: return support::format_count(value);
    case Type::id:
    case Type::text: break;
  }
  return std::to_string(value);
}

std::string real_text(double value, Type type) {
  switch (type) {
    case Type::ns: return support::format_ns(value);
    case Type::bytes: return support::format_bytes(value);
    default: return support::format_percent(value);
  }
}

/// Whole and real numbers compare by value; two whole ones exactly.
bool smaller(const Cell &a, const Cell &b) {
  if (a.value.index() == b.value.index()) return a.value < b.value;
  const auto number = [](const Cell &cell) {
    const auto *real = std::get_if<double>(&cell.value);
    const auto *whole = std::get_if<std::int64_t>(&cell.value);
    return real ? *real : whole ? static_cast<double>(*whole) : 0.0;
  };
  return number(a) < number(b);
}

bool known(const Cell &cell) { return !std::holds_alternative<std::monostate>(cell.value); }

}  // namespace

bool right_aligned(Type type) { return type != Type::text; }

std::string cell_text(const Cell &cell, Type type) {
  if (!cell.text.empty()) return cell.text;
  if (const auto *text = std::get_if<std::string>(&cell.value)) return *text;
  if (const auto *integer = std::get_if<std::int64_t>(&cell.value)) return integer_text(*integer, type);
  if (const auto *real = std::get_if<double>(&cell.value)) return real_text(*real, type);
  return "-";
}

std::size_t find_column(const Table &table, std::string_view word) {
  const std::string wanted = lower(word);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::string title = lower(table.columns[i].title);
    std::replace(title.begin(), title.end(), '\n', ' ');
    if (wanted == table.columns[i].key || wanted == without_unit(table.columns[i].key) || wanted == title) return i;
  }
  return table.columns.size();
}

void sort_rows(Table &table, std::size_t column) {
  const Type type = table.columns.at(column).type;
  const bool ascending = type == Type::text || type == Type::id;
  std::stable_sort(table.rows.begin(), table.rows.end(), [&](const Row &left, const Row &right) {
    const Cell &a = left[column];
    const Cell &b = right[column];
    if (known(a) != known(b)) return known(a);
    return ascending ? smaller(a, b) : smaller(b, a);
  });
}

void keep_rows(Table &table, std::size_t count) {
  if (table.rows.size() <= count) return;
  table.more += table.rows.size() - count;
  table.rows.resize(count);
}

void choose_columns(Table &table, const std::vector<std::size_t> &chosen) {
  std::vector<Column> columns;
  for (std::size_t index : chosen) {
    columns.push_back(table.columns.at(index));
    columns.back().shown = true;
    columns.back().priority = 0;
  }
  for (Row &row : table.rows) {
    Row cells;
    for (std::size_t index : chosen) cells.push_back(row.at(index));
    row = std::move(cells);
  }
  table.columns = std::move(columns);
}

}  // namespace scope::render
