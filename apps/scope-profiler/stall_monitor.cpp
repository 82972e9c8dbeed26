#include "stall_monitor.hpp"

#include <algorithm>
#include <exception>

#include "callsites.hpp"
#include "finish.hpp"
#include "launch/process.hpp"
#include "live_job.hpp"
#include "messages.hpp"

namespace scope::app {

namespace {

constexpr double longest_period_s = 1, shortest_period_s = 0.05;

}  // namespace

StallMonitor::StallMonitor(const cli::RunOptions &options, const launch::RunDirectory &directory)
    : directory_(directory),
      abort_(options.stall_action == "abort"),
      period_ns_(static_cast<std::uint64_t>(std::clamp(options.stall_timeout / 4, shortest_period_s, longest_period_s) * 1e9)),
      clock_(static_cast<std::uint64_t>(options.stall_timeout * 1e9)) {}

bool StallMonitor::look() {
  try {
    return look_once();
  } catch (const std::exception &failure) {  // whatever it is, the program is not to suffer from it
    debug(std::string("--stall-timeout: ") + failure.what());
    return true;
  }
}

bool StallMonitor::look_once() {
  auto pace = clock_.look(looks_at(directory_.path), launch::monotonic_ns(), period_ns_);
  if (pace == analyze::Pace::moving) lasting_ = false;
  if (pace != analyze::Pace::stalled || !report()) return true;
  return !abort_;
}

/// False: the last ranks have just ended.
bool StallMonitor::report() {
  auto worlds = live_worlds(directory_.path, directory_.run_id, clock_);
  if (worlds.empty()) return false;
  resolve_callsites(worlds);
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
