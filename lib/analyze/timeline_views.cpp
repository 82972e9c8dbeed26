#include "analyze/timeline_views.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "analyze/sums.hpp"

namespace scope::analyze {
namespace {

bool shows(const Filter &filter, int rank) { return !filter.some_ranks() || (rank >= 0 && filter.has_rank(rank)); }

/// View is DelayView or PathView.
template <class View, class Row>
std::vector<View> chosen(const std::vector<Row> &rows, const Filter &filter, std::int64_t whole, std::int64_t Row::*time) {
  std::vector<View> views;
  for (const Row &row : rows)
    if (shows(filter, row.rank)) views.push_back({row, share(row.*time, whole)});
  std::stable_sort(views.begin(), views.end(), [time](const View &a, const View &b) { return a.row.*time > b.row.*time; });
  return views;
}

}  // namespace

std::vector<WaitView> by_wait(const model::Profile &profile, const Filter &filter) {
  std::vector<WaitView> views;
  if (!profile.timeline_results) return views;
  for (const model::WaitStateRow &row : profile.timeline_results->wait_states) {
    if (!shows(filter, row.rank) || !filter.has_call(row.call)) continue;
    const double mean = row.waits > 0 ? static_cast<double>(row.total_ns) / static_cast<double>(row.waits) : 0;
    views.push_back({row, mean, share(row.total_ns, profile.timeline_results->waiting_ns)});
  }
  std::stable_sort(views.begin(), views.end(),
                   [](const WaitView &a, const WaitView &b) { return a.row.total_ns > b.row.total_ns; });
  return views;
}

std::vector<DelayView> by_delay(const model::Profile &profile, const Filter &filter) {
  if (!profile.timeline_results) return {};
  return chosen<DelayView>(profile.timeline_results->delays, filter, profile.timeline_results->waiting_ns,
                           &model::DelayRow::caused_ns);
}

std::vector<PathView> by_path(const model::Profile &profile, const Filter &filter) {
  if (!profile.timeline_results) return {};
  return chosen<PathView>(profile.timeline_results->critical_path, filter, profile.timeline_results->path_ns,
                          &model::CriticalPathRow::path_ns);
}

std::optional<LargestWait> largest_wait(const model::Profile &profile) {
  if (!profile.timeline_results || profile.timeline_results->wait_states.empty()) return std::nullopt;
  const model::TimelineResults &results = *profile.timeline_results;
  std::map<std::tuple<std::string, int, std::string>, model::WaitStateRow> sums;
  for (const model::WaitStateRow &row : results.wait_states) {
    model::WaitStateRow &sum = sums[{row.pattern, row.world, row.call}];
    sum.waits = add(sum.waits, row.waits);
    sum.total_ns = add(sum.total_ns, row.total_ns);
    sum.max_ns = std::max(sum.max_ns, row.max_ns);
  }
  const auto most = std::max_element(sums.begin(), sums.end(),
                                     [](const auto &a, const auto &b) { return a.second.total_ns < b.second.total_ns; });
  LargestWait largest{most->second, results.waiting_ns, std::nullopt, std::nullopt};
  std::tie(largest.row.pattern, largest.row.world, largest.row.call) = most->first;
  largest.mpi_share =
      share(results.waiting_ns, std::accumulate(results.ranks.mpi_ns.begin(), results.ranks.mpi_ns.end(), std::int64_t{0}, add));
  if (!results.delays.empty()) largest.origin = results.delays.front();
  return largest;
}

}  // namespace scope::analyze
