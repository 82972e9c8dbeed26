#include "analyze/views.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analyze/efficiency.hpp"
#include "analyze/sums.hpp"

namespace scope::analyze {
namespace {

/// Longest total first; equal ones stay in order.
template <class Row>
void longest_first(std::vector<Row> &rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) { return a.total_ns > b.total_ns; });
}

std::int64_t sum_over(const std::vector<std::int64_t> &values, const std::vector<std::size_t> &ranks) {
  std::int64_t sum = 0;
  for (std::size_t index : ranks) sum = add(sum, at(values, index));
  return sum;
}

/// Calls `use(index)` for every element that a chosen rank sent.
template <class Use>
void each_peer(const model::PeerMatrix &matrix, const Filter &filter, Use use) {
  const std::size_t count = std::min({matrix.src.size(), matrix.dst.size(), matrix.messages.size(), matrix.bytes.size()});
  for (std::size_t i = 0; i < count; ++i)
    if (filter.has_rank(matrix.src[i])) use(i);
}

CallView call_of_all(const model::CallRow &row) {
  CallView view;
  view.errors = row.errors;
  view.calls = row.calls;
  view.total_ns = row.total_ns;
  view.min_ns = row.min_ns;
  view.max_ns = row.max_ns;
  view.p95_ns = row.p95_ns;
  view.bytes_sent = row.bytes_sent;
  view.bytes_received = row.bytes_received;
  view.imbalance = row.imbalance;
  return view;
}

CallView call_of_some(const model::Profile &profile, const model::CallRow &row, const std::vector<std::size_t> &ranks) {
  CallView view;
  view.calls = sum_over(row.per_rank.calls, ranks);
  view.total_ns = sum_over(row.per_rank.total_ns, ranks);
  view.bytes_sent = sum_over(row.per_rank.bytes_sent, ranks);
  view.bytes_received = sum_over(row.per_rank.bytes_received, ranks);
  view.imbalance = imbalance_of(profile, row, ranks);
  return view;
}

/// Numbers of one rank over the chosen procedures.
void add_calls(const model::Profile &profile, const Filter &filter, std::size_t index, RankView &view) {
  if (!filter.some_calls() && profile.calls.size() > 0 && profile.calls.front().spread) {
    const model::Rank &rank = profile.ranks[index];
    view.calls = rank.calls;
    view.bytes_sent = rank.bytes_sent;
    view.bytes_received = rank.bytes_received;
    return;
  }
  std::int64_t time = 0;
  for (const model::CallRow &call : profile.calls) {
    if (!filter.has_call(call.name)) continue;
    view.calls = add(view.calls, at(call.per_rank.calls, index));
    view.bytes_sent = add(view.bytes_sent, at(call.per_rank.bytes_sent, index));
    view.bytes_received = add(view.bytes_received, at(call.per_rank.bytes_received, index));
    time = add(time, at(call.per_rank.total_ns, index));
  }
  if (filter.some_calls()) view.mpi_ns = time;
}

RankView rank_view(const model::Rank &rank) {
  RankView view;
  view.world = rank.world;
  view.rank = rank.rank;
  view.host = rank.host;
  view.pid = rank.pid;
  view.status = rank.status;
  view.signal = rank.signal;
  view.wall_ns = rank.wall_ns;
  view.mpi_ns = rank.mpi_ns;
  view.cpu_ns = rank.cpu_ns;
  view.max_rss_bytes = rank.max_rss_bytes;
  view.abort_code = rank.abort_code;
  view.in_call = rank.in_call;
  return view;
}

PeerView view_of(const model::PeerMatrix &matrix, Layer layer, std::size_t i, std::int64_t all_bytes) {
  PeerView view;
  view.layer = layer;
  view.world = i < matrix.world.size() ? matrix.world[i] : 0;
  view.src = matrix.src[i];
  view.dst = matrix.dst[i];
  view.messages = matrix.messages[i];
  view.bytes = matrix.bytes[i];
  view.mean_bytes = share(view.bytes, view.messages);
  view.bytes_share = share(view.bytes, all_bytes);
  return view;
}

/// Calls, time and bytes of a communicator over the chosen procedures.
std::map<int, CommunicatorView> sums_of_signatures(const model::Profile &profile, const Filter &filter) {
  std::map<int, CommunicatorView> sums;
  for (const model::SignatureRow &signature : profile.signatures) {
    if (!filter.has_call(signature.call)) continue;
    CommunicatorView &sum = sums[signature.comm];
    sum.calls = add(sum.calls, signature.calls);
    sum.total_ns = add(sum.total_ns, signature.total_ns);
    sum.bytes = add(sum.bytes, signature.bytes_sent);
  }
  return sums;
}

}  // namespace

