// The page: everything that it says stands in its HTML; its script draws charts from the data block, sorts and selects.

#include <array>
#include <functional>
#include <map>

#include "render/headline_text.hpp"
#include "render/html_escape.hpp"
#include "render/html_table.hpp"
#include "render/report_assets.hpp"
#include "render/report_parts.hpp"
#include "render/tables.hpp"
#include "support/text.hpp"

namespace scope::render {
namespace {

constexpr std::size_t unfolded_rows = 24;  ///< longer tables begin folded where a chart stands before them

struct Section {
  std::string id, title, html;
};

/// How a table appears. The chart's container stays hidden until the script has drawn something in it.
struct TableSection {
  const char *table, *id, *title;
  const char *charts;   ///< ids of the containers, with spaces between
  bool folded;          ///< the chart says most of it
  const char *nothing;  ///< where the table has no rows
};
constexpr std::array<TableSection, 11> table_sections{{
    {"call", "calls", "MPI calls", "calls-heat", false, "No MPI call was recorded."},
    {"spread", "spread", "How times spread over ranks", "", false, "No MPI call was recorded."},
    {"rank", "ranks", "Ranks", "ranks", true, "No rank has reported."},
    {"peer", "peers", "Who sends to whom", "matrix", true,
     "No point-to-point message and no one-sided operation was recorded. Collectives are in the table of calls."},
    {"size", "sizes", "Message sizes", "sizes", true, "No call that moves bytes was recorded."},
    {"comm", "communicators", "Communicators", "", false, "No call on a communicator was recorded."},
    {"callsite", "callsites", "Call sites", "", false, "No call site was recorded."},
    {"region", "regions", "Regions", "regions", true, "No region was recorded."},
    {"wait", "waits", "Who waited for whom", "", false, "No rank waited for another."},
    {"delay", "delays", "Where delays came from", "", false, "No rank waited for another."},
    {"path", "path", "Critical path", "", false, "No rank has a timeline."},
}};

std::string paragraph(const std::string &data, const std::string &kind = "") {
  if (data.empty()) return "";
  return "<p" + (kind.empty() ? "" : " class=\"" + kind + "\"") + ">" + escape_html(data) + "</p>\n";
}

std::string time(std::int64_t ns) { return support::format_ns(static_cast<double>(ns)); }
std::string percent(const std::optional<double> &share) { return share ? support::format_percent(*share) : "-"; }
std::string count(std::size_t number) { return support::format_count(static_cast<std::int64_t>(number)); }

std::string tile(const std::string &label, const std::string &value, const std::string &detail) {
  return "<div><dt>" + escape_html(label) + "</dt><dd><strong>" + escape_html(value) + "</strong> <span>" + escape_html(detail) +
         "</span></dd></div>\n";
}

std::string tiles(const ReportParts &parts) {
  const analyze::Headline &line = parts.headline;
  const std::string ranks = line.expected_ranks > line.reported_ranks
                                ? support::format_count(line.expected_ranks) + " expected, on "
                                : "on ";
  std::string out = "<dl class=\"tiles\">\n";
  out += tile("Wall time", time(line.wall_ns), "longest of the ranks");
  out += tile("Ranks", count(line.denominators.ranks), ranks + count(line.hosts) + (line.hosts == 1 ? " host" : " hosts"));
  out += tile("MPI time", percent(line.mpi_share), "of the ranks' wall time, " + time(line.denominators.mpi_ns) + " in all");
  out += tile("Parallel efficiency", percent(line.efficiency.parallel), "of the ranks' time is outside MPI, at best 100 %");
  if (line.p2p_messages || !line.rma_messages)
    out += tile("Messages", support::format_count(line.p2p_messages), support::format_bytes(static_cast<double>(line.p2p_bytes)) + " point to point");
  if (line.rma_messages)
    out += tile("One-sided", support::format_count(line.rma_messages), "operations, " + support::format_bytes(static_cast<double>(line.rma_bytes)));
  return out + "</dl>\n";
}

std::string efficiency_row(const std::string &name, const std::optional<double> &value, const std::string &meaning) {
  if (!value) return "";
  const std::string shown = support::format_percent(*value);
  return "<tr><th scope=\"row\">" + escape_html(name) + "</th><td class=\"n\">" + escape_html(shown) +
         "</td><td class=\"gauge\"><span style=\"--v:" + std::to_string(std::min(100.0, std::max(0.0, *value * 100))) +
         "%\"></span></td><td>" + escape_html(meaning) + "</td></tr>\n";
}

std::string efficiency(const analyze::Headline &line) {
  const std::string rows =
      efficiency_row("Parallel efficiency", line.efficiency.parallel, "load balance x communication") +
      efficiency_row("Load balance", line.efficiency.load_balance,
                     "mean / maximum of the ranks' time outside MPI: low where some ranks compute longer than others") +
      efficiency_row("Communication", line.efficiency.communication,
                     "longest time outside MPI / longest wall time: low where even the busiest rank spends time in MPI");
  if (rows.empty()) return "";
  return "<table class=\"efficiency\"><caption>Efficiency</caption><thead><tr><th scope=\"col\">factor</th><th scope=\"col\" "
         "class=\"n\">value</th><th scope=\"col\"><span class=\"unseen\">as a bar</span></th><th scope=\"col\">what it "
         "is</th></tr></thead><tbody>\n" + rows + "</tbody></table>\n";
}

Section overview(const ReportParts &parts) {
  const HeadlineText text = headline_text(parts.profile, parts.headline);
  std::string out = "<div class=\"command\"><code>" + html_data(text.command.empty() ? "(no command)" : text.command) + "</code></div>\n";
  if (parts.profile.ranks.empty()) {
    out += paragraph(no_mpi_text(parts.profile), "alert") + paragraph(text.incomplete, "alert");
    return {"overview", "Overview", out};
  }
  out += paragraph(text.facts, "facts") + paragraph(text.incomplete, "alert") + paragraph(text.unfinished, "alert");
  for (const std::string &filter : parts.filters) out += paragraph(filter, "note");
  out += tiles(parts) + efficiency(parts.headline);
  out += paragraph(text.mpi) + paragraph(text.startup) + paragraph(text.waiting) + paragraph(text.estimate) + paragraph(text.messages) + paragraph(text.cost);
  return {"overview", "Overview", out};
}

/// The claim, how it is known, what to do next: a paragraph each, where a text has these parts.
std::string finding_text(const std::string &text) {
  constexpr std::size_t longest = 2000;  // of ours; beyond it a name in it is what is long
  const auto claim = text.find(". ");
  if (text.size() > longest || claim == std::string::npos) return html_data(text);
  std::string rest = text.substr(claim + 2), next;
  if (const auto at = rest.find("Next: "); at != std::string::npos) {
    next = rest.substr(at);
    rest.resize(at);
  }
  return "<strong>" + escape_html(text.substr(0, claim + 1)) + "</strong>" + (rest.empty() ? "" : "<br>" + escape_html(rest)) +
         (next.empty() ? "" : "<br>" + escape_html(next));
}

Section findings(const ReportParts &parts) {
  std::string out;
  for (const model::Finding &finding : parts.profile.findings) {
    const std::string lost = finding.seconds_lost > 0 ? time(static_cast<std::int64_t>(finding.seconds_lost * 1e9)) + " lost" : "";
    out += "<li class=\"finding\"" + (" data-id=\"" + escape_html(finding.id) + "\"") + "><span class=\"severity\">" +
           html_data(finding.severity) + (lost.empty() ? "" : ", " + lost) + "</span> " + finding_text(finding.text) + "</li>\n";
  }
  return {"findings", "Findings", out.empty() ? "" : "<ol class=\"findings\">\n" + out + "</ol>\n"};
}

std::string charts(const std::string &ids) {
  std::string out;
  for (std::size_t begin = 0; begin < ids.size();) {
    const std::size_t end = std::min(ids.find(' ', begin), ids.size());
    out += "<figure class=\"chart\" id=\"chart-" + ids.substr(begin, end - begin) + "\" hidden></figure>\n";
    begin = end + 1;
  }
  return out;
}

std::string table_with_frame(const Table &table, bool folded) {
  std::string frame = "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"Table: " + escape_html(table.title) + "\">" +
                      html_table(table) + "</div>\n";
  if (table.more)
    frame += "<p class=\"note\">... and " + count(table.more) + " more: scope-profiler report --by " + escape_html(table.name) +
             " --top 0 shows all</p>\n";
  if (!folded || table.rows.size() <= unfolded_rows) return frame;
  return "<details class=\"fold\"><summary>" + escape_html(table.title) + " as a table: " + count(table.rows.size()) +
         " rows</summary>\n" + frame + "</details>\n";
}

Section table_section(const ReportParts &parts, const TableSection &section) {
  for (const Table &table : parts.tables) {
    if (table.name != section.table) continue;
    if (table.rows.empty()) return {section.id, section.title, paragraph(section.nothing, "note")};
    return {section.id, section.title, charts(section.charts) + table_with_frame(table, section.folded) + paragraph(table.note, "note")};
  }
  for (const LeftOut &left : parts.left_out)
    if (left.name == section.table) return {section.id, section.title, paragraph("Left out: " + left.reason + ".", "note")};
  return {section.id, section.title, ""};
}

/// What it draws stands behind the page's data: timeline_script().
Section timeline(const ReportParts &parts) {
  std::string out;
  if (parts.timeline) {
    out = charts("timeline");
    for (const std::string &note : parts.timeline->notes) out += paragraph(note, "note");
  } else if (parts.overview) {
    out = paragraph(parts.no_timeline, "note");
  }
  return {"timeline", "Timeline", out};
}

/// The script element of a page with a timeline.
std::string timeline_script(const ReportParts &parts) {
  if (!parts.timeline) return "";
  return "<script type=\"text/plain\" id=\"timeline-data\">" + parts.timeline->columns + "</script>";
}

Section metadata(const ReportParts &parts) {
  const model::Metadata &data = parts.profile.metadata;
  std::string out;
  const auto item = [&out](const std::string &name, const std::string &value) {
    if (!value.empty()) out += "<dt>" + html_data(name) + "</dt><dd>" + html_data(value) + "</dd>\n";
  };
  item("Command", headline_text(parts.profile, parts.headline).command);
  item("Label", data.label);
  for (const auto &[key, value] : data.tags) item("Tag " + key, value.empty() ? "(empty)" : value);
  item("Started", data.started);
  std::string hosts;
  for (const std::string &host : data.hosts) hosts += (hosts.empty() ? "" : ", ") + host;
  item("Hosts", hosts);
  item("Batch job", headline_text(parts.profile, parts.headline).batch);
  item("Launcher", data.launcher);
  item("MPI library", data.mpi_library);
  item("MPI standard", data.mpi_standard);
  item("Processor", data.cpu);
  item("Exit status", std::to_string(data.exit_status));
  item("Recorded by", data.exporter);
  item("Run", data.run_id);
  return {"run", "The run", "<dl class=\"facts-list\">\n" + out + "</dl>\n"};
}

Section warnings(const ReportParts &parts) {
  std::string out;
  for (const model::Warning &warning : parts.profile.warnings)
    out += "<li data-id=\"" + escape_html(warning.id) + "\"><code>" + html_data(warning.id) + "</code> " + html_data(warning.text) + "</li>\n";
  return {"warnings", "Warnings", out.empty() ? "" : "<ul class=\"warnings\">\n" + out + "</ul>\n"};
}

/// What would be worth seeing and was not recorded, with the way to it.
Section missing(const ReportParts &parts) {
  const model::Profile &profile = parts.profile;
  std::string out;
  const auto item = [&out](const std::string &text) { out += "<li>" + escape_html(text) + "</li>\n"; };
  if (profile.ranks.size() == 1) item("Other ranks: there is one only, so nothing can be said about balance.");
  if (profile.callsites.empty()) item("Call sites: record them with scope-profiler run --mpi-calls --callsites.");
  if (profile.regions.empty()) item("Regions: the program marked none.");
  if (!profile.timeline_results) item("Who waited for whom: record a timeline with scope-profiler run --mpi-calls --trace.");
  if (profile.peers.rma.src.empty()) item("One-sided traffic: there was none.");
  return {"missing", "Not in this profile", out.empty() ? "" : "<ul>\n" + out + "</ul>\n"};
}

std::vector<Section> sections(const ReportParts &parts) {
  std::vector<Section> all{overview(parts)};
  if (parts.overview) all.push_back(findings(parts));
  if (!parts.profile.ranks.empty())
    for (const TableSection &section : table_sections) {
      if (section.id == std::string_view("waits")) all.push_back(timeline(parts));
      all.push_back(table_section(parts, section));
    }
  if (parts.overview) {
    if (!parts.profile.ranks.empty()) all.push_back(missing(parts));
    all.push_back(metadata(parts));
  }
  all.push_back(warnings(parts));
  std::erase_if(all, [](const Section &section) { return section.html.empty(); });
  return all;
}

/// Every {{place}} of the page once, from left to right: what is put in is not looked at again.
std::string fill(std::string_view page, const std::map<std::string_view, std::function<std::string()>> &places) {
  std::string out;
  while (true) {
    const std::size_t begin = page.find("{{"), end = page.find("}}", begin);
    if (end == std::string_view::npos) return out += page;
    out += page.substr(0, begin);
    out += places.at(page.substr(begin + 2, end - begin - 2))();
    page = page.substr(end + 2);
  }
}

}  // namespace

std::string html_report(const ReportParts &parts) {
  const ReportAssets assets = report_assets();
  const std::vector<Section> all = sections(parts);
  std::string nav, body;
  for (const Section &section : all) {
    nav += "<li><a href=\"#" + section.id + "\">" + section.title + "</a></li>\n";
    const bool first = section.id == "overview";
    const std::string heading = first ? "<h1 id=\"h-overview\">Profile</h1>\n" : "<h2 id=\"h-" + section.id + "\">" + section.title + "</h2>\n";
    body += "<section id=\"" + section.id + "\" aria-labelledby=\"h-" + section.id + "\">\n" + heading + section.html + "</section>\n";
  }
  const std::string command = headline_text(parts.profile, parts.headline).command;
  const auto text = [](std::string_view part) { return [part] { return std::string(part); }; };
  return fill(assets.page,
              {{"generator", [] { return "scope-profiler " SCOPE_VERSION; }},
               {"title", [&] { return escape_html("Profile of " + support::ellipsize(support::valid_utf8(command), 120)); }},
               {"nav", text(nav)},
               {"sections", text(body)},
               {"data", [&] { return json_for_script(html_report_json(parts)); }},
               {"timeline", [&] { return timeline_script(parts); }},
               {"style", text(assets.style)},
               {"licence", text(assets.licence)},
               {"d3", text(assets.d3)},
               {"script", text(assets.script)}});
}

}  // namespace scope::render
