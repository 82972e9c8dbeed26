#include "finish.hpp"

#include <cstdio>
#include <ctime>
#include <fstream>

#include "analyze/efficiency.hpp"
#include "callsites.hpp"
#include "messages.hpp"
#include "render/findings_text.hpp"
#include "render/summary.hpp"
#include "terminal.hpp"

namespace scope::app {

std::string exporter() { return "scope-profiler@" SCOPE_VERSION; }

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("model name")) continue;
    auto colon = line.find(": ");
    return colon == std::string::npos ? "" : line.substr(colon + 2);
  }
  return "";
}

std::string utc_now() {
  std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string boot_id() {
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::string line;
  std::getline(in, line);
  return line;
}

model::PerRankForm per_rank_form(const std::string &word) { return word == "all" ? model::PerRankForm::all : model::PerRankForm::by_size; }

model::Profile merged_profile(const model::Collected &collected, model::Metadata metadata, const std::vector<model::Warning> &more,
                              const std::vector<model::Finding> &findings, const TimelineFiles &timeline, const model::Progress &progress) {
  std::vector<model::Placement> placements;
  auto profile = model::merge(collected, std::move(metadata), &placements, progress);
  profile.warnings.insert(profile.warnings.end(), more.begin(), more.end());
  profile.findings.insert(profile.findings.end(), findings.begin(), findings.end());
  resolve_callsites(profile);
  analyze::analyze(profile);
  add_timeline(placements, timeline, profile);
  for (model::Finding &finding : render::findings_of(profile)) profile.findings.push_back(std::move(finding));
  return profile;
}

void show_summary(const model::Profile &profile, const std::filesystem::path &output, const cli::CommonOptions &common) {
  if (common.quiet) {
    for (const auto &warning : profile.warnings) {
      if (warning.id != mpi_calls_off && warning.id != stalled) warn(warning.text);
    }
    return;
  }
  auto text = render::summary(profile, output.string(), style_for_descriptor(2, common.color));
  std::fputs(text.c_str(), stderr);
}

}  // namespace scope::app
