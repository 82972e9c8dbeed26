#include "stall_monitor.hpp"

#include <algorithm>
#include <exception>

#include "finish.hpp"
#include "launch/process.hpp"
#include "launch/rank_watch.hpp"
#include "messages.hpp"
#include "model/live_state.hpp"
#include "model/merge.hpp"
#include "rank_ends.hpp"

namespace scope::app {

namespace fs = std::filesystem;

namespace {

constexpr double longest_period_s = 1, shortest_period_s = 0.05;

/// For a live block of another host it is taken for granted.
bool alive(const fs::path &file, const std::string &host) {
  auto name = launch::parse_block_name(file.filename().string());
  return name && (name->host != host || launch::is_alive(*name));
}

}  // namespace

StallMonitor::StallMonitor(const cli::RunOptions &options, const launch::RunDirectory &directory)
    : directory_(directory),
      abort_(options.stall_action == "abort"),
      period_ns_(static_cast<std::uint64_t>(std::clamp(options.stall_timeout / 4, shortest_period_s, longest_period_s) * 1e9)),
      clock_(static_cast<std::uint64_t>(options.stall_timeout * 1e9)) {}

std::vector<analyze::Look> StallMonitor::looks() const {
  std::vector<analyze::Look> result;
  const std::string host = launch::host_name();
  for (const fs::path &file : launch::rank_files(directory_.path)) {
    if (!launch::parse_block_name(file.filename().string()) || !alive(file, host)) continue;
    auto progress = model::read_live_progress(file);
    if (progress) result.push_back({file.string(), *progress, [file] { return model::read_live_work(file); }});
  }
  return result;
}

bool StallMonitor::look() {
  try {
    return look_once();
  } catch (const std::exception &failure) {  // whatever it is, the program is not to suffer from it
    debug(std::string("--stall-timeout: ") + failure.what());
    return true;
  }
}

bool StallMonitor::look_once() {
  auto pace = clock_.look(looks(), launch::monotonic_ns(), period_ns_);
  if (pace == analyze::Pace::moving) lasting_ = false;
  if (pace != analyze::Pace::stalled || !report()) return true;
  return !abort_;
}

/// False: the last ranks have just ended.
bool StallMonitor::report() {
  auto collected = model::collect(directory_.path, directory_.run_id);
  const std::string boot = boot_id(), host = launch::host_name();
  cli::refine_recovered(collected.records, boot);
  std::map<fs::path, model::LiveFact> facts;
  for (const auto &record : collected.records) {
    if (!record.from_live_block) continue;
    std::string process = record.source.string();
    facts[record.source] = {alive(record.source, host), clock_.asking(process),
                            static_cast<std::int64_t>(clock_.still_ns(process))};
  }
  auto worlds = model::live_state(collected.records, facts, boot, launch::monotonic_ns());
  if (worlds.empty()) return false;
  auto found = analyze::diagnose(worlds);
  ++stalls_;
  lasting_ = true;
  seconds_ = static_cast<double>(clock_.still_ns()) / 1e9;
  text_ = analyze::stall_sentence(found, seconds_);
  for (const auto &line : analyze::stall_lines(found, seconds_)) warn(line);
  if (abort_) warn("ending the program (--stall-action abort)");
  return true;
}

std::optional<model::Warning> StallMonitor::warning() const {
  if (stalls_ == 0) return std::nullopt;
  std::string text = stalls_ > 1 ? "The run stalled " + std::to_string(stalls_) + " times; the last time: " + text_ : text_;
  if (abort_)
    text += " The program was ended for it.";
  else if (!lasting_)
    text += " It went on after that.";
  return model::Warning{stalled, text};
}

std::optional<model::Finding> StallMonitor::finding() const {
  if (stalls_ == 0) return std::nullopt;
  return model::Finding{
      "stall", lasting_ ? "error" : "warning", text_, {{"stalls", static_cast<double>(stalls_)}, {"seconds", seconds_}}, 0};
}

}  // namespace scope::app
