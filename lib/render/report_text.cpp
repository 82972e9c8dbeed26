#include <algorithm>

#include "render/escape.hpp"
#include "render/headline_text.hpp"
#include "render/report_parts.hpp"

namespace scope::render {
namespace {

using Emphasis = std::string (*)(const std::string &, const Style &);

/// Wrapped lines, each with a line feed.
std::string lines(const std::string &data, const Style &style, Emphasis emphasis = nullptr) {
  std::string out;
  for (const std::string &line : wrap(plain(data), style.width, 2)) out += (emphasis ? emphasis(line, style) : line) + "\n";
  return out;
}

std::string headline(const ReportParts &parts, const Style &style) {
  const HeadlineText text = headline_text(parts.profile, parts.headline);
  std::string out = lines("Profile of " + text.command, style, bold);
  if (parts.profile.ranks.empty())
    return out + lines(no_mpi_text(parts.profile), style) + lines(text.incomplete, style, warning_color);
  out += lines(text.facts, style) + lines(text.batch, style);
  if (!parts.profile.metadata.started.empty()) out += lines("Started " + parts.profile.metadata.started, style);
  for (const auto &[key, value] : parts.profile.metadata.tags) out += lines("Tag " + key + "=" + value, style);
  out += lines(text.incomplete, style, warning_color) + lines(text.unfinished, style, warning_color);
  out += lines(text.efficiency, style, bold) + lines(text.explanation, style, dim);
  return out + lines(text.mpi, style) + lines(text.startup, style) + lines(text.waiting, style) + lines(text.estimate, style) + lines(text.messages, style) + lines(text.cost, style);
}

std::string findings(const model::Profile &profile, const Style &style) {
  std::string out;
  for (const model::Finding &finding : profile.findings)
    out += lines("- " + finding.severity + ": " + finding.text, style, finding.severity == "warning" ? warning_color : nullptr);
  return out.empty() ? "" : "\n" + lines("Findings", style, bold) + out;
}

std::string section(const Table &table, const Style &style) {
  std::string out = lines(table.title, style, bold) + lines(table.note, style, dim);
  if (table.rows.empty()) return out + "Nothing to show.\n";
  std::vector<std::string> dropped;
  out += text_table(table, style, &dropped);
  if (table.more)
    out += lines("... and " + std::to_string(table.more) + " more (--by " + table.name + " --top 0 shows all)", style, dim);
  if (dropped.empty()) return out;
  std::string names;
  for (const std::string &title : dropped) names += (names.empty() ? "" : ", ") + title;
  return out + lines("Not shown for want of width: " + names + " (--columns chooses)", style, dim);
}

}  // namespace

std::string text_report(const ReportParts &parts, const Style &given) {
  Style style = given;
  if (style.width > 0) style.width = std::max(40, style.width);
  std::string out;
  if (parts.overview) out += headline(parts, style);
  else out += lines(headline_text(parts.profile, parts.headline).incomplete, style, warning_color);
  for (const std::string &filter : parts.filters) out += lines(filter, style);
  if (parts.overview && parts.filters.empty()) out += findings(parts.profile, style);  // they are of the whole
  for (const Table &table : parts.tables) {
    if (parts.overview && table.rows.empty()) continue;
    out += (out.empty() ? "" : "\n") + section(table, style);
  }
  for (const LeftOut &left : parts.left_out)
    out += "\n" + lines("Table by " + left.name + " left out: " + left.reason, style, dim);
  if (!parts.overview || parts.profile.warnings.empty()) return out;
  out += "\n" + lines("Warnings", style, bold);
  for (const model::Warning &warning : parts.profile.warnings)
    out += lines("- " + warning.text, style, warning_color);
  return out;
}

}  // namespace scope::render
