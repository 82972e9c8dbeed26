#pragma once
// The one table type. Cells hold values; the formats decide how these look.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "render/style.hpp"

namespace scope::render {

/// What a column's numbers are, hence how people see them: "1.234 s", "12.0 KiB", "12.3 %", "1,234". Machines see the raw
/// number; the unit is in the column's key. `id` is a number that counts nothing (a rank): no separators.
enum class Type { text, count, ns, bytes, ratio, id };

struct Column {
  std::string key;    ///< in CSV and JSON, and for --sort and --columns: "total_ns"
  std::string title;  ///< for people; a line feed where it may be broken
  Type type = Type::text;
  bool shown = true;  ///< in text and Markdown, where no columns were chosen
  int priority = 0;   ///< where the width is short, the highest go first; 0 stays
  bool shaded = false;  ///< with Style::charts: in front of a share stands how dark it is, compared with the largest that is shaded
};

struct Cell {
  std::variant<std::monostate, std::string, std::int64_t, double> value;  ///< monostate: not known
  std::string text;  ///< what people see in place of the value; "" for the value
};
using Row = std::vector<Cell>;

struct Table {
  std::string name;   ///< "call": the word of --by
  std::string title;  ///< "Calls by time"
  std::string note;   ///< what shares are shares of
  std::vector<Column> columns;
  std::vector<Row> rows;    ///< as many cells each as there are columns
  std::size_t more = 0;     ///< rows that were left out
  std::string bar = {};     ///< with Style::charts: the column, a share, that is drawn as a bar at the end of the lines
};

bool right_aligned(Type type);

/// What people see in the cell, not escaped.
std::string cell_text(const Cell &cell, Type type);

/// Index of the column that a user's word names: its key, its key without the unit "_ns", or its title, in any case of letters.
/// The number of columns if there is none.
std::size_t find_column(const Table &table, std::string_view word);

/// Stable. Numbers largest first, texts and ids ascending, unknown values last.
void sort_rows(Table &table, std::size_t column);
void keep_rows(Table &table, std::size_t count);
/// The columns of these indices, in this order, all shown and none dropped for want of width.
void choose_columns(Table &table, const std::vector<std::size_t> &chosen);

/// Lines with line feeds: header, rows. Names are shortened and columns of low priority dropped until lines fit
/// style.width; the titles of what was dropped are appended to `dropped`, if given.
std::string text_table(const Table &table, const Style &style, std::vector<std::string> *dropped = nullptr);
/// A GitHub Flavored Markdown table.
std::string markdown_table(const Table &table);
/// RFC 4180 with a header of keys, raw numbers, all columns.
std::string csv_table(const Table &table);

}  // namespace scope::render
