#include "rank_ends.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>

#include "launch/process.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace scope::cli {

using launch::LauncherKind;
using launch::RankEnd;
using model::RankRecord;
using model::RankStatus;

namespace {

const RankEnd *end_of(const RankRecord &record, const std::vector<RankEnd> &ends) {
  auto is_it = [&](const RankEnd &end) {
    return end.pid == static_cast<std::int64_t>(record.pid) && end.start_time == record.start_time && end.host == record.host;
  };
  auto found = std::find_if(ends.begin(), ends.end(), is_it);
  return found == ends.end() ? nullptr : &*found;
}

void set_killed(RankRecord &record, int signal) {
  record.status = RankStatus::killed;
  record.signal = signal;
}

/// The one record that ended first among those without a dump; null when two ended together, or when it is not known.
RankRecord *first_to_die(const std::vector<RankRecord *> &without_dump, const std::vector<RankEnd> &ends) {
  if (without_dump.size() == 1) return without_dump.front();
  RankRecord *first = nullptr;
  int order = 0;
  bool together = false;
  for (auto *record : without_dump) {
    const auto *end = end_of(*record, ends);
    if (!end) continue;
    if (!first || end->order < order) {
      first = record;
      order = end->order;
      together = false;
    } else if (end->order == order) {
      together = true;
    }
  }
  return together ? nullptr : first;
}

}  // namespace

std::optional<int> signal_told_by(LauncherKind launcher, int exit_code) {
  if (launcher == LauncherKind::hydra) return std::nullopt;
  int signal = exit_code - 128;
  return signal > 0 && signal < 32 ? std::optional(signal) : std::nullopt;
}

namespace {

/// A rank that died while it computed ran until then. One that died in a call is shown up to where that call began: the
/// call did not return and has no time, so that the time after it would look like computation.
void extend_to_end(RankRecord &record, const RankEnd &end) {
  if (!record.in_call.empty() || record.end != 0) return;
  record.last_seen = std::max(record.last_seen, record.scale.ticks_at(end.monotonic_ns));
}

}  // namespace

void apply_rank_ends(std::vector<RankRecord> &records, const std::vector<RankEnd> &ends, LauncherKind launcher, int exit_code) {
  std::vector<RankRecord *> without_dump;
  for (auto &record : records) {
    if (record.status == RankStatus::recovered) without_dump.push_back(&record);
  }
  auto *first = first_to_die(without_dump, ends);
  for (auto *record : without_dump) {
    const auto *end = end_of(*record, ends);
    if (end) extend_to_end(*record, *end);
    if (!end || !end->wait_status) continue;
    if (WIFSIGNALED(*end->wait_status)) set_killed(*record, WTERMSIG(*end->wait_status));
    else record->status = RankStatus::exited;
  }
  auto signal = signal_told_by(launcher, exit_code);
  if (first && signal && first->status == RankStatus::recovered) set_killed(*first, *signal);
}

std::uint64_t ticks_now([[maybe_unused]] const std::string &clock) {
#if defined(__x86_64__)
  if (clock == "tsc") return __rdtsc();
#elif defined(__aarch64__)
  if (clock == "tsc") {
    std::uint64_t ticks;
    asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
  }
#endif
  return launch::monotonic_ns();
}

void refine_recovered(std::vector<RankRecord> &records, const std::string &boot_id) {
  for (auto &record : records) {
    if (record.status != RankStatus::recovered || boot_id.empty() || record.boot_id != boot_id) continue;
    auto ticks = ticks_now(record.clock);
    model::refine_scale(record, ticks, launch::monotonic_ns());
  }
}

}  // namespace scope::cli