Denominators denominators(const model::Profile &profile, const Filter &filter) {
  Denominators result;
  result.all_ranks = profile.ranks.size();
  for (std::size_t index : chosen_ranks(profile, filter)) {
    const model::Rank &rank = profile.ranks[index];
    result.mpi_ns = add(result.mpi_ns, rank.mpi_ns);
    result.rank_ns = add(result.rank_ns, rank.wall_ns);
    result.threads = result.threads || rank.threads > 1;
    ++result.ranks;
  }
  for (const model::PeerMatrix *matrix : {&profile.peers.p2p, &profile.peers.rma})
    each_peer(*matrix, filter, [&](std::size_t i) { result.peer_bytes = add(result.peer_bytes, matrix->bytes[i]); });
  return result;
}

std::vector<CallView> by_call(const model::Profile &profile, const Filter &filter) {
  const Denominators whole = denominators(profile, filter);
  const std::vector<std::size_t> ranks = chosen_ranks(profile, filter);
  std::vector<CallView> rows;
  for (const model::CallRow &row : profile.calls) {
    if (!filter.has_call(row.name)) continue;
    CallView view = whole.ranks == whole.all_ranks ? call_of_all(row) : call_of_some(profile, row, ranks);
    if (view.calls == 0 && view.total_ns == 0) continue;
    view.call = row.name;
    view.kind = row.kind;
    view.mpi_share = share(view.total_ns, whole.mpi_ns);
    view.rank_share = share(view.total_ns, whole.rank_ns);
    view.mean_ns = share(view.total_ns, view.calls);
    rows.push_back(std::move(view));
  }
  longest_first(rows);
  return rows;
}

std::vector<RankView> by_rank(const model::Profile &profile, const Filter &filter) {
  std::vector<RankView> rows;
  for (std::size_t index : chosen_ranks(profile, filter)) {
    RankView view = rank_view(profile.ranks[index]);
    add_calls(profile, filter, index, view);
    view.mpi_share = share(view.mpi_ns, view.wall_ns);
    rows.push_back(std::move(view));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const RankView &a, const RankView &b) {
    return a.world != b.world ? a.world < b.world : a.rank < b.rank;
  });
  return rows;
}

PeerViews by_peer(const model::Profile &profile, const Filter &filter, std::size_t most) {
  const std::int64_t all_bytes = denominators(profile, filter).peer_bytes;
  struct Place {
    Layer layer;
    std::size_t index;
  };
  std::vector<Place> places;  // of millions of pairs the views would take gigabytes
  const model::PeerMatrix *layers[] = {&profile.peers.p2p, &profile.peers.rma};
  for (Layer layer : {Layer::point_to_point, Layer::one_sided})
    each_peer(*layers[static_cast<int>(layer)], filter, [&](std::size_t i) { places.push_back({layer, i}); });
  auto heavier = [&](const Place &a, const Place &b) {
    const model::PeerMatrix &left = *layers[static_cast<int>(a.layer)], &right = *layers[static_cast<int>(b.layer)];
    return std::tuple(right.bytes[b.index], right.messages[b.index], a.layer, a.index) <
           std::tuple(left.bytes[a.index], left.messages[a.index], b.layer, b.index);
  };
  const std::size_t count = std::min(most, places.size());
  std::partial_sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count), places.end(), heavier);
  PeerViews result;
  result.more = places.size() - count;
  for (std::size_t i = 0; i < count; ++i)
    result.rows.push_back(view_of(*layers[static_cast<int>(places[i].layer)], places[i].layer, places[i].index, all_bytes));
  return result;
}

namespace {

template <class Row>
void add_spread(const Row &row, const std::string &name, bool region, std::vector<SpreadView> &views) {
  if (!row.spread && row.per_rank.total_ns.empty()) return;
  const model::RankSpread spread = row.spread ? *row.spread : model::spread_of(row.per_rank);
  views.push_back({name, region, spread.total_ns, spread.extremes.empty() ? 0 : spread.extremes.back()});
}

}  // namespace

std::vector<SpreadView> by_spread(const model::Profile &profile, const Filter &filter) {
  std::vector<SpreadView> rows;
  for (const model::CallRow &row : profile.calls)
    if (filter.has_call(row.name)) add_spread(row, row.name, false, rows);
  for (const model::RegionRow &row : profile.regions) add_spread(row, row.path.empty() ? row.name : row.path, true, rows);
  std::stable_sort(rows.begin(), rows.end(), [](const SpreadView &a, const SpreadView &b) {
    return a.region != b.region ? b.region : a.total_ns.back() - a.total_ns.front() > b.total_ns.back() - b.total_ns.front();
  });
  return rows;
}

