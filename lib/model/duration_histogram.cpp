#include <algorithm>
#include <cmath>

#include "model/merge_parts.hpp"
#include "wire/live_block.hpp"

namespace scope::model {

void DurationHistogram::add(const std::vector<std::uint64_t> &histogram, double ns_per_tick) {
  int count = static_cast<int>(std::min<std::size_t>(histogram.size(), wire::histogram_buckets));
  for (int i = 0; i < count; ++i) {
    std::uint64_t calls = histogram[static_cast<std::size_t>(i)];
    if (calls == 0) continue;
    buckets.push_back({static_cast<double>(wire::histogram_lower(i)) * ns_per_tick,
                       static_cast<double>(wire::histogram_lower(i + 1)) * ns_per_tick, static_cast<double>(calls)});
  }
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
  for (const Bucket &bucket : buckets) {
    double density = bucket.count / (bucket.to_ns - bucket.from_ns);
    changes.push_back({bucket.from_ns, density, 1});
    changes.push_back({bucket.to_ns, -density, -1});
    total += bucket.count;
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
