// Rules on who waits for whom, where a timeline says it: nothing is estimated.

#include <algorithm>
#include <map>
#include <set>

#include "analyze/findings.hpp"
#include "analyze/sums.hpp"

namespace scope::analyze {
namespace {

double real(std::int64_t number) { return static_cast<double>(number); }

/// Waiting of one kind in a world.
struct Waiting {
  std::int64_t total_ns = 0;
  std::map<int, std::int64_t> by_rank;            ///< who waited
  std::map<int, std::int64_t> by_peer;            ///< for whom, where that is known
  std::map<std::string, std::int64_t> by_call;
};

Waiting waiting_in(const Scene &scene, const std::set<std::string> &patterns) {
  Waiting waiting;
  for (const model::WaitStateRow &row : scene.profile.timeline_results->wait_states) {
    if (row.world != scene.world || !patterns.contains(row.pattern)) continue;
    waiting.total_ns = add(waiting.total_ns, row.total_ns);
    if (row.rank >= 0) waiting.by_rank[row.rank] = add(waiting.by_rank[row.rank], row.total_ns);
    if (row.peer >= 0) waiting.by_peer[row.peer] = add(waiting.by_peer[row.peer], row.total_ns);
    waiting.by_call[row.call] = add(waiting.by_call[row.call], row.total_ns);
  }
  return waiting;
}

template <class Key>
std::pair<Key, std::int64_t> largest(const std::map<Key, std::int64_t> &amounts) {
  std::pair<Key, std::int64_t> most{};
  for (const auto &[key, amount] : amounts)
    if (amount > most.second) most = {key, amount};
  return most;
}

/// By rank, what its delays cost the others.
std::map<int, std::int64_t> causes(const Scene &scene) {
  std::map<int, std::int64_t> result;
  for (const model::DelayRow &row : scene.profile.timeline_results->delays)
    if (row.world == scene.world && row.rank >= 0) result[row.rank] = add(result[row.rank], row.caused_ns);
  return result;
}

/// Ranks whose amount is at least half of the largest, ascending.
std::vector<int> main_ranks(const std::map<int, std::int64_t> &amounts) {
  const std::int64_t most = largest(amounts).second;
  std::vector<int> ranks;
  for (const auto &[rank, amount] : amounts)
    if (amount > 0 && amount >= most / 2) ranks.push_back(rank);
  return ranks;
}

/// What these ranks did while others waited for them: the row that caused most.
void name_origin(const Scene &scene, const std::vector<int> &ranks, Fact &fact) {
  for (const model::DelayRow &row : scene.profile.timeline_results->delays) {  // largest first
    if (row.world != scene.world || std::find(ranks.begin(), ranks.end(), row.rank) == ranks.end()) continue;
    fact.region = row.region;
    fact.origin = row.call;
    return;
  }
}

}  // namespace

bool has_timeline(const Scene &scene) { return scene.profile.timeline_results && scene.profile.timeline_results->info.complete; }

void find_imbalance_in_timeline(const Scene &scene, std::vector<Fact> &facts) {
  const Waiting waiting = waiting_in(scene, {"wait-barrier", "wait-nxn", "late-broadcast", "early-reduce", "early-scan", "wait-fence"});
  Fact fact{"load-imbalance", "", scene.world, {}, largest(waiting.by_call).first, {}, scene.mean(waiting.total_ns), true};
  if (scene.size() < 2 || !scene.is_worth(fact.lost_ns)) return;
  const std::map<int, std::int64_t> caused = causes(scene);
  fact.ranks = main_ranks(caused);
  name_origin(scene, fact.ranks, fact);
  if (fact.ranks.size() == scene.size()) fact.ranks.clear();  // all for each other
  fact.evidence = {{"wait_ns", real(waiting.total_ns)}, {"others_wait_ns", real(waiting.by_rank.empty() ? 0 : waiting.total_ns / static_cast<std::int64_t>(waiting.by_rank.size()))}};
  facts.push_back(std::move(fact));
}

void find_late_sender_in_timeline(const Scene &scene, std::vector<Fact> &facts) {
  const Waiting waiting = waiting_in(scene, {"late-sender"});
  Fact fact{"late-sender", "", scene.world, {}, largest(waiting.by_call).first, {}, scene.mean(waiting.total_ns), true};
  if (!scene.is_worth(fact.lost_ns)) return;
  const auto [late, for_that_rank] = largest(waiting.by_peer);
  if (for_that_rank > 0) fact.ranks = {late};
  name_origin(scene, main_ranks(causes(scene)), fact);
  fact.evidence = {{"wait_ns", real(waiting.total_ns)}, {"for_that_rank_ns", real(for_that_rank)},
                   {"late_senders", real(static_cast<std::int64_t>(main_ranks(waiting.by_peer).size()))}};
  facts.push_back(std::move(fact));
}

}  // namespace scope::analyze
