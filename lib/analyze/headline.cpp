#include <algorithm>
#include <csignal>
#include <set>

#include "analyze/efficiency.hpp"
#include "analyze/rank_hosts.hpp"
#include "analyze/sums.hpp"
#include "analyze/views.hpp"

namespace scope::analyze {
namespace {

void add_peers(const model::PeerMatrix &matrix, const Filter &filter, std::int64_t &messages, std::int64_t &bytes) {
  const std::size_t count = std::min({matrix.src.size(), matrix.messages.size(), matrix.bytes.size()});
  for (std::size_t i = 0; i < count; ++i) {
    if (!filter.has_rank(matrix.src[i])) continue;
    messages = add(messages, matrix.messages[i]);
    bytes = add(bytes, matrix.bytes[i]);
  }
}

std::int64_t bytes_inside(const model::PeerMatrix &matrix, const Filter &filter, const RankHosts &hosts) {
  std::int64_t sum = 0;
  const std::size_t count = std::min({matrix.src.size(), matrix.dst.size(), matrix.bytes.size()});
  for (std::size_t i = 0; i < count; ++i) {
    const int world = i < matrix.world.size() ? matrix.world[i] : 0;
    if (filter.has_rank(matrix.src[i]) && hosts.together(world, matrix.src[i], matrix.dst[i])) sum = add(sum, matrix.bytes[i]);
  }
  return sum;
}

/// Launchers end the other ranks with SIGTERM, later SIGKILL; who died of something else is where the trouble began.
bool is_culprit(const RankView &rank) {
  return rank.status == "aborted" || (rank.signal != 0 && rank.signal != SIGTERM && rank.signal != SIGKILL);
}

bool has_mpi(const model::Profile &profile, int world) {
  const auto index = static_cast<std::size_t>(world);
  return index >= profile.worlds.size() || profile.worlds[index].mpi;
}

void add_ranks(const model::Profile &profile, const Filter &filter, Headline &line) {
  std::set<std::string> hosts;
  for (std::size_t index : chosen_ranks(profile, filter)) {
    const model::Rank &rank = profile.ranks[index];
    hosts.insert(rank.host);
    line.wall_ns = std::max(line.wall_ns, rank.wall_ns);
    line.overhead_ns = add(line.overhead_ns, rank.overhead_ns);
    if (!has_mpi(profile, rank.world)) ++line.processes;
  }
  line.hosts = hosts.size();
  Filter only_ranks;
  only_ranks.ranks = filter.ranks;
  for (RankView &rank : by_rank(profile, only_ranks)) {
    line.calls = add(line.calls, rank.calls);
    line.bytes_sent = add(line.bytes_sent, rank.bytes_sent);
    line.bytes_received = add(line.bytes_received, rank.bytes_received);
    const bool good = rank.status == "finalized" || (rank.status == "exited" && !has_mpi(profile, rank.world));
    if (!good) line.unfinished.push_back(std::move(rank));
  }
  std::stable_partition(line.unfinished.begin(), line.unfinished.end(), is_culprit);
}

}  // namespace

Headline headline(const model::Profile &profile, const Filter &filter) {
  Headline line;
  line.denominators = denominators(profile, filter);
  for (const model::World &world : profile.worlds) {
    if (world.mpi) ++line.worlds;
    line.expected_ranks = add(line.expected_ranks, world.size);
    line.reported_ranks = add(line.reported_ranks, world.ranks_reported);
  }
  add_ranks(profile, filter, line);
  if (!filter.some_ranks()) {
    line.calls = profile.totals.calls;
    line.bytes_sent = profile.totals.bytes_sent;
    line.bytes_received = profile.totals.bytes_received;
    line.wall_ns = profile.totals.wall_ns;
    line.overhead_ns = profile.totals.overhead_ns;
    for (const model::RegionRow &region : profile.regions) line.regions = add(line.regions, region.calls);
    line.efficiency = profile.efficiency;
  } else {
    for (std::size_t index : chosen_ranks(profile, filter))
      for (const model::RegionRow &region : profile.regions)
        if (index < region.per_rank.calls.size()) line.regions = add(line.regions, region.per_rank.calls[index]);
    line.efficiency = efficiency_of(profile, chosen_ranks(profile, filter));
  }
  line.between = between_init_and_finalize(profile, chosen_ranks(profile, filter));
  line.mpi_share = share(line.denominators.mpi_ns, line.denominators.rank_ns);
  line.overhead_share = share(line.overhead_ns, line.denominators.mpi_ns);
  add_peers(profile.peers.p2p, filter, line.p2p_messages, line.p2p_bytes);
  add_peers(profile.peers.rma, filter, line.rma_messages, line.rma_bytes);
  if (const RankHosts hosts(profile); hosts.several()) {
    line.bytes_inside = add(bytes_inside(profile.peers.p2p, filter, hosts), bytes_inside(profile.peers.rma, filter, hosts));
    line.inside_share = share(*line.bytes_inside, add(line.p2p_bytes, line.rma_bytes));
  }
  return line;
}

}  // namespace scope::analyze
