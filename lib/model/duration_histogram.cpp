#include <algorithm>
#include <cmath>
#include <iterator>

#include "model/merge_parts.hpp"
#include "wire/live_block.hpp"

namespace scope::model {

std::vector<double> &DurationHistogram::of_clock(double ns_per_tick) {
  const auto next = clocks_.lower_bound(ns_per_tick);
  if (clocks_.size() >= most_clocks) {
    auto near = [ns_per_tick](double other) { return std::abs(other - ns_per_tick) <= 1e-3 * ns_per_tick; };
    if (next != clocks_.end() && near(next->first)) return next->second;
    if (next != clocks_.begin() && near(std::prev(next)->first)) return std::prev(next)->second;
  }
  auto [at, is_new] = clocks_.try_emplace(ns_per_tick);
  if (is_new) at->second.assign(wire::histogram_buckets, 0.0);
  return at->second;
}

void DurationHistogram::add(const std::vector<std::uint64_t> &histogram, double ns_per_tick) {
  std::vector<double> &counts = of_clock(ns_per_tick);
  for (std::size_t i = 0; i < std::min(histogram.size(), counts.size()); ++i) counts[i] += static_cast<double>(histogram[i]);
}

std::vector<std::int64_t> DurationHistogram::quantiles(const std::vector<double> &shares, std::int64_t min_ns,
                                                       std::int64_t max_ns) const {
  // Buckets of different ranks overlap: the density of calls changes where one begins or ends.
  struct Change {
    double at, density;
    int active;
  };
  std::vector<Change> changes;
  double total = 0;
  for (const auto &[ns_per_tick, counts] : clocks_) {
    for (int i = 0; i < wire::histogram_buckets; ++i) {
      const double count = counts[static_cast<std::size_t>(i)];
      if (count == 0) continue;
      const double from_ns = static_cast<double>(wire::histogram_lower(i)) * ns_per_tick;
      const double to_ns = static_cast<double>(wire::histogram_lower(i + 1)) * ns_per_tick;
      const double density = count / (to_ns - from_ns);
      changes.push_back({from_ns, density, 1});
      changes.push_back({to_ns, -density, -1});
      total += count;
    }
  }
  std::sort(changes.begin(), changes.end(), [](const Change &a, const Change &b) { return a.at < b.at; });
  std::vector<std::int64_t> result;
  for (double share : shares) {
    double wanted = share * total, passed = 0, density = 0, value = 0;
    int active = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      double width = i > 0 ? changes[i].at - value : 0;
      if (i > 0 && density > 0 && passed + density * width >= wanted) {
        value += (wanted - passed) / density;
        break;
      }
      passed += density * width;
      value = changes[i].at;
      density += changes[i].density;
      active += changes[i].active;
      // What rounding leaves of a density that ended must not spread over the gap to the next bucket.
      if (active == 0) density = 0;
    }
    double within = std::clamp(value, static_cast<double>(min_ns), static_cast<double>(max_ns));
    result.push_back(std::clamp<std::int64_t>(std::llround(within), min_ns, max_ns));
  }
  return result;
}

}  // namespace scope::model