namespace {

using RankSets = std::map<std::pair<std::string, std::int64_t>, model::RankSet>;

/// Of each row of sizes, by procedure and smallest size: who made such calls. Signatures know.
RankSets ranks_of_sizes(const model::Profile &profile) {
  RankSets sets;
  for (const model::SizeRow &row : profile.sizes) sets[{row.call, row.bytes_from}];
  for (const model::SignatureRow &row : profile.signatures) {
    auto found = sets.upper_bound({row.call, row.bytes});
    if (row.bytes < 0 || found == sets.begin() || (--found)->first.first != row.call) continue;
    found->second.join(row.ranks);
  }
  return sets;
}

std::map<int, model::RankSet> ranks_of_communicators(const model::Profile &profile) {
  std::map<int, model::RankSet> sets;
  for (const model::SignatureRow &row : profile.signatures) sets[row.comm].join(row.ranks);
  return sets;
}

}  // namespace

std::vector<SizeView> by_size(const model::Profile &profile, const Filter &filter) {
  RankSets ranks = ranks_of_sizes(profile);
  std::vector<SizeView> rows;
  for (const model::SizeRow &row : profile.sizes)
    if (filter.has_call(row.call))
      rows.push_back(
          {row.call, row.bytes_from, row.bytes_to, row.calls, row.bytes, row.total_ns, share(row.total_ns, row.calls),
           ranks[{row.call, row.bytes_from}]});
  longest_first(rows);
  return rows;
}

std::vector<CommunicatorView> by_communicator(const model::Profile &profile, const Filter &filter) {
  const std::int64_t mpi_ns = denominators(profile, filter).mpi_ns;
  const auto sums = filter.some_calls() ? sums_of_signatures(profile, filter) : std::map<int, CommunicatorView>();
  std::map<int, model::RankSet> ranks = ranks_of_communicators(profile);
  std::vector<CommunicatorView> rows;
  for (const model::CommunicatorRow &row : profile.communicators) {
    CommunicatorView view;
    if (filter.some_calls()) {
      const auto found = sums.find(row.id);
      if (found == sums.end()) continue;
      view = found->second;
    } else {
      view.calls = row.calls;
      view.total_ns = row.total_ns;
      view.bytes = row.bytes;
    }
    if (view.calls == 0 && view.total_ns == 0) continue;
    view.id = row.id;
    view.world = row.world;
    view.name = row.name;
    view.size = row.size;
    view.remote_size = row.remote_size;
    view.merged = row.merged;
    view.mpi_share = share(view.total_ns, mpi_ns);
    view.rank_list = ranks[row.id];
    rows.push_back(std::move(view));
  }
  longest_first(rows);
  return rows;
}

std::vector<CallSiteView> by_callsite(const model::Profile &profile, const Filter &filter) {
  const std::int64_t mpi_ns = denominators(profile, filter).mpi_ns;
  std::vector<CallSiteView> rows;
  for (const model::CallSiteRow &row : profile.callsites) {
    if (!filter.has_call(row.call)) continue;
    rows.push_back({row.world, row.call, row.stack, row.calls, row.total_ns, share(row.total_ns, mpi_ns), share(row.total_ns, row.calls),
                    row.max_ns, row.bytes_sent, row.bytes_received, static_cast<std::int64_t>(row.ranks.size()), row.ranks});
  }
  longest_first(rows);
  return rows;
}

std::vector<RegionView> by_region(const model::Profile &profile, const Filter &filter) {
  const Denominators whole = denominators(profile, filter);
  const std::vector<std::size_t> ranks = chosen_ranks(profile, filter);
  // Of processes whose MPI calls were not profiled the file says 0.
  const bool with_mpi = profile.worlds.empty() || std::any_of(profile.worlds.begin(), profile.worlds.end(), [](const model::World &world) { return world.mpi; });
  std::vector<RegionView> rows;
  for (const model::RegionRow &row : profile.regions) {
    RegionView view;
    view.path = row.path.empty() ? row.name : row.path;
    view.source_file = row.source_file;
    view.source_line = row.source_line;
    if (whole.ranks == whole.all_ranks) {
      view.calls = row.calls;
      view.total_ns = row.total_ns;
      view.self_ns = row.self_ns;
      view.mpi_ns = row.mpi_ns;
      view.mpi_calls = row.mpi_calls;
      view.min_ns = row.min_ns;
      view.max_ns = row.max_ns;
    } else {
      view.calls = sum_over(row.per_rank.calls, ranks);
      view.total_ns = sum_over(row.per_rank.total_ns, ranks);
      if (view.calls == 0) continue;
      if (!row.rank_self_ns.empty()) {
        view.self_ns = sum_over(row.rank_self_ns, ranks);
        view.mpi_ns = sum_over(row.rank_mpi_ns, ranks);
        view.mpi_calls = sum_over(row.rank_mpi_calls, ranks);
      }
    }
    view.rank_share = share(view.total_ns, whole.rank_ns);
    if (!with_mpi) view.mpi_ns = view.mpi_calls = std::nullopt;
    if (view.mpi_ns) view.mpi_share = share(*view.mpi_ns, view.total_ns);
    view.mean_ns = share(view.total_ns, view.calls);
    rows.push_back(std::move(view));
  }
  longest_first(rows);
  return rows;
}

}  // namespace scope::analyze
