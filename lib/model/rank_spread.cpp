#include "model/rank_spread.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace scope::model {

Quantiles quantiles_of(std::vector<std::int64_t> values) {
  Quantiles result{};
  if (values.empty()) return result;
  std::sort(values.begin(), values.end());
  for (std::size_t i = 0; i < spread_shares.size(); ++i) {
    const double place = std::ceil(spread_shares[i] * static_cast<double>(values.size()));
    result[i] = values[static_cast<std::size_t>(std::max(place, 1.0)) - 1];
  }
  return result;
}

RankSpread spread_of(const PerRank &per_rank) {
  RankSpread spread;
  spread.ranks = per_rank.total_ns.size();
  spread.calls = quantiles_of(per_rank.calls);
  spread.total_ns = quantiles_of(per_rank.total_ns);
  spread.bytes_sent = quantiles_of(per_rank.bytes_sent);
  spread.bytes_received = quantiles_of(per_rank.bytes_received);
  std::vector<std::size_t> order(spread.ranks);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::vector<std::int64_t> &time = per_rank.total_ns;
  auto shorter = [&time](std::size_t a, std::size_t b) { return time[a] != time[b] ? time[a] < time[b] : a < b; };
  const std::size_t few = std::min(extreme_ranks, spread.ranks), many = spread.ranks - std::min(extreme_ranks, spread.ranks - few);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(few), order.end(), shorter);
  std::nth_element(order.begin() + static_cast<std::ptrdiff_t>(few), order.begin() + static_cast<std::ptrdiff_t>(many), order.end(), shorter);
  std::sort(order.begin() + static_cast<std::ptrdiff_t>(many), order.end(), shorter);
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i < few || i >= many) spread.extremes.push_back(order[i]);
  for (std::size_t index : spread.extremes) {
    spread.of_extremes.calls.push_back(per_rank.calls[index]);
    spread.of_extremes.total_ns.push_back(per_rank.total_ns[index]);
    spread.of_extremes.bytes_sent.push_back(per_rank.bytes_sent[index]);
    spread.of_extremes.bytes_received.push_back(per_rank.bytes_received[index]);
  }
  return spread;
}

}  // namespace scope::model
