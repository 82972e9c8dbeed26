#pragma once
// What becomes of rank records and profiles behind their readers.

#include <fstream>

#include "analyze/efficiency.hpp"
#include "analyze/stall.hpp"
#include "fuzz.hpp"
#include "model/live_state.hpp"
#include "model/merge.hpp"
#include "render/report.hpp"
#include "render/summary.hpp"

namespace scope::fuzz {

/// Every format of the report, and the summary.
inline void use_profile(const model::Profile &profile) {
  render::ReportOptions options;
  options.style.width = 80;
  for (const char *format : {"text", "markdown", "json", "csv"}) {
    options.format = format;
    std::string text = render::report(profile, options);
    if (options.format != "csv") require_harmless(text, format);  // CSV holds line ends as they are
  }
  require_harmless(render::summary(profile, "trace.json", options.style), "summary");
}

/// Merge, write, read back, show; and the hang diagnosis.
inline void use_record(const model::RankRecord &record) {
  constexpr int large = 4096;  // the list of missing ranks is right, but takes its time
  if (record.size > large) return;
  model::Collected collected;
  collected.records = {record};
  model::Profile profile = model::merge(collected, {});
  analyze::analyze(profile);
  const std::string text = model::to_json(profile);
  require(model::to_json(model::parse_profile(text, "merged.json")) == text, "a profile that does not come back as it was");
  use_profile(profile);
  auto report = analyze::diagnose(model::live_state({record}, {}, record.boot_id, 1'000'000'000));
  require(report.states.size() <= 16, "too many states");
}

}  // namespace scope::fuzz
