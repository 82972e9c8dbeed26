#include <algorithm>
#include <cstdio>

#include "render/comparison_parts.hpp"
#include "render/html_escape.hpp"
#include "render/html_table.hpp"
#include "render/trend_style.hpp"
#include "support/text.hpp"

namespace scope::render {
namespace {

using compare::ScalingRow;
using compare::SideBySide;

constexpr double width = 720, bar_height = 22, gap = 10, label_width = 200, chart_height = 260, margin = 44;

std::string fixed(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string name_of(const compare::Side &side) { return side.label.empty() ? side.file : side.label; }

/// What fits beside a bar.
std::string short_name(const compare::Side &side) {
  constexpr std::size_t most = 28;
  std::string name = name_of(side);
  if (name.size() <= most) return name;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;  // not within a character
  return name.substr(0, end) + "...";
}

/// Wall times as bars, the part inside MPI marked: what a rank spends there on average.
std::string wall_chart(const SideBySide &sides) {
  double longest = 0;
  for (const compare::Side &side : sides.sides) longest = std::max(longest, side.wall_ns);
  if (longest <= 0) return "";
  const double height = static_cast<double>(sides.sides.size()) * (bar_height + gap);
  std::string out = "<svg viewBox=\"0 0 " + fixed(width) + " " + fixed(height) + "\" role=\"img\" aria-label=\"Wall times; the table below has the values\">";
  for (std::size_t i = 0; i < sides.sides.size(); ++i) {
    const compare::Side &side = sides.sides[i];
    const double y = static_cast<double>(i) * (bar_height + gap), whole = side.wall_ns / longest * (width - label_width - 90), in_mpi = whole * side.mpi_share;
    out += "<text x=\"0\" y=\"" + fixed(y + 16) + "\">" + escape_html(short_name(side)) + "</text>";
    out += "<rect class=\"useful\" x=\"" + fixed(label_width) + "\" y=\"" + fixed(y) + "\" width=\"" + fixed(whole) + "\" height=\"" + fixed(bar_height) + "\"/>";
    out += "<rect class=\"mpi\" x=\"" + fixed(label_width + whole - in_mpi) + "\" y=\"" + fixed(y) + "\" width=\"" + fixed(in_mpi) + "\" height=\"" +
           fixed(bar_height) + "\"/>";
    out += "<text x=\"" + fixed(label_width + whole + 8) + "\" y=\"" + fixed(y + 16) + "\">" + escape_html(support::format_ns(side.wall_ns)) + "</text>";
  }
  return out + "</svg>\n<p>Bars: wall time. Their right part, behind the white line: the share that a rank spends in MPI.</p>\n";
}

/// Speed-up over the ranks, with the ideal as a dashed line.
std::string scaling_chart(const SideBySide &sides, compare::Scaling scaling) {
  const std::vector<ScalingRow> rows = compare::scaling_rows(sides, scaling);
  if (rows.size() < 2) return "";
  const double most = rows.back().resources;
  double top = most;
  for (const ScalingRow &row : rows) top = std::max(top, row.speedup);
  auto x = [&](double resources) { return margin + resources / most * (width - 2 * margin); };
  auto y = [&](double speedup) { return chart_height - margin + 10 - speedup / top * (chart_height - 2 * margin); };
  std::string out = "<svg viewBox=\"0 0 " + fixed(width) + " " + fixed(chart_height) + "\" role=\"img\" aria-label=\"Speed-up over ranks; the table below has the values\">";
  out += "<line x1=\"" + fixed(x(0)) + "\" y1=\"" + fixed(y(0)) + "\" x2=\"" + fixed(x(most)) + "\" y2=\"" + fixed(y(0)) + "\"/>";
  out += "<line class=\"middle\" x1=\"" + fixed(x(0)) + "\" y1=\"" + fixed(y(0)) + "\" x2=\"" + fixed(x(most)) + "\" y2=\"" + fixed(y(most)) + "\"/>";
  std::string line;
  for (const ScalingRow &row : rows) line += (line.empty() ? "" : " ") + fixed(x(row.resources)) + "," + fixed(y(row.speedup));
  out += "<polyline points=\"" + line + "\"/>";
  for (const ScalingRow &row : rows) {
    const std::string ranks = std::to_string(sides.sides[row.side].ranks);
    char speedup[32];
    std::snprintf(speedup, sizeof speedup, "%.2f", row.speedup);
    out += "<circle cx=\"" + fixed(x(row.resources)) + "\" cy=\"" + fixed(y(row.speedup)) + "\" r=\"4\"><title>" + ranks + " ranks: " + speedup + "</title></circle>";
    out += "<text text-anchor=\"middle\" x=\"" + fixed(x(row.resources)) + "\" y=\"" + fixed(y(0) + 18) + "\">" + ranks + "</text>";
    out += "<text text-anchor=\"middle\" x=\"" + fixed(x(row.resources)) + "\" y=\"" + fixed(y(row.speedup) - 10) + "\">" + speedup + "</text>";
  }
  return out + "</svg>\n<p>Speed-up over ranks; dashed: ideal.</p>\n";
}

}  // namespace

std::string comparison_page(const SideBySide &sides, const ComparisonOptions &options) {
  const Document document = comparison_document(sides, options);
  const std::string title = escape_html(document.headline);
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                    "content=\"width=device-width, initial-scale=1\"><title>" + title + "</title>\n<style>\n" + trend_style +
                    "main { max-width: 75rem; }\n.scroll { overflow-x: auto; }\nrect.useful { fill: var(--line); }\nrect.mpi { fill: var(--now); }\n"
                    ".extra { display: none; }\ncaption { display: none; }\nrect.mpi { stroke: var(--page); }\n"
                    "td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }\n"
                    "td.t, th.t { text-align: left; overflow-wrap: anywhere; }\n</style></head>\n<body><main>\n<h1>" + title + "</h1>\n";
  for (const Remarks &remarks : document.remarks)
    for (const Remark &remark : remarks.items) out += "<p><strong>" + escape_html(remark.text) + "</strong></p>\n";
  out += wall_chart(sides);
  for (const Table &table : document.tables) {
    if (table.rows.empty()) continue;
    out += "<section><h2>" + escape_html(table.title) + "</h2>\n<p>" + escape_html(table.note) + "</p>\n";
    if (table.name == "scaling") out += scaling_chart(sides, *options.scaling);
    out += "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + escape_html(table.title) + "\">" + html_table(table) + "</div>";
    if (table.more) out += "<p>... and " + std::to_string(table.more) + " more (--top 0 shows all)</p>";
    out += "</section>\n";
  }
  return out + "</main></body></html>\n";
}

}  // namespace scope::render
