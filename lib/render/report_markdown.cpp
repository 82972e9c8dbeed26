#include "render/escape.hpp"
#include "render/headline_text.hpp"
#include "render/report_parts.hpp"

namespace scope::render {
namespace {

std::string item(const std::string &data) { return data.empty() ? "" : "- " + markdown_escape(data) + "\n"; }

std::string headline(const ReportParts &parts) {
  const HeadlineText text = headline_text(parts.profile, parts.headline);
  std::string out = "# Profile of " + markdown_escape(text.command) + "\n\n";
  if (parts.profile.ranks.empty()) return out + item(no_mpi_text(parts.profile)) + item(text.incomplete);
  out += item(text.facts) + item(text.batch);
  if (!parts.profile.metadata.started.empty()) out += item("Started " + parts.profile.metadata.started);
  for (const auto &[key, value] : parts.profile.metadata.tags) out += item("Tag " + key + "=" + value);
  out += item(text.incomplete) + item(text.unfinished) + item(text.efficiency);
  if (!text.explanation.empty()) out += "  " + markdown_escape(text.explanation) + "\n";
  return out + item(text.mpi) + item(text.startup) + item(text.waiting) + item(text.estimate) + item(text.messages) + item(text.cost);
}

std::string section(const Table &table) {
  std::string out = "## " + markdown_escape(table.title) + "\n\n";
  if (!table.note.empty()) out += markdown_escape(table.note) + "\n\n";
  out += table.rows.empty() ? "Nothing to show.\n" : markdown_table(table);
  if (table.more) out += "\n... and " + std::to_string(table.more) + " more\n";
  return out;
}

}  // namespace

std::string markdown_report(const ReportParts &parts) {
  std::string out;
  if (parts.overview) out += headline(parts);
  else out += item(headline_text(parts.profile, parts.headline).incomplete);
  for (const std::string &filter : parts.filters) out += item(filter);
  if (parts.overview && parts.filters.empty() && !parts.profile.findings.empty()) {  // they are of the whole
    out += "\n## Findings\n\n";
    for (const model::Finding &finding : parts.profile.findings) out += item(finding.severity + ": " + finding.text);
  }
  for (const Table &table : parts.tables) {
    if (parts.overview && table.rows.empty()) continue;
    out += (out.empty() ? "" : "\n") + section(table);
  }
  if (!parts.left_out.empty()) out += "\n";
  for (const LeftOut &left : parts.left_out) out += item("Table by " + left.name + " left out: " + left.reason);
  if (!parts.overview || parts.profile.warnings.empty()) return out;
  out += "\n## Warnings\n\n";
  for (const model::Warning &warning : parts.profile.warnings) out += item(warning.id + ": " + warning.text);
  return out;
}

}  // namespace scope::render
