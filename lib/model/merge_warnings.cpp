// What the reader of a profile has to know about how complete and how exact it is. One warning a kind and world or run, however
// many ranks it concerns.

#include <algorithm>
#include <functional>
#include <map>

#include "model/limits.hpp"
#include "model/merge_parts.hpp"
#include "wire/contract.hpp"
#include "wire/region_block.hpp"

namespace scope::model {
namespace {

/// The world is named where there are several.
std::string of_world(const Profile &profile, int world) {
  return profile.worlds.size() > 1 ? " of world " + std::to_string(world) : "";
}

void add_missing(Profile &profile) {
  for (const World &world : profile.worlds) {
    if (world.complete) continue;
    std::string ranks = std::to_string(world.ranks_reported) + " of " + std::to_string(world.size) + " ranks" +
                        of_world(profile, world.id) + " reported; missing: " + rank_list(world.missing) + ".";
    profile.warnings.push_back({"ranks-missing",
                                ranks + " Likely reasons: the library was not loaded there (a static or setuid executable, a "
                                        "cleared environment), the run directory is not visible from their node, or the "
                                        "ranks ended before MPI_Init returned. `scope-profiler doctor` checks this machine."});
  }
}

void add_recovered(const std::vector<Placed> &placed, Profile &profile) {
  for (const World &world : profile.worlds) {
    std::vector<int> ranks;
    for (const Placed &one : placed)
      if (one.world == world.id && one.record->from_live_block && world.mpi) ranks.push_back(one.rank);
    if (ranks.empty()) continue;
    profile.warnings.push_back({"rank-recovered", counted(ranks.size(), "rank", "ranks") + of_world(profile, world.id) + " (" +
                                                      rank_list(ranks) +
                                                      ") ended without writing a dump; every call that had returned was "
                                                      "recovered. ranks[] says how each ended and which call it was in."});
  }
}

/// Ranks that wrote a dump on their way out, but did not come through MPI_Finalize.
void add_not_finalized(const std::vector<Placed> &placed, Profile &profile) {
  for (const World &world : profile.worlds) {
    std::vector<int> ranks;
    for (const Placed &one : placed)
      if (one.world == world.id && !one.record->from_live_block && one.record->rank >= 0 && one.record->status != RankStatus::finalized)
        ranks.push_back(one.rank);
    if (ranks.empty()) continue;
    profile.warnings.push_back({"not-finalized", counted(ranks.size(), "rank", "ranks") + of_world(profile, world.id) + " (" + rank_list(ranks) +
                                                     ") ended without MPI_Finalize. ranks[] says how each ended."});
  }
}

using Count = std::function<std::uint64_t(const RankRecord &)>;

/// Sum over the ranks, and how many of them have any.
std::uint64_t sum_over(const std::vector<Placed> &placed, const Count &count) {
  std::uint64_t sum = 0;
  for (const Placed &one : placed) add_to(sum, count(*one.record));
  return sum;
}

std::string ranks_with(const std::vector<Placed> &placed, const Count &count) {
  std::uint64_t ranks = 0;
  for (const Placed &one : placed) ranks += count(*one.record) > 0 ? 1 : 0;
  return counted(ranks, "rank", "ranks");
}

/// Call sites of mpi4py's callers need the structures of the interpreter.
void add_foreign_python(const std::vector<Placed> &placed, Profile &profile) {
  for (const Placed &one : placed) {
    const std::string &version = one.record->callsites.foreign_python;
    if (version.empty()) continue;
    profile.warnings.push_back({"python-frames", "The call sites of mpi4py are places in its compiled code, not lines of Python: the frames of Python " +
                                                     version + " are not known to this scope-profiler (those of 3.11 are)."});
    return;
  }
}

void add_folded(const std::vector<Placed> &placed, Profile &profile) {
  const std::pair<const char *, Count> kinds[] = {
      {"tags", [](const RankRecord &record) { return record.folded.tags; }},
      {"sizes", [](const RankRecord &record) { return record.folded.bytes; }},
      {"peers", [](const RankRecord &record) { return record.folded.peers; }},
      {"communicators", [](const RankRecord &record) { return record.folded.communicators; }},
      {"call sites", [](const RankRecord &record) { return record.folded.sites; }}};
  std::string what;
  for (const auto &[name, count] : kinds) {
    std::uint64_t sum = sum_over(placed, count);
    if (sum > 0) what += (what.empty() ? "" : ", ") + std::string(name) + " in " + counted(sum, "call", "calls");
  }
  if (what.empty()) return;
  std::string affected = ranks_with(placed, [](const RankRecord &record) {
    return record.folded.tags | record.folded.bytes | record.folded.peers | record.folded.communicators | record.folded.sites;
  });
  profile.warnings.push_back({"folded", affected + " used more different calls than a rank's table holds. Folded together: " +
                                            what + ". Totals stay exact."});
}

void add_losses(const std::vector<Placed> &placed, Profile &profile) {
  struct Loss {
    const char *id;
    Count count;
    const char *one, *many, *text;
  };
  const Loss losses[] = {
      {"entries-lost", [](const RankRecord &record) { return record.lost_entries; }, "update", "updates",
       " found no memory for an entry: their calls and times are exact, their peers, sizes and communicators are not known."},
      {"requests-untracked", [](const RankRecord &record) { return record.untracked_requests; }, "request", "requests",
       " were more than the profiler follows at a time: what they received and the operation that their waits belong to are not "
       "known."},
      {"abandoned-calls", [](const RankRecord &record) { return record.abandoned; }, "call", "calls",
       " were left by an exception or longjmp: they are counted, with no duration."}};
  for (const Loss &loss : losses) {
    std::uint64_t sum = sum_over(placed, loss.count);
    if (sum == 0) continue;
    profile.warnings.push_back(
        {loss.id, counted(sum, loss.one, loss.many) + " on " + ranks_with(placed, loss.count) + loss.text});
  }
}

void add_unknown_mpi(const std::vector<Placed> &placed, Profile &profile) {
  for (const Placed &one : placed) {
    if (one.record->family != "unknown" || one.record->rank < 0) continue;
    std::string library = one.record->library.empty() ? "The MPI library" : "The MPI library (" + one.record->library + ")";
    profile.warnings.push_back({"mpi-unknown", library + " is neither Open MPI nor of the MPICH ABI: calls are timed, but bytes, "
                                                         "peers and communicators are not known."});
    return;
  }
}

void add_regions_folded(const std::vector<Placed> &placed, Profile &profile) {
  const Count count = [](const RankRecord &record) { return record.regions.folded; };
  const std::uint64_t sum = sum_over(placed, count);
  if (sum == 0) return;
  profile.warnings.push_back({"regions-folded", counted(sum, "region", "regions") + " on " + ranks_with(placed, count) + " began beyond the limits (" +
                                                    std::to_string(wire::region_limit) + " paths and " + std::to_string(wire::region_name_limit) +
                                                    " names a process, " + std::to_string(wire::region_depth_limit) +
                                                    " deep) and have no row: their time is in the region around them."});
}

}  // namespace

std::string counted(std::uint64_t count, const std::string &one, const std::string &many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string rank_list(const std::vector<int> &ranks) {
  std::string text;
  int parts = 0;
  for (std::size_t i = 0; i < ranks.size(); ++parts) {
    if (parts == 10) return text + " and " + std::to_string(ranks.size() - i) + " more";
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(ranks[i]);
    if (last > i) text += (last == i + 1 ? ", " : "-") + std::to_string(ranks[last]);
    i = last + 1;
  }
  return text;
}

std::string rank_words(const std::vector<int> &ranks) { return (ranks.size() == 1 ? "rank " : "ranks ") + rank_list(ranks); }

void add_warnings(const std::vector<Placed> &placed, const RegionSums &regions, Profile &profile) {
  add_missing(profile);
  add_recovered(placed, profile);
  add_not_finalized(placed, profile);
  add_folded(placed, profile);
  add_foreign_python(placed, profile);
  add_losses(placed, profile);
  add_unknown_mpi(placed, profile);
  regions.add_warnings(profile);
  add_regions_folded(placed, profile);
}

}  // namespace scope::model
