// Rules on who waits for whom.

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

#include "analyze/findings.hpp"
#include "analyze/sums.hpp"

namespace scope::analyze {
namespace {

/// No rank leaves before all have come. (Of the others, MPI_Bcast and MPI_Reduce for example, only some wait.)
bool synchronises(const std::string &call) {
  static const std::set<std::string> names{"MPI_Barrier",    "MPI_Allreduce",  "MPI_Allgather",      "MPI_Allgatherv",
                                           "MPI_Alltoall",   "MPI_Alltoallv",  "MPI_Alltoallw",      "MPI_Reduce_scatter",
                                           "MPI_Reduce_scatter_block"};
  return names.contains(call);
}

/// Whether most of a procedure's time is on communicators of all ranks: elsewhere, those outside have no part in it and only seem
/// to come last.
bool is_of_all(const Scene &scene, const std::string &call) {
  std::set<int> smaller;
  for (const model::CommunicatorRow &row : scene.profile.communicators)
    if (row.world == scene.world && row.size < static_cast<int>(scene.size())) smaller.insert(row.id);
  std::int64_t all = 0, in_smaller = 0;
  for (const model::SignatureRow &row : scene.profile.signatures) {
    if (row.world != scene.world || row.call != call) continue;
    all = add(all, row.total_ns);
    if (smaller.contains(row.comm)) in_smaller = add(in_smaller, row.total_ns);
  }
  return in_smaller <= all / 10;
}

std::int64_t sum_of(const std::vector<std::int64_t> &values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0}, add);
}

/// Mean of all but one.
std::int64_t mean_without(const std::vector<std::int64_t> &values, std::size_t one) {
  if (values.size() < 2) return 0;
  return (sum_of(values) - values[one]) / static_cast<std::int64_t>(values.size() - 1);
}

int rank_at(const Scene &scene, std::size_t place) { return scene.profile.ranks[scene.ranks[place]].rank; }

double real(std::int64_t number) { return static_cast<double>(number); }

/// The direction in which all messages go: +1 to the next rank, -1 to the one before, 0 otherwise.
int direction_of(const Scene &scene) {
  const model::PeerMatrix &matrix = scene.profile.peers.p2p;
  int direction = 0;
  std::set<int> steps;
  for (std::size_t i = 0; i < matrix.src.size(); ++i) {
    if (matrix.world[i] != scene.world || matrix.messages[i] <= 0) continue;
    const int step = matrix.dst[i] - matrix.src[i];
    if ((step != 1 && step != -1) || (direction && step != direction)) return 0;
    direction = step;
    steps.insert(matrix.src[i]);
  }
  return steps.size() + 1 == scene.size() ? direction : 0;
}

}  // namespace

void find_imbalance(const Scene &scene, std::vector<Fact> &facts) {
  if (scene.size() < 2) return;
  std::vector<std::int64_t> times(scene.size(), 0);
  std::int64_t most = 0;
  Fact fact{"load-imbalance", "", scene.world, {}, "", {}, 0};
  for (const model::CallRow &call : scene.profile.calls) {
    if (!synchronises(call.name) || !is_of_all(scene, call.name)) continue;
    for (std::size_t i = 0; i < scene.size(); ++i) times[i] = add(times[i], at(call.per_rank.total_ns, scene.ranks[i]));
    if (scene.time_in(call) <= most) continue;
    most = scene.time_in(call);
    fact.subject = call.name;
  }
  const auto least = std::min_element(times.begin(), times.end());
  const auto late = static_cast<std::size_t>(least - times.begin());
  fact.lost_ns = scene.mean(sum_of(times)) - *least;
  if (!scene.is_worth(fact.lost_ns)) return;
  fact.ranks = {rank_at(scene, late)};
  const std::int64_t longer = scene.compute_ns[late] - mean_without(scene.compute_ns, late);
  fact.evidence = {{"others_wait_ns", real(mean_without(times, late) - *least)},
                   {"computes_longer_ns", real(longer)},
                   {"from_computation", longer * 2 >= fact.lost_ns ? 1.0 : 0.0}};
  facts.push_back(std::move(fact));
}

