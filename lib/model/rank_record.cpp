#include "model/rank_record.hpp"

#include <cmath>

namespace scope::model {
namespace {

/// Nearest integer; at the ends of the range instead of beyond.
std::int64_t rounded(double value) {
  constexpr double limit = 4611686018427387904.0;  // 2^62: two of them can be added
  if (!(value < limit)) return std::int64_t{1} << 62;
  if (value < -limit) return -(std::int64_t{1} << 62);
  return std::llround(value);
}

}  // namespace

const char *to_string(RankStatus status) {
  switch (status) {
    case RankStatus::finalized: return "finalized";
    case RankStatus::exited: return "exited";
    case RankStatus::aborted: return "aborted";
    case RankStatus::killed: return "killed";
    case RankStatus::recovered: return "recovered";
  }
  return "recovered";
}

double TickScale::ns_per_tick() const {
  if (last_ticks <= first_ticks || last_ns <= first_ns) return 1;
  return static_cast<double>(last_ns - first_ns) / static_cast<double>(last_ticks - first_ticks);
}

std::int64_t TickScale::duration_ns(double ticks) const { return rounded(ticks * ns_per_tick()); }

std::int64_t TickScale::at_ns(std::uint64_t ticks) const {
  // The difference is taken before it is scaled: a double does not hold an instant to the nanosecond.
  std::int64_t first = first_ns > (std::uint64_t{1} << 62) ? std::int64_t{1} << 62 : static_cast<std::int64_t>(first_ns);
  if (ticks >= first_ticks) return first + duration_ns(static_cast<double>(ticks - first_ticks));
  return first - duration_ns(static_cast<double>(first_ticks - ticks));
}

std::uint64_t TickScale::ticks_at(std::uint64_t ns) const {
  if (ns < first_ns) return 0;
  return first_ticks + static_cast<std::uint64_t>(rounded(static_cast<double>(ns - first_ns) / ns_per_tick()));
}

void refine_scale(RankRecord &record, std::uint64_t now_ticks, std::uint64_t now_ns) {
  TickScale &scale = record.scale;
  if (now_ticks <= scale.last_ticks || now_ns <= scale.last_ns) return;
  scale.last_ticks = now_ticks;
  scale.last_ns = now_ns;
}

}  // namespace scope::model
