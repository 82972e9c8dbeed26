#include "analyze/findings.hpp"

#include <algorithm>
#include <set>

#include "analyze/sums.hpp"

namespace scope::analyze {
namespace {


bool receives(const model::SignatureRow &row) {
  if (!row.request.empty()) return row.request.find("recv") != std::string::npos;
  static const std::set<std::string> names{"MPI_Recv", "MPI_Mrecv", "MPI_Sendrecv", "MPI_Sendrecv_replace", "MPI_Probe", "MPI_Mprobe"};
  return names.contains(row.call);
}

/// Of a signature's time what its messages did not need.
std::int64_t wait_of(const model::SignatureRow &row) {
  const std::int64_t messages = row.request.empty() ? row.calls : row.completions;
  if (messages >= INT64_MAX / latency_ns) return 0;
  return std::max<std::int64_t>(0, row.total_ns - messages * latency_ns - row.bytes_received * ns_per_byte);
}

const char *severity_of(const Scene &scene, std::int64_t lost_ns) { return scene.share(lost_ns) >= much ? "high" : "medium"; }

bool has(const std::vector<Fact> &facts, int world, const char *id) {
  return std::any_of(facts.begin(), facts.end(), [&](const Fact &fact) { return fact.world == world && fact.id == id; });
}

void drop(std::vector<Fact> &facts, int world, const char *id) {
  std::erase_if(facts, [&](const Fact &fact) { return fact.world == world && fact.id == id; });
}

void find_incomplete(const model::Profile &profile, std::vector<Fact> &facts) {
  for (const model::World &world : profile.worlds) {
    if (world.missing.empty()) continue;
    Fact fact{"incomplete", "warning", world.id, world.missing, "", {}, 0};
    fact.evidence = {{"ranks", world.size}, {"ranks_missing", static_cast<double>(world.missing.size())}};
    facts.push_back(std::move(fact));
  }
}

void find_overhead(const model::Profile &profile, std::vector<Fact> &facts) {
  const auto part = share(profile.totals.overhead_ns, profile.totals.wall_sum_ns);
  if (!part || *part <= much_overhead || profile.ranks.empty()) return;
  Fact fact{"tool-overhead", "warning", 0, {}, "", {}, profile.totals.overhead_ns / static_cast<std::int64_t>(profile.ranks.size())};
  fact.evidence = {{"overhead_share", *part}, {"calls", static_cast<double>(profile.totals.calls)}};
  facts.push_back(std::move(fact));
}

/// Where MPI takes next to nothing, and nothing else was found, the time is elsewhere.
void find_negligible(const Scene &scene, std::vector<Fact> &facts) {
  std::int64_t mpi = 0, run = 0;
  for (std::size_t i = 0; i < scene.size(); ++i) {
    const model::Rank &rank = scene.profile.ranks[scene.ranks[i]];
    std::int64_t startup = 0;
    for (const model::CallRow &call : scene.profile.calls)
      if (model::is_startup(call.name)) startup = add(startup, at(call.per_rank.total_ns, scene.ranks[i]));
    mpi = add(mpi, std::max<std::int64_t>(0, rank.mpi_ns - startup));
    run = add(run, std::max<std::int64_t>(0, rank.wall_ns - startup));
  }
  const auto part = share(mpi, run);
  if (!part || *part >= worth_telling) return;
  facts.push_back({"mpi-negligible", "info", scene.world, {}, "", {{"mpi_share", *part}}, 0});
}

void look_at(const Scene &scene, std::vector<Fact> &facts) {
  if (scene.size() == 0 || scene.run_ns < worth_telling_ns) return;
  const bool timeline = has_timeline(scene);
  (timeline ? find_imbalance_in_timeline : find_imbalance)(scene, facts);
  find_outlier_node(scene, facts);
  if (has(facts, scene.world, "outlier-node")) drop(facts, scene.world, "load-imbalance");
  else if (!has(facts, scene.world, "load-imbalance")) find_outlier_rank(scene, facts);
  find_serialised_chain(scene, facts);
  if (!has(facts, scene.world, "serialised-chain")) (timeline ? find_late_sender_in_timeline : find_late_sender)(scene, facts);
  find_small_messages(scene, facts);
  find_eager_messages(scene, facts);
  find_dominant_pair(scene, facts);
  find_polling(scene, facts);
  find_costly_communicator(scene, facts);
  find_io(scene, facts);
  if (std::none_of(facts.begin(), facts.end(), [&](const Fact &fact) { return fact.world == scene.world; })) find_negligible(scene, facts);
}

}  // namespace

Scene::Scene(const model::Profile &whole, int of_world) : profile(whole), world(of_world) {
  for (std::size_t i = 0; i < profile.ranks.size(); ++i)
    if (profile.ranks[i].world == world) ranks.push_back(i);
  std::map<int, std::size_t> place;
  for (std::size_t index : ranks) {
    const model::Rank &rank = profile.ranks[index];
    place[rank.rank] = compute_ns.size();
    compute_ns.push_back(std::max<std::int64_t>(0, rank.wall_ns - rank.mpi_ns));
    std::int64_t startup = 0;
    for (const model::CallRow &call : profile.calls)
      if (model::is_startup(call.name)) startup = add(startup, at(call.per_rank.total_ns, index));
    run_ns = std::max(run_ns, rank.wall_ns - startup);
  }
  receive_wait_ns.assign(ranks.size(), 0);
  for (const model::SignatureRow &row : profile.signatures) {
    if (row.world != world || row.ranks.empty() || !receives(row)) continue;
    const std::int64_t wait = wait_of(row);
    if (row.peer >= 0) late_ns[row.peer] = add(late_ns[row.peer], wait);
    // Rows of a receive name their sender, so most often one rank has them; else all have an equal part.
    for (int rank : row.ranks) {
      const auto found = place.find(rank);
      if (found != place.end()) receive_wait_ns[found->second] = add(receive_wait_ns[found->second], wait / static_cast<std::int64_t>(row.ranks.size()));
    }
  }
}

std::int64_t Scene::time_in(const model::CallRow &call) const {
  std::int64_t sum = 0;
  for (std::size_t index : ranks) sum = add(sum, at(call.per_rank.total_ns, index));
  return sum;
}

std::vector<Fact> find_facts(const model::Profile &profile) {
  std::vector<Fact> facts, about_profile;
  find_incomplete(profile, about_profile);
  find_overhead(profile, about_profile);
  for (const model::World &world : profile.worlds) {
    if (!world.mpi) continue;
    const Scene scene(profile, world.id);
    const std::size_t before = facts.size();
    look_at(scene, facts);
    for (std::size_t i = before; i < facts.size(); ++i)
      if (facts[i].severity.empty()) facts[i].severity = severity_of(scene, facts[i].lost_ns);
  }
  const auto more = [](const Fact &a, const Fact &b) { return a.lost_ns > b.lost_ns; };
  std::stable_sort(facts.begin(), facts.end(), more);
  const std::size_t room = most_facts - std::min(most_facts, about_profile.size());
  if (facts.size() > room) facts.resize(room);
  if (about_profile.size() > most_facts) about_profile.resize(most_facts);
  facts.insert(facts.end(), about_profile.begin(), about_profile.end());
  std::stable_sort(facts.begin(), facts.end(), more);
  return facts;
}

}  // namespace scope::analyze
