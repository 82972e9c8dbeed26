// The table on a terminal: widths in columns, never a line that is wider than it may be.

#include <algorithm>
#include <cmath>

#include "render/escape.hpp"
#include "render/table.hpp"
#include "support/text.hpp"

namespace scope::render {
namespace {

constexpr int gap = 2;              ///< between columns
constexpr int comfortable_name = 24;  ///< names are shortened to this before a column is dropped
constexpr int shortest_name = 6;

struct Layout {
  std::vector<std::size_t> columns;  ///< indices of the columns that are shown
  std::vector<int> widths;
  int total() const {
    int sum = columns.empty() ? 0 : gap * (static_cast<int>(columns.size()) - 1);
    for (int width : widths) sum += width;
    return sum;
  }
};

std::vector<std::string> title_lines(const std::string &title) {
  std::vector<std::string> lines(1);
  for (char c : title) {
    if (c == '\n') lines.emplace_back();
    else lines.back() += c;
  }
  return lines;
}

int title_width(const std::string &title) {
  int width = 0;
  for (const std::string &line : title_lines(title)) width = std::max(width, support::display_width(line));
  return width;
}

/// Escaped texts of all rows, column by column.
std::vector<std::vector<std::string>> cell_texts(const Table &table) {
  std::vector<std::vector<std::string>> texts(table.columns.size());
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    for (const Row &row : table.rows) texts[c].push_back(plain(cell_text(row.at(c), table.columns[c].type)));
  return texts;
}

int natural_width(const Column &column, const std::vector<std::string> &texts) {
  int width = title_width(column.title);
  for (const std::string &text : texts) width = std::max(width, support::display_width(text));
  return width;
}

/// Takes columns from the widest names first, none below `least` or its title.
void shrink_names(const Table &table, Layout &layout, int limit, int least) {
  while (layout.total() > limit) {
    int *widest = nullptr;
    for (std::size_t i = 0; i < layout.columns.size(); ++i) {
      const Column &column = table.columns[layout.columns[i]];
      const int floor = std::max(least, title_width(column.title));
      if (column.type == Type::text && layout.widths[i] > floor && (!widest || layout.widths[i] > *widest))
        widest = &layout.widths[i];
    }
    if (!widest) return;
    --*widest;
  }
}

/// Drops the column of the highest priority, of several the last. False if all must stay.
bool drop_column(const Table &table, Layout &layout, std::vector<std::string> *dropped) {
  std::size_t victim = layout.columns.size();
  int highest = 0;
  for (std::size_t i = 0; i < layout.columns.size(); ++i)
    if (const int priority = table.columns[layout.columns[i]].priority; priority > 0 && priority >= highest) {
      highest = priority;
      victim = i;
    }
  if (victim == layout.columns.size()) return false;
  if (dropped) {
    std::string title = table.columns[layout.columns[victim]].title;
    std::replace(title.begin(), title.end(), '\n', ' ');
    dropped->push_back(title);
  }
  layout.columns.erase(layout.columns.begin() + static_cast<std::ptrdiff_t>(victim));
  layout.widths.erase(layout.widths.begin() + static_cast<std::ptrdiff_t>(victim));
  return true;
}

Layout lay_out(const Table &table, const std::vector<std::vector<std::string>> &texts, int limit,
               std::vector<std::string> *dropped) {
  Layout natural;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (!table.columns[c].shown) continue;
    natural.columns.push_back(c);
    natural.widths.push_back(natural_width(table.columns[c], texts[c]));
  }
  if (limit <= 0) return natural;
  for (;;) {
    Layout layout = natural;
    shrink_names(table, layout, limit, comfortable_name);
    if (layout.total() <= limit) return layout;
    if (drop_column(table, natural, dropped)) continue;
    shrink_names(table, layout, limit, shortest_name);
    return layout;
  }
}

std::string padded(const std::string &text, int width, bool right) {
  const std::string space(static_cast<std::size_t>(std::max(0, width - support::display_width(text))), ' ');
  return right ? space + text : text + space;
}

/// One line of cells; trailing spaces are cut.
std::string line_of(const Table &table, const Layout &layout, const std::vector<std::string> &cells, const Style &style) {
  std::string line;
  for (std::size_t i = 0; i < layout.columns.size(); ++i) {
    if (i > 0) line.append(gap, ' ');
    std::string text = cells[i];
    if (support::display_width(text) > layout.widths[i]) text = support::ellipsize(text, layout.widths[i], style.unicode);
    line += padded(text, layout.widths[i], right_aligned(table.columns[layout.columns[i]].type));
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

constexpr int bar_width = 10;

/// The share in eighths of `bar_width` blocks, or in whole signs.
std::string bar_of(double share, bool unicode) {
  share = std::clamp(share, 0.0, 1.0);
  if (!unicode) return std::string(static_cast<std::size_t>(std::lround(share * bar_width)), '#');
  static constexpr const char *parts[] = {"", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589"};
  const long eighths = std::lround(share * bar_width * 8);
  std::string text;
  for (long i = 0; i < eighths / 8; ++i) text += "\u2588";
  return text + parts[eighths % 8];
}

std::string shade_of(double share, double largest, bool unicode) {
  static constexpr const char *shades[] = {" ", "\u2591", "\u2592", "\u2593", "\u2588"}, *signs[] = {" ", ".", ":", "*", "#"};
  const long level = largest > 0 && share > 0 ? std::clamp(std::lround(std::ceil(share / largest * 4)), 1L, 4L) : 0;
  return unicode ? shades[level] : signs[level];
}

const double *share_in(const Row &row, std::size_t column) { return std::get_if<double>(&row[column].value); }

void shade_cells(const Table &table, bool unicode, std::vector<std::vector<std::string>> &texts) {
  double largest = 0;
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    for (const Row &row : table.rows)
      if (const double *share = table.columns[c].shaded ? share_in(row, c) : nullptr) largest = std::max(largest, *share);
  for (std::size_t c = 0; c < table.columns.size(); ++c)
    for (std::size_t r = 0; table.columns[c].shaded && r < table.rows.size(); ++r)
      if (const double *share = share_in(table.rows[r], c)) texts[c][r] = shade_of(*share, largest, unicode) + " " + texts[c][r];
}

/// Titles stand at the bottom of as many lines as the tallest needs.
std::string header(const Table &table, const Layout &layout, const Style &style) {
  std::vector<std::vector<std::string>> titles;
  std::size_t height = 0;
  for (std::size_t column : layout.columns) {
    titles.push_back(title_lines(table.columns[column].title));
    height = std::max(height, titles.back().size());
  }
  std::string out;
  for (std::size_t line = 0; line < height; ++line) {
    std::vector<std::string> cells;
    for (const auto &title : titles) {
      const std::size_t above = height - title.size();
      cells.push_back(line < above ? "" : title[line - above]);
    }
    out += bold(line_of(table, layout, cells, style), style) + "\n";
  }
  return out;
}

}  // namespace

std::string text_table(const Table &table, const Style &style, std::vector<std::string> *dropped) {
  auto texts = cell_texts(table);
  if (style.charts) shade_cells(table, style.unicode, texts);
  const int limit = style.width <= 0 ? 0 : std::max(40, style.width);
  const std::size_t bar = style.charts && !table.bar.empty() ? find_column(table, table.bar) : table.columns.size();
  const bool draws = bar < table.columns.size() && (limit == 0 || limit >= 72);
  const Layout layout = lay_out(table, texts, draws && limit > 0 ? limit - bar_width - gap : limit, dropped);
  std::string out = header(table, layout, style);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    std::vector<std::string> cells;
    for (std::size_t column : layout.columns) cells.push_back(texts[column][r]);
    std::string line = line_of(table, layout, cells, style);
    if (const double *share = draws ? share_in(table.rows[r], bar) : nullptr; share && !bar_of(*share, style.unicode).empty())
      line = padded(line, layout.total() + gap, false) + bar_of(*share, style.unicode);
    out += line + "\n";
  }
  return out;
}

}  // namespace scope::render
