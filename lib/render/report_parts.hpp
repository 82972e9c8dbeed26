#pragma once
// A report before it takes a form: what the options chose, computed and checked. Internal to the report's formats.

#include <optional>
#include <string>
#include <vector>

#include "analyze/views.hpp"
#include "model/profile.hpp"
#include "render/style.hpp"
#include "render/table.hpp"
#include "render/timeline_page.hpp"

namespace scope::render {

/// A table that the overview leaves out because the filter has no meaning for it.
struct LeftOut {
  std::string name, reason;
};

struct ReportParts {
  const model::Profile &profile;
  analyze::Headline headline;
  std::vector<std::string> filters;  ///< what was chosen, one sentence each
  bool overview = true;              ///< no --by
  std::vector<Table> tables;
  std::vector<LeftOut> left_out;
  analyze::Filter filter;            ///< the options' choice, for what is not in the tables
  std::optional<PageTimeline> timeline;  ///< of a page
  std::string no_timeline;               ///< why a page has none
};

std::string text_report(const ReportParts &parts, const Style &style);
std::string markdown_report(const ReportParts &parts);
/// share_of_X is a share of denominators.X; a rank's share_of_wall is of its own wall_ns.
/// {"headline": {}, "denominators": {}, "by_call": [{}, ...], ..., "left_out": {}, "warnings": [{"id", "text"}]}
std::string json_report(const ReportParts &parts);
/// One page that needs nothing but itself: the tables, and what its charts are drawn from.
std::string html_report(const ReportParts &parts);
/// That, as JSON: times in ns, sizes in bytes; vectors named per_rank run in the order of ranks.
/// {"ranks": {"world": [], "rank": [], "host": [], ...}, "calls": [{"call", "per_rank": {}}], "peers": {"p2p": {}, "rma": {}},
/// "sizes": [{}, ...], "callsites": [{"ranks"}], "regions": [{}, ...], "timeline": {}}; callsites are in the order of their table
std::string html_report_json(const ReportParts &parts);

}  // namespace scope::render
