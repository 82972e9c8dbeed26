#include "analyze/per_rank.hpp"

#include <algorithm>

#include "analyze/sums.hpp"

namespace scope::analyze {
namespace {

std::vector<std::int64_t> choose(const std::vector<std::int64_t> &values, const std::vector<std::size_t> &ranks) {
  std::vector<std::int64_t> chosen;
  chosen.reserve(ranks.size());
  for (std::size_t index : ranks) chosen.push_back(at(values, index));
  return chosen;
}

std::int64_t sum(const std::vector<std::int64_t> &values) {
  std::int64_t total = 0;
  for (std::int64_t value : values) total = add(total, value);
  return total;
}

}  // namespace

std::vector<CallOfRanks> calls_of_ranks(const model::Profile &profile, const Filter &filter) {
  const std::vector<std::size_t> ranks = chosen_ranks(profile, filter);
  std::vector<std::pair<std::int64_t, CallOfRanks>> rows;
  for (const model::CallRow &row : profile.calls) {
    if (!filter.has_call(row.name)) continue;
    const model::PerRank &all = row.per_rank;
    CallOfRanks call{row.name, {choose(all.calls, ranks), choose(all.total_ns, ranks), choose(all.bytes_sent, ranks),
                                choose(all.bytes_received, ranks)}};
    const std::int64_t total = sum(call.per_rank.total_ns);
    if (total > 0 || sum(call.per_rank.calls) > 0) rows.emplace_back(total, std::move(call));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
  std::vector<CallOfRanks> result;
  for (auto &[total, call] : rows) result.push_back(std::move(call));
  return result;
}

model::PeerMatrix sent_by(const model::PeerMatrix &matrix, const Filter &filter) {
  const std::size_t count = std::min({matrix.src.size(), matrix.dst.size(), matrix.messages.size(), matrix.bytes.size()});
  model::PeerMatrix result;
  for (std::size_t i = 0; i < count; ++i) {
    if (!filter.has_rank(matrix.src[i])) continue;
    result.world.push_back(i < matrix.world.size() ? matrix.world[i] : 0);
    result.src.push_back(matrix.src[i]);
    result.dst.push_back(matrix.dst[i]);
    result.messages.push_back(matrix.messages[i]);
    result.bytes.push_back(matrix.bytes[i]);
  }
  return result;
}

std::vector<RegionOfRanks> regions_of_ranks(const model::Profile &profile, const Filter &filter) {
  const std::vector<std::size_t> ranks = chosen_ranks(profile, filter);
  const bool all = ranks.size() == profile.ranks.size();
  std::vector<RegionOfRanks> rows;
  for (const model::RegionRow &row : profile.regions) {
    RegionOfRanks region;
    region.path = row.path.empty() ? row.name : row.path;
    region.rank_total_ns = choose(row.per_rank.total_ns, ranks);
    region.calls = all ? row.calls : sum(choose(row.per_rank.calls, ranks));
    region.total_ns = all ? row.total_ns : sum(region.rank_total_ns);
    if (all) region.mpi_ns = row.mpi_ns;
    if (region.calls > 0 || region.total_ns > 0) rows.push_back(std::move(region));
  }
  return rows;
}

}  // namespace scope::analyze