void find_outlier_node(const Scene &scene, std::vector<Fact> &facts) {
  std::map<std::string, std::vector<std::size_t>> hosts;
  for (std::size_t i = 0; i < scene.size(); ++i) hosts[scene.profile.ranks[scene.ranks[i]].host].push_back(i);
  if (hosts.size() < 2) return;
  for (const auto &[host, places] : hosts) {
    std::int64_t fastest = std::numeric_limits<std::int64_t>::max(), inside = 0, slowest_other = 0, outside = 0;
    Fact fact{"outlier-node", "", scene.world, {}, host, {}, 0};
    for (std::size_t i : places) {
      fastest = std::min(fastest, scene.compute_ns[i]);
      inside = add(inside, scene.compute_ns[i]);
      fact.ranks.push_back(rank_at(scene, i));
    }
    for (std::size_t i = 0; i < scene.size(); ++i) {
      if (std::find(places.begin(), places.end(), i) != places.end()) continue;
      slowest_other = std::max(slowest_other, scene.compute_ns[i]);
      outside = add(outside, scene.compute_ns[i]);
    }
    const auto others = static_cast<std::int64_t>(scene.size() - places.size());
    const std::int64_t longer = inside / static_cast<std::int64_t>(places.size()) - outside / others;
    fact.lost_ns = longer * others / static_cast<std::int64_t>(scene.size());  // only the others wait
    if (fastest <= slowest_other || !scene.is_worth(fact.lost_ns)) continue;
    fact.evidence = {{"computes_longer_ns", real(longer)}, {"ranks", real(static_cast<std::int64_t>(places.size()))}};
    facts.push_back(std::move(fact));
    return;  // no second host can be slower than every other rank
  }
}

void find_outlier_rank(const Scene &scene, std::vector<Fact> &facts) {
  if (scene.size() < 4) return;
  const auto longest = std::max_element(scene.compute_ns.begin(), scene.compute_ns.end());
  const auto place = static_cast<std::size_t>(longest - scene.compute_ns.begin());
  std::int64_t low = std::numeric_limits<std::int64_t>::max(), high = 0;
  for (std::size_t i = 0; i < scene.size(); ++i) {
    if (i == place) continue;
    low = std::min(low, scene.compute_ns[i]);
    high = std::max(high, scene.compute_ns[i]);
  }
  const std::int64_t longer = *longest - mean_without(scene.compute_ns, place);
  Fact fact{"outlier-rank", "", scene.world, {rank_at(scene, place)}, scene.profile.ranks[scene.ranks[place]].host, {}, 0};
  fact.lost_ns = longer * static_cast<std::int64_t>(scene.size() - 1) / static_cast<std::int64_t>(scene.size());
  if (high - low > longer / 3 || !scene.is_worth(fact.lost_ns)) return;
  fact.evidence = {{"computes_longer_ns", real(longer)}, {"others_spread_ns", real(high - low)}};
  facts.push_back(std::move(fact));
}

void find_serialised_chain(const Scene &scene, std::vector<Fact> &facts) {
  const int direction = scene.size() < 3 ? 0 : direction_of(scene);
  if (direction == 0) return;
  std::vector<std::int64_t> waits = scene.receive_wait_ns;
  if (direction < 0) std::reverse(waits.begin(), waits.end());
  Fact fact{"serialised-chain", "", scene.world, {}, "", {}, scene.mean(sum_of(waits))};
  if (!scene.is_worth(fact.lost_ns)) return;
  // Every rank adds its part: at least half of what each would add if all added the same.
  const std::int64_t step = waits.back() / static_cast<std::int64_t>(waits.size() - 1);
  for (std::size_t i = 1; i < waits.size(); ++i)
    if (waits[i] - waits[i - 1] < step / 2) return;
  fact.ranks = {rank_at(scene, direction > 0 ? 0 : scene.size() - 1), rank_at(scene, direction > 0 ? scene.size() - 1 : 0)};
  fact.evidence = {{"last_waits_ns", real(waits.back())}, {"ranks", real(static_cast<std::int64_t>(waits.size()))}};
  facts.push_back(std::move(fact));
}

void find_late_sender(const Scene &scene, std::vector<Fact> &facts) {
  if (scene.late_ns.empty()) return;
  const auto late = std::max_element(scene.late_ns.begin(), scene.late_ns.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
  Fact fact{"late-sender", "", scene.world, {late->first}, "", {}, scene.mean(sum_of(scene.receive_wait_ns))};
  if (!scene.is_worth(fact.lost_ns)) return;
  std::int64_t senders = 0;
  for (const auto &[rank, wait] : scene.late_ns) senders += wait * 2 >= late->second ? 1 : 0;
  fact.evidence = {{"wait_ns", real(sum_of(scene.receive_wait_ns))}, {"for_that_rank_ns", real(late->second)}, {"late_senders", real(senders)}};
  for (std::size_t i = 0; i < scene.size(); ++i)
    if (rank_at(scene, i) == late->first) fact.evidence["computes_longer_ns"] = real(scene.compute_ns[i] - mean_without(scene.compute_ns, i));
  facts.push_back(std::move(fact));
}

}  // namespace scope::analyze
