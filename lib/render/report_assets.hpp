#pragma once
// What is the same in every page: share/report and d3, embedded when building (report_assets.cpp.in).

#include <string_view>

namespace scope::render {

struct ReportAssets {
  std::string_view page;     ///< page.html, with {{places}}
  std::string_view style;    ///< page.css
  std::string_view script;   ///< the modules, one behind the other
  std::string_view d3;
  std::string_view licence;  ///< of d3
};

/// Valid until the program ends.
ReportAssets report_assets();

}  // namespace scope::render
