#include "analyze/watch.hpp"

#include <algorithm>
#include <tuple>

#include "analyze/sums.hpp"

namespace scope::analyze {

using model::Doing;
using model::LiveCounts;
using model::LiveRank;
using model::LiveWorld;

namespace {

/// Sums of rates, and over how many ranks.
struct Sum {
  double share = 0, calls = 0, sent = 0, received = 0;
  int ranks = 0;

  void add(const Rates &rates) {
    if (!rates.mpi_share) return;
    share += *rates.mpi_share;
    calls += *rates.calls;
    sent += *rates.bytes_sent;
    received += *rates.bytes_received;
    ++ranks;
  }
  Rates rates() const {
    if (ranks == 0) return {};
    return {share / ranks, calls, sent, received};
  }
};

/// Counts only grow; what a damaged file says to the contrary is none.
double grown(std::int64_t before, std::int64_t now) { return now > before ? static_cast<double>(now) - static_cast<double>(before) : 0; }

Rates rates_of(const LiveRank &rank, const WatchBefore &before, std::uint64_t now_ns) {
  auto known = before.counts.find(rank.process);
  if (rank.doing == Doing::gone || before.at_ns == 0 || now_ns <= before.at_ns || known == before.counts.end()) return {};
  const LiveCounts &old = known->second, &now = rank.counts;
  const double passed_ns = static_cast<double>(now_ns - before.at_ns), passed_s = passed_ns / 1e9;
  return {std::min(1.0, grown(old.mpi_ns, now.mpi_ns) / passed_ns), grown(old.calls, now.calls) / passed_s,
          grown(old.bytes_sent, now.bytes_sent) / passed_s, grown(old.bytes_received, now.bytes_received) / passed_s};
}

WatchRank row_of(const LiveWorld &world, const LiveRank &rank, const WatchBefore &before, std::uint64_t now_ns) {
  WatchRank row;
  row.world = world.id;
  row.rank = rank.rank;
  row.host = rank.host;
  row.pid = rank.pid;
  row.doing = rank.doing;
  row.end = rank.end;
  row.counts = rank.counts;
  row.rates = rates_of(rank, before, now_ns);
  if (rank.doing == Doing::gone) return row;
  row.since_ns = std::max<std::int64_t>(0, rank.since_ns);
  row.call = rank.call;
  if (rank.doing != Doing::in_call) return row;
  row.request = rank.request;
  row.comm = rank.comm;
  row.peer = rank.peer;
  row.tag = rank.tag;
  row.bytes = rank.bytes;
  for (const model::LiveCommunicator &comm : world.communicators)
    if (comm.id == rank.comm) row.comm_name = comm.name;
  return row;
}

auto state_key(const WatchRank &row) { return std::tuple(row.world, row.doing, row.call, row.comm, row.end); }

void join(WatchState &state, const WatchRank &row) {
  state.ranks.push_back(row.rank);
  WatchRank &first = state.first;
  state.many_peers = state.many_peers || first.peer != row.peer;
  if (first.peer != row.peer) first.peer = -1;
  if (first.tag != row.tag) first.tag = -1;
  if (first.bytes != row.bytes) first.bytes = -1;
  if (first.request != row.request) first.request.clear();
  state.since_min_ns = std::min(state.since_min_ns, row.since_ns);
  state.since_max_ns = std::max(state.since_max_ns, row.since_ns);
  first.counts.calls = add(first.counts.calls, row.counts.calls);
  first.counts.bytes_sent = add(first.counts.bytes_sent, row.counts.bytes_sent);
  first.counts.bytes_received = add(first.counts.bytes_received, row.counts.bytes_received);
  first.counts.mpi_ns = add(first.counts.mpi_ns, row.counts.mpi_ns);
}

std::vector<WatchState> states_of(const std::vector<WatchRank> &rows) {
  using Key = decltype(state_key(rows.front()));
  std::map<Key, std::size_t> index;
  std::vector<WatchState> states;
  std::vector<Sum> sums;
  for (const WatchRank &row : rows) {
    auto [at, is_new] = index.try_emplace(state_key(row), states.size());
    if (is_new) {
      states.push_back({row, {row.rank}, false, row.since_ns, row.since_ns});
      sums.emplace_back();
    } else {
      join(states[at->second], row);
    }
    sums[at->second].add(row.rates);
  }
  for (std::size_t i = 0; i < states.size(); ++i) states[i].first.rates = sums[i].rates();
  return states;
}

WatchTotals totals_of(const std::vector<LiveWorld> &worlds, const std::vector<WatchRank> &rows) {
  WatchTotals totals;
  Sum sum;
  for (const WatchRank &row : rows) {
    ++totals.ranks;
    totals.in_call += row.doing == Doing::in_call;
    totals.computing += row.doing == Doing::computing;
    totals.asking += row.doing == Doing::asking;
    totals.gone += row.doing == Doing::gone;
    totals.counts.calls = add(totals.counts.calls, row.counts.calls);
    totals.counts.bytes_sent = add(totals.counts.bytes_sent, row.counts.bytes_sent);
    totals.counts.bytes_received = add(totals.counts.bytes_received, row.counts.bytes_received);
    totals.counts.mpi_ns = add(totals.counts.mpi_ns, row.counts.mpi_ns);
    sum.add(row.rates);
  }
  for (const LiveWorld &world : worlds)
    if (world.initialised) totals.unreported += std::max(0, world.size - static_cast<int>(world.ranks.size()));
  totals.rates = sum.rates();
  return totals;
}

/// Since when all that are left are in calls; 0 if some are not.
std::int64_t all_in_calls_ns(const std::vector<WatchRank> &rows) {
  std::optional<std::int64_t> shortest;
  for (const WatchRank &row : rows) {
    if (row.doing == Doing::gone) continue;
    if (row.doing != Doing::in_call) return 0;
    shortest = std::min(shortest.value_or(row.since_ns), row.since_ns);
  }
  return shortest.value_or(0);
}

double value_of(const WatchRank &row, WatchOrder order) {
  switch (order) {
    case WatchOrder::since: return row.doing == Doing::in_call ? static_cast<double>(row.since_ns) : 0;
    case WatchOrder::mpi: return row.rates.mpi_share.value_or(-1);
    case WatchOrder::calls: return row.rates.calls.value_or(-1);
    case WatchOrder::bytes: return row.rates.bytes_sent.value_or(-1) + row.rates.bytes_received.value_or(-1);
    case WatchOrder::rank: break;
  }
  return 0;
}

template <class Row, class Of>
void sort_rows(std::vector<Row> &rows, WatchOrder order, Of row_of) {
  std::stable_sort(rows.begin(), rows.end(), [&](const Row &a, const Row &b) {
    const WatchRank &left = row_of(a), &right = row_of(b);
    if (order == WatchOrder::rank) return std::tuple(left.world, left.rank) < std::tuple(right.world, right.rank);
    const bool left_gone = left.doing == Doing::gone, right_gone = right.doing == Doing::gone;
    if (left_gone != right_gone) return right_gone;
    return value_of(left, order) > value_of(right, order);
  });
}

}  // namespace

WatchBefore remember(const std::vector<LiveWorld> &worlds, std::uint64_t now_ns) {
  WatchBefore before{now_ns, {}};
  for (const LiveWorld &world : worlds)
    for (const LiveRank &rank : world.ranks) before.counts[rank.process] = rank.counts;
  return before;
}

Watched watch(const std::vector<LiveWorld> &worlds, const WatchBefore &before, std::uint64_t now_ns,
              std::int64_t observed_still_ns, std::int64_t stall_limit_ns) {
  Watched result;
  result.several_worlds = worlds.size() > 1;
  for (const LiveWorld &world : worlds)
    for (const LiveRank &rank : world.ranks) result.ranks.push_back(row_of(world, rank, before, now_ns));
  result.states = states_of(result.ranks);
  sort_states(result.states, WatchOrder::since);
  result.totals = totals_of(worlds, result.ranks);
  result.still_ns = std::max(observed_still_ns, all_in_calls_ns(result.ranks));
  if (result.still_ns >= stall_limit_ns && result.totals.gone < result.totals.ranks) result.stall = diagnose(worlds);
  return result;
}

void sort_ranks(std::vector<WatchRank> &ranks, WatchOrder order) {
  sort_rows(ranks, order, [](const WatchRank &row) -> const WatchRank & { return row; });
}

void sort_states(std::vector<WatchState> &states, WatchOrder order) {
  // Of a state, the rank that is in its call the longest counts.
  for (WatchState &state : states) state.first.since_ns = state.since_max_ns;
  sort_rows(states, order, [](const WatchState &state) -> const WatchRank & { return state.first; });
}

}  // namespace scope::analyze
