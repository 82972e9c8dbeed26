#include "compare/side_by_side.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "compare/metric.hpp"
#include "compare/statistics.hpp"

namespace scope::compare {
namespace {

constexpr std::size_t fewest_repeats = 4;  ///< as for the gate
constexpr double level = 0.05;

double median_of(const Measurements &profile, const std::function<double(const model::Repeat &)> &value, double otherwise) {
  if (profile.profile.repeats.empty() || profile.repeats.empty()) return otherwise;
  std::vector<double> values;
  for (const model::Repeat &repeat : profile.repeats) values.push_back(value(repeat));
  return median(std::move(values));
}

std::optional<double> median_factor(const Measurements &profile, std::optional<double> model::Efficiency::*factor) {
  if (!(profile.profile.efficiency.*factor)) return std::nullopt;
  return median_of(profile, [factor](const model::Repeat &repeat) { return (repeat.efficiency.*factor).value_or(0); },
                   *(profile.profile.efficiency.*factor));
}

Side side_of(const Measurements &measured, const std::string &file) {
  const model::Profile &profile = measured.profile;
  Side side;
  side.file = file;
  side.label = profile.metadata.label;
  side.ranks = static_cast<std::int64_t>(profile.ranks.size());
  side.complete = profile.complete;
  side.repeats = profile.repeats.empty() ? 0 : measured.repeats.size();
  side.wall_ns = median_of(measured, [](const model::Repeat &r) { return static_cast<double>(r.totals.wall_ns); }, static_cast<double>(profile.totals.wall_ns));
  side.mpi_share = median_of(measured, [](const model::Repeat &r) { return r.totals.mpi_share; }, profile.totals.mpi_share);
  side.parallel = median_factor(measured, &model::Efficiency::parallel);
  side.load_balance = median_factor(measured, &model::Efficiency::load_balance);
  side.communication = median_factor(measured, &model::Efficiency::communication);
  if (profile.timeline_results) {
    side.serialisation = profile.timeline_results->efficiency.serialisation;
    side.transfer = profile.timeline_results->efficiency.transfer;
  }
  side.calls = median_of(measured, [](const model::Repeat &r) { return static_cast<double>(r.totals.calls); }, static_cast<double>(profile.totals.calls));
  side.bytes_sent = median_of(measured, [](const model::Repeat &r) { return static_cast<double>(r.totals.bytes_sent); },
                              static_cast<double>(profile.totals.bytes_sent));
  auto useful = [](const model::Totals &totals) { return static_cast<double>(totals.wall_sum_ns - totals.mpi_ns); };
  side.useful_ns = median_of(measured, [&](const model::Repeat &r) { return useful(r.totals); }, useful(profile.totals));
  return side;
}

Noise noise_of(const Measurements &base, const Measurements &other, Scope scope, const std::string &subject) {
  if (base.profile.repeats.empty() || other.profile.repeats.empty()) return Noise::unknown;
  const Metric metric{scope, subject, "total"};
  const std::vector<double> before = values_of(base, metric), after = values_of(other, metric);
  if (before.size() < fewest_repeats || after.size() < fewest_repeats) return Noise::unknown;
  const double p = 2 * std::min(mann_whitney(before, after), mann_whitney(after, before));
  return p <= level ? Noise::beyond : Noise::within;
}

/// What is compared of a call or region.
struct Amount {
  double ns = 0;
  std::int64_t calls = 0, bytes = 0;
};
using Amounts = std::map<std::string, Amount>;

double per_rank(const Measurements &profile, double ns) {
  return ns / static_cast<double>(std::max<std::size_t>(profile.profile.ranks.size(), 1));
}

Amounts calls_of(const Measurements &measured) {
  Amounts amounts;
  for (const model::CallRow &row : measured.profile.calls) {
    double total = static_cast<double>(row.total_ns);
    if (!measured.profile.repeats.empty() && !measured.repeats.empty()) total = median(values_of(measured, {Scope::call, row.name, "total"}));
    amounts[row.name] = {per_rank(measured, total), row.calls, row.bytes_sent};
  }
  return amounts;
}

Amounts regions_of(const Measurements &measured) {
  Amounts amounts;
  for (const model::RegionRow &row : measured.profile.regions)
    amounts[row.path] = {per_rank(measured, static_cast<double>(row.self_ns)), row.calls, 0};
  return amounts;
}

std::vector<Change> changes(const Measurements &base, const Measurements &other, Scope scope, Amounts (*amounts_of)(const Measurements &)) {
  std::map<std::string, Change> rows;
  for (const auto &[name, amount] : amounts_of(base)) {
    Change &row = rows[name];
    row.base_ns = amount.ns;
    row.base_calls = amount.calls;
    row.base_bytes = amount.bytes;
  }
  for (const auto &[name, amount] : amounts_of(other)) {
    Change &row = rows[name];
    row.ns = amount.ns;
    row.calls = amount.calls;
    row.bytes = amount.bytes;
  }
  std::vector<Change> result;
  for (auto &[name, row] : rows) {
    row.name = name;
    row.change_ns = row.ns.value_or(0) - row.base_ns.value_or(0);
    if (row.base_ns.value_or(0) > 0) row.change = row.ns.value_or(0) / *row.base_ns - 1;
    row.noise = noise_of(base, other, scope, name);
    result.push_back(std::move(row));
  }
  std::stable_sort(result.begin(), result.end(), [](const Change &a, const Change &b) { return std::abs(a.change_ns) > std::abs(b.change_ns); });
  return result;
}

}  // namespace

SideBySide side_by_side(const std::vector<Measurements> &profiles, const std::vector<std::string> &files) {
  SideBySide result;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    result.sides.push_back(side_of(profiles[i], files[i]));
    if (i == 0) continue;
    result.calls.push_back(changes(profiles[0], profiles[i], Scope::call, calls_of));
    result.regions.push_back(changes(profiles[0], profiles[i], Scope::region, regions_of));
  }
  return result;
}

std::vector<ScalingRow> scaling_rows(const SideBySide &comparison, Scaling scaling) {
  std::vector<ScalingRow> rows;
  const Side &base = comparison.sides.front();
  if (base.ranks == 0 || base.wall_ns <= 0) return rows;
  for (std::size_t i = 0; i < comparison.sides.size(); ++i) {
    const Side &side = comparison.sides[i];
    if (side.ranks == 0 || side.wall_ns <= 0) continue;
    ScalingRow row;
    row.side = i;
    row.resources = static_cast<double>(side.ranks) / static_cast<double>(base.ranks);
    const double faster = base.wall_ns / side.wall_ns, more = scaling == Scaling::weak ? row.resources : 1;
    row.speedup = faster * more;
    row.efficiency = row.speedup / row.resources;
    if (side.useful_ns > 0) row.computation = base.useful_ns / side.useful_ns * more;
    if (row.computation && side.parallel) row.global = *side.parallel * *row.computation;
    rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](const ScalingRow &a, const ScalingRow &b) { return comparison.sides[a.side].ranks < comparison.sides[b.side].ranks; });
  return rows;
}

}  // namespace scope::compare
