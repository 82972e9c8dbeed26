#pragma once
// A report before it takes a form: what the options chose, computed and checked. Internal to the report's formats.

#include <string>
#include <vector>

#include "analyze/views.hpp"
#include "model/profile.hpp"
#include "render/style.hpp"
#include "render/table.hpp"

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
};

std::string text_report(const ReportParts &parts, const Style &style);
std::string markdown_report(const ReportParts &parts);
/// share_of_X is a share of denominators.X; a rank's share_of_wall is of its own wall_ns.
/// {"headline": {}, "denominators": {}, "by_call": [{}, ...], ..., "left_out": {}, "warnings": [{"id", "text"}]}
std::string json_report(const ReportParts &parts);

}  // namespace scope::render
