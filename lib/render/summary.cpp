#include "render/summary.hpp"

#include <algorithm>

#include "render/escape.hpp"
#include "render/headline_text.hpp"
#include "render/tables.hpp"
#include "support/text.hpp"

namespace scope::render {
namespace {

constexpr std::size_t most_calls = 10, fewest_calls = 3, most_warnings = 4, most_regions = 4, most_findings = 2;
constexpr std::size_t table_lines = 4;  ///< of the table without its rows: what shares are of, two of titles, how many more

using Lines = std::vector<std::string>;

/// `text` in at most `most` lines; what does not fit loses its middle.
Lines fit(const std::string &text, const Style &style, std::size_t most) {
  Lines lines = wrap(plain(text), style.width, 2);
  if (lines.size() <= most) return lines;
  std::string rest = lines[most - 1];
  for (std::size_t i = most; i < lines.size(); ++i) rest += " " + lines[i].substr(2);
  lines.resize(most);
  lines[most - 1] = support::ellipsize(rest, style.width, style.unicode);
  return lines;
}

using Emphasis = std::string (*)(const std::string &, const Style &);

void append(Lines &lines, const Lines &more, const Style &style, Emphasis emphasis = nullptr) {
  for (const std::string &line : more) lines.push_back(emphasis ? emphasis(line, style) : line);
}

Lines head_lines(const HeadlineText &text, const Style &style) {
  Lines lines;
  append(lines, fit("scope-profiler: " + text.command, style, 1), style, bold);
  append(lines, fit(text.facts, style, 2), style);
  append(lines, fit(text.incomplete, style, 2), style, warning_color);
  append(lines, fit(text.unfinished, style, 2), style, warning_color);
  append(lines, fit(text.efficiency, style, 2), style, bold);
  append(lines, fit(text.explanation, style, 2), style, dim);
  append(lines, fit(text.mpi, style, 2), style);
  append(lines, fit(text.startup, style, 2), style);
  append(lines, fit(text.waiting, style, 2), style);
  append(lines, fit(text.messages, style, 2), style);
  append(lines, fit(text.cost, style, 2), style);
  return lines;
}

/// The claims of the findings that cost most; the rest of their texts is for the report. Warnings have lines of their own.
Lines finding_lines(const model::Profile &profile, const Style &style) {
  Lines lines;
  std::size_t shown = 0;
  for (const model::Finding &finding : profile.findings) {
    if (finding.severity == "warning" || shown == most_findings) continue;
    ++shown;
    append(lines, fit("Finding: " + finding.text.substr(0, finding.text.find(". ")) + ".", style, 2), style, bold);
  }
  return lines;
}

/// In at most `room` lines: two a warning if they all fit, else one, else fewer warnings.
Lines warning_lines(const model::Profile &profile, const std::string &next, const Style &style, std::size_t room) {
  const std::size_t all = profile.warnings.size();
  for (std::size_t shown = std::min(all, most_warnings);; --shown) {
    for (std::size_t each : {2u, 1u}) {
      Lines lines;
      for (std::size_t i = 0; i < shown; ++i)
        append(lines, fit("Warning: " + profile.warnings[i].text, style, each), style, warning_color);
      if (shown < all) {
        const std::string count = std::to_string(all - shown);
        append(lines, fit((shown ? "and " + count + " more: " : count + " warnings: ") + next, style, 1), style, warning_color);
      }
      if (lines.size() <= room || (shown == 0 && each == 1)) return lines;
    }
  }
}

void show_only(Table &table, const std::vector<std::string> &keys) {
  for (Column &column : table.columns) column.shown = std::find(keys.begin(), keys.end(), column.key) != keys.end();
}

Lines call_lines(const model::Profile &profile, const analyze::Headline &line, const Style &style, std::size_t room) {
  Table table = call_table(profile, {});
  if (table.rows.empty() || room <= table_lines) return {};
  show_only(table, {"call", "calls", "total_ns", "share_of_mpi_time", "mean_ns", "max_ns", "bytes_sent"});
  keep_rows(table, std::min(most_calls, room - table_lines));
  Lines lines;
  append(lines, fit("Calls by time (% of MPI time: share of " + mpi_time_text(line.denominators) + ")", style, 1), style);
  std::string text = text_table(table, style);
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines.push_back(text.substr(begin, end - begin));
  if (table.more) append(lines, fit("... and " + std::to_string(table.more) + " more", style, 1), style, dim);
  return lines;
}

/// The regions that took longest, where the program marked any.
Lines region_lines(const model::Profile &profile, const Style &style, std::size_t room) {
  Table table = region_table(profile, {});
  if (table.rows.empty() || room <= table_lines) return {};
  const bool mpi = std::any_of(table.columns.begin(), table.columns.end(), [](const Column &column) { return column.key == "mpi_ns" && column.shown; });
  show_only(table, {"path", "calls", "total_ns", "self_ns", mpi ? "mpi_ns" : "path", "mean_ns", "max_ns"});
  keep_rows(table, std::min(most_regions, room - table_lines));
  Lines lines;
  append(lines, fit("Regions by time, of all ranks and threads together (self: outside of the regions inside)", style, 1), style);
  std::string text = text_table(table, style);
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines.push_back(text.substr(begin, end - begin));
  if (table.more) append(lines, fit("... and " + std::to_string(table.more) + " more: report --by region", style, 1), style, dim);
  return lines;
}

std::string joined(const Lines &lines) {
  std::string out;
  for (const std::string &line : lines) out += line + "\n";
  return out;
}

}  // namespace

std::string summary(const model::Profile &profile, const std::string &profile_path, const Style &given) {
  Style style = given;
  if (style.width > 0) style.width = std::max(40, style.width);
  const std::string path = profile_path.starts_with('-') ? "./" + profile_path : profile_path;  // else taken for an option
  const std::string next = "scope-profiler report " + shell_quote(path);
  const analyze::Headline line = analyze::headline(profile, {});
  const HeadlineText text = headline_text(profile, line);
  Lines lines;
  std::size_t reserved = 0;  // lines that the table of calls needs at least
  if (profile.ranks.empty()) {
    append(lines, fit("scope-profiler: " + text.command, style, 1), style, bold);
    append(lines, fit(no_mpi_text(profile), style, 2), style);
    append(lines, fit(text.incomplete, style, 2), style, warning_color);
  } else {
    lines = head_lines(text, style);
    append(lines, finding_lines(profile, style), style);
    reserved = table_lines + std::min(fewest_calls, profile.calls.size());
  }
  const std::size_t left = static_cast<std::size_t>(summary_max_lines) - lines.size() - 1;
  const Lines warnings = warning_lines(profile, next, style, left - std::min(left, reserved));
  std::size_t room = left - std::min(left, warnings.size());
  const Lines regions = region_lines(profile, style, room - std::min(room, reserved));
  room -= regions.size();
  append(lines, call_lines(profile, line, style, room), style);
  append(lines, regions, style);
  append(lines, warnings, style);
  lines.push_back("Next: " + plain(next));
  return joined(lines);
}

}  // namespace scope::render
