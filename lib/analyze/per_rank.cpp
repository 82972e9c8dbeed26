#include "analyze/per_rank.hpp"

#include <algorithm>
#include <set>

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

std::vector<std::size_t> lanes_of(const model::Profile &profile, const Filter &filter, std::size_t most, std::size_t groups) {
  const std::vector<std::size_t> ranks = chosen_ranks(profile, filter);
  if (ranks.size() <= most) return ranks;
  std::set<std::size_t> lanes;
  auto outside = [&](std::size_t index) { return profile.ranks[index].wall_ns - profile.ranks[index].mpi_ns; };
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t begin = group * ranks.size() / groups, end = (group + 1) * ranks.size() / groups;
    lanes.insert(*std::max_element(ranks.begin() + static_cast<std::ptrdiff_t>(begin), ranks.begin() + static_cast<std::ptrdiff_t>(end),
                                   [&](std::size_t a, std::size_t b) { return outside(a) < outside(b); }));
  }
  auto add_extremes = [&](const auto &row) {
    if (!row.spread && row.per_rank.total_ns.empty()) return;
    for (std::size_t index : row.spread ? row.spread->extremes : model::spread_of(row.per_rank).extremes)
      if (index < profile.ranks.size() && filter.has_rank(profile.ranks[index].rank)) lanes.insert(index);
  };
  for (const model::CallRow &row : profile.calls) add_extremes(row);
  for (const model::RegionRow &row : profile.regions) add_extremes(row);
  return {lanes.begin(), lanes.end()};
}

std::vector<CallOfRanks> calls_of_ranks(const model::Profile &profile, const Filter &filter, const std::vector<std::size_t> &lanes) {
  const std::vector<std::size_t> ranks = chosen_ranks(profile, filter);
  std::vector<std::pair<std::int64_t, CallOfRanks>> rows;
  for (const model::CallRow &row : profile.calls) {
    if (!filter.has_call(row.name)) continue;
    const model::PerRank &all = row.per_rank;
    if (row.spread) {
      rows.emplace_back(row.total_ns, CallOfRanks{row.name, {}});
      continue;
    }
    const std::int64_t total = sum(choose(all.total_ns, ranks));
    if (total <= 0 && sum(choose(all.calls, ranks)) <= 0) continue;
    rows.emplace_back(total, CallOfRanks{row.name, {choose(all.calls, lanes), choose(all.total_ns, lanes), choose(all.bytes_sent, lanes),
                                                    choose(all.bytes_received, lanes)}});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
  std::vector<CallOfRanks> result;
  for (auto &[total, call] : rows) result.push_back(std::move(call));
  return result;
}

BinnedMatrix binned_peers(const model::Profile &profile, const Filter &filter, std::size_t most) {
  BinnedMatrix result;
  std::int64_t ranks = 0;
  for (const model::World &world : profile.worlds) ranks = add(ranks, world.size);
  const std::size_t worlds = std::max<std::size_t>(profile.worlds.size(), 1);
  const auto groups = static_cast<std::int64_t>(std::max<std::size_t>(most > worlds ? most - worlds : 1, 1));
  const std::int64_t width = std::max<std::int64_t>(1, (ranks + groups - 1) / groups);
  std::vector<std::size_t> first_of_world;
  for (const model::World &world : profile.worlds) {
    first_of_world.push_back(result.world.size());
    for (std::int64_t first = 0; first < world.size; first += width) {
      result.world.push_back(world.id);
      result.first.push_back(static_cast<int>(first));
      result.last.push_back(static_cast<int>(std::min<std::int64_t>(first + width, world.size) - 1));
    }
  }
  const std::size_t size = result.world.size();
  auto bin = [&](int world, int rank) -> std::size_t {
    const auto at = static_cast<std::size_t>(world);
    if (world < 0 || at >= profile.worlds.size() || rank < 0 || rank >= profile.worlds[at].size) return size;
    return first_of_world[at] + static_cast<std::size_t>(rank / width);
  };
  auto fill = [&](const model::PeerMatrix &all, model::PeerMatrix &to) {
    struct Cell {
      std::int64_t messages = 0, bytes = 0;
    };
    std::vector<Cell> cells(size * size);
    const model::PeerMatrix sent = sent_by(all, filter);
    for (std::size_t i = 0; i < sent.src.size(); ++i) {
      const std::size_t src = bin(sent.world[i], sent.src[i]), dst = bin(sent.world[i], sent.dst[i]);
      if (src == size || dst == size) continue;
      Cell &cell = cells[src * size + dst];
      cell.messages = add(cell.messages, sent.messages[i]);
      cell.bytes = add(cell.bytes, sent.bytes[i]);
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (cells[i].messages == 0 && cells[i].bytes == 0) continue;
      to.src.push_back(static_cast<int>(i / size));
      to.dst.push_back(static_cast<int>(i % size));
      to.messages.push_back(cells[i].messages);
      to.bytes.push_back(cells[i].bytes);
    }
  };
  fill(profile.peers.p2p, result.p2p);
  fill(profile.peers.rma, result.rma);
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

std::vector<RegionOfRanks> regions_of_ranks(const model::Profile &profile, const Filter &filter, const std::vector<std::size_t> &lanes) {
  const std::vector<std::size_t> ranks = chosen_ranks(profile, filter);
  const bool all = ranks.size() == profile.ranks.size();
  std::vector<RegionOfRanks> rows;
  for (const model::RegionRow &row : profile.regions) {
    RegionOfRanks region;
    region.path = row.path.empty() ? row.name : row.path;
    if (!row.spread) region.rank_total_ns = choose(row.per_rank.total_ns, lanes);
    region.calls = all ? row.calls : sum(choose(row.per_rank.calls, ranks));
    region.total_ns = all ? row.total_ns : sum(choose(row.per_rank.total_ns, ranks));
    if (all) region.mpi_ns = row.mpi_ns;
    if (region.calls > 0 || region.total_ns > 0) rows.push_back(std::move(region));
  }
  return rows;
}

}  // namespace scope::analyze
