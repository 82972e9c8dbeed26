#include "analyze/efficiency.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "analyze/sums.hpp"

namespace scope::analyze {
namespace {

std::vector<std::size_t> all_ranks(const model::Profile &profile) {
  std::vector<std::size_t> ranks(profile.ranks.size());
  std::iota(ranks.begin(), ranks.end(), std::size_t{0});
  return ranks;
}

/// Worlds in which some rank spent time in MPI.
std::set<int> worlds_with_mpi(const model::Profile &profile) {
  std::set<int> worlds;
  for (const model::Rank &rank : profile.ranks)
    if (rank.mpi_ns > 0) worlds.insert(rank.world);
  return worlds;
}

}  // namespace

model::Efficiency efficiency_of(const model::Profile &profile, const std::vector<std::size_t> &ranks) {
  const std::set<int> worlds = worlds_with_mpi(profile);
  double useful_sum = 0, useful_max = 0, wall_max = 0;
  std::size_t count = 0;
  for (std::size_t index : ranks) {
    const model::Rank &rank = profile.ranks[index];
    if (!worlds.contains(rank.world)) continue;
    const double useful = static_cast<double>(std::max<std::int64_t>(0, rank.wall_ns - rank.mpi_ns));
    useful_sum += useful;
    useful_max = std::max(useful_max, useful);
    wall_max = std::max(wall_max, static_cast<double>(rank.wall_ns));
    ++count;
  }
  if (wall_max <= 0) return {};
  const double load_balance = useful_max > 0 ? useful_sum / static_cast<double>(count) / useful_max : 1;
  const double communication = useful_max / wall_max;
  return {load_balance * communication, load_balance, communication};
}

BetweenInitAndFinalize between_init_and_finalize(const model::Profile &profile, const std::vector<std::size_t> &ranks) {
  model::Profile between;
  between.ranks = profile.ranks;
  BetweenInitAndFinalize result;
  std::vector<std::int64_t> startup(profile.ranks.size());
  for (const model::CallRow &call : profile.calls) {
    if (!model::is_startup(call.name)) continue;
    for (std::size_t index : ranks)
      startup[index] = call.spread ? profile.ranks[index].startup_ns : add(startup[index], at(call.per_rank.total_ns, index));
  }
  std::int64_t wall = 0, mpi = 0;
  for (std::size_t index : ranks) {
    model::Rank &rank = between.ranks[index];
    std::int64_t taken = std::min({startup[index], rank.mpi_ns, rank.wall_ns});
    result.startup_ns = add(result.startup_ns, taken);
    rank.wall_ns -= taken;
    rank.mpi_ns -= taken;
    wall = add(wall, rank.wall_ns);
    mpi = add(mpi, rank.mpi_ns);
  }
  result.startup_share = share(result.startup_ns, add(wall, result.startup_ns));
  result.mpi_share = share(mpi, wall);
  result.parallel = efficiency_of(between, ranks).parallel;
  return result;
}

double imbalance_of(const model::Profile &profile, const model::CallRow &call, const std::vector<std::size_t> &ranks) {
  std::map<int, bool> world_uses;
  for (std::size_t index : ranks) {
    bool &uses = world_uses[profile.ranks[index].world];
    uses = uses || at(call.per_rank.calls, index) > 0;
  }
  double sum = 0, max = 0;
  std::size_t count = 0;
  for (std::size_t index : ranks) {
    if (!world_uses[profile.ranks[index].world]) continue;
    const double time = static_cast<double>(at(call.per_rank.total_ns, index));
    sum += time;
    max = std::max(max, time);
    ++count;
  }
  if (count < 2 || max <= 0) return 0;
  return std::max(0.0, 1 - sum / static_cast<double>(count) / max);
}

void analyze(model::Profile &profile) {
  const std::vector<std::size_t> ranks = all_ranks(profile);
  profile.efficiency = efficiency_of(profile, ranks);
  for (model::CallRow &call : profile.calls)
    if (!call.spread) call.imbalance = imbalance_of(profile, call, ranks);
}

}  // namespace scope::analyze
