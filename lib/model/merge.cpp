#include "model/merge.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "model/limits.hpp"
#include "model/merge_parts.hpp"
#include "support/ordered_work.hpp"

namespace scope::model {
namespace {

/// Time in procedures that a program may call before MPI_Init and after MPI_Finalize (MPI 4.1, 11.4.1): it is MPI time, yet
/// outside the wall time that the two delimit.
std::int64_t outside_ns(const std::vector<Converted> &signatures) {
  using wire::Call;
  std::int64_t sum = 0;
  for (const Converted &signature : signatures)
    for (Call call : {Call::MPI_Initialized, Call::MPI_Finalized, Call::MPI_Get_version, Call::MPI_Get_library_version})
      if (signature.call == wire::info(call).name) add_to(sum, signature.total_ns);
  return sum;
}

std::int64_t wall_of(const RankRecord &record) {
  std::uint64_t begin = record.begin != 0 ? record.begin : record.scale.first_ticks;
  std::uint64_t end = record.end != 0 ? record.end : record.last_seen;
  return end > begin ? record.scale.duration_ns(static_cast<double>(end - begin)) : 0;
}

void fill_times(const RankRecord &record, const std::vector<Converted> &signatures, std::int64_t sum_ns, Rank &rank) {
  rank.wall_ns = wall_of(record);
  if (rank.threads > 1) {
    // The union was scaled in one go, the calls one by one: rounding must not make it the larger one.
    rank.mpi_ns = std::min({record.scale.duration_ns(static_cast<double>(record.mpi_ticks)), sum_ns, rank.wall_ns});
    return;
  }
  rank.mpi_ns = sum_ns;
  // Each signature is rounded on its own, by half a nanosecond at most. Where the end is not known, the calls say more about it
  // than the last instant seen.
  std::int64_t slack = outside_ns(signatures);
  add_to(slack, static_cast<std::int64_t>(signatures.size() / 2 + 1));
  bool within = rank.mpi_ns - rank.wall_ns <= slack || record.end == 0;
  if (rank.mpi_ns > rank.wall_ns && within) rank.wall_ns = rank.mpi_ns;
}

void add_to_totals(const Rank &rank, Totals &totals) {
  totals.wall_ns = std::max(totals.wall_ns, rank.wall_ns);
  add_to(totals.wall_sum_ns, rank.wall_ns);
  add_to(totals.mpi_ns, rank.mpi_ns);
  add_to(totals.overhead_ns, rank.overhead_ns);
}

/// Of the caller, with what only the ranks know where it left that out.
void fill_metadata(const std::vector<Placed> &placed, Metadata &metadata) {
  metadata.exporter = "scope-profiler@" SCOPE_VERSION;
  std::set<std::string> hosts;
  for (const auto &[record, world, rank] : placed) {
    if (metadata.run_id.empty()) metadata.run_id = record->run_id;
    if (metadata.mpi_library.empty()) metadata.mpi_library = record->library;
    if (metadata.mpi_standard.empty() && record->standard_major > 0)
      metadata.mpi_standard = std::to_string(record->standard_major) + "." + std::to_string(record->standard_minor);
    hosts.insert(record->host);
  }
  if (metadata.hosts.empty()) metadata.hosts.assign(hosts.begin(), hosts.end());
}

}  // namespace

void add_rank(const Placed &placed, const RankRows &rows, Profile &profile) {
  const RankRecord &record = rows.record;
  Totals &totals = profile.totals;
  Rank rank;
  std::int64_t sum_ns = 0;
  for (const Converted &signature : rows.converted) {
    add_to(rank.calls, signature.calls);
    add_to(rank.bytes_sent, signature.bytes_sent);
    add_to(rank.bytes_received, signature.bytes_received);
    add_to(sum_ns, signature.total_ns);
    if (is_startup(signature.call)) add_to(rank.startup_ns, signature.total_ns);
  }
  add_to(totals.calls, rank.calls);
  add_to(totals.bytes_sent, rank.bytes_sent);
  add_to(totals.bytes_received, rank.bytes_received);
  rank.world = placed.world;
  rank.rank = placed.rank;
  rank.host = record.host;
  rank.pid = record.pid;
  rank.executable = record.executable;
  rank.status = to_string(record.status);
  rank.signal = record.signal;
  if (record.status == RankStatus::aborted) rank.abort_code = record.abort_code;
  rank.in_call = record.in_call.empty() ? "" : record.in_call.front().call;
  rank.threads = std::max(record.threads, 1);
  add_to(rank.cpu_ns, record.cpu_ns);
  add_to(rank.max_rss_bytes, record.max_rss_bytes);
  rank.overhead_ns = record.scale.duration_ns(record.cost_ticks * static_cast<double>(rank.calls) + regions_cost_ticks(record));
  fill_times(record, rows.converted, sum_ns, rank);
  add_to_totals(rank, totals);
  profile.ranks.push_back(std::move(rank));
}

namespace {

/// Everything that is added up rank by rank.
void add_ranks(const std::vector<Placed> &placed, const std::vector<std::vector<int>> &comm_ids, RegionSums &regions,
               UnmatchedMessages &unmatched, Profile &profile, const Progress &progress) {
  RowSums rows(placed.size(), profile);
  CallSiteSums callsites;
  auto read = [&](std::size_t i) {
    auto result = std::make_unique<RankRows>(RankRows{whole_record(*placed[i].record), {}});
    result->converted = convert_signatures(result->record, comm_ids[i], profile);
    return result;
  };
  auto add = [&](std::size_t i, const std::unique_ptr<RankRows> &rank) {
    rows.add(i, placed[i], *rank);
    callsites.add(placed[i], *rank);
    add_rank(placed[i], *rank, profile);
    regions.add(i, rank->record);
    unmatched.add(placed[i], *rank, comm_ids[i]);
    if (progress) progress(i + 1, placed.size());
  };
  const bool files = std::any_of(placed.begin(), placed.end(), [](const Placed &one) { return one.record->detached; });
  support::work_in_order(placed.size(), read, add, files ? support::machine_threads() : 1);
  if (profile.totals.wall_sum_ns > 0)
    profile.totals.mpi_share = static_cast<double>(profile.totals.mpi_ns) / static_cast<double>(profile.totals.wall_sum_ns);
  rows.finish();
  callsites.finish(profile);
}

}  // namespace

Profile merge(const Collected &collected, Metadata metadata, std::vector<Placement> *placements, const Progress &progress) {
  Profile profile;
  profile.metadata = std::move(metadata);
  profile.warnings = collected.warnings;
  profile.complete = !collected.partial;
  const std::vector<Placed> placed = place_ranks(collected.records, profile);
  const std::vector<std::vector<int>> comm_ids = number_communicators(placed, profile);
  RegionSums regions(placed.size());
  UnmatchedMessages unmatched(profile.worlds.size());
  add_ranks(placed, comm_ids, regions, unmatched, profile, progress);
  regions.finish(profile);
  fill_metadata(placed, profile.metadata);
  add_warnings(placed, regions, profile);
  unmatched.finish(profile);
  if (placements) {
    for (std::size_t i = 0; i < placed.size(); ++i) placements->push_back({placed[i].record, placed[i].world, placed[i].rank, comm_ids[i]});
  }
  return profile;
}

}  // namespace scope::model
