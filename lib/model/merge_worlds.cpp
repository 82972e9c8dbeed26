// Which records stay, which worlds there are, and in which order.

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "model/limits.hpp"
#include "model/merge_parts.hpp"
#include "wire/live_block.hpp"

namespace scope::model {
namespace {

/// The ranks of one MPI_COMM_WORLD, the processes that never got through MPI_Init, or those without MPI.
enum class Kind { ranks, not_initialised, no_mpi };

Kind kind_of(const RankRecord &record) {
  if (record.regions_only) return Kind::no_mpi;
  return record.rank >= 0 ? Kind::ranks : Kind::not_initialised;
}

struct Group {
  std::string key, parent_key;
  Kind kind = Kind::ranks;
  std::int64_t start = 0;  ///< of its earliest rank, ns since 1970
  std::vector<const RankRecord *> records;
};

std::int64_t start_of(const RankRecord &record) {
  constexpr auto latest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  auto start = static_cast<std::int64_t>(std::min(record.unix_ns, latest));
  if (record.begin == 0) return start;
  add_to(start, record.scale.at_ns(record.begin) - record.scale.at_ns(record.scale.first_ticks));
  return start;
}

std::vector<Group> group_by_world(const std::vector<RankRecord> &records) {
  std::map<std::pair<Kind, std::string>, Group> groups;
  for (const RankRecord &record : records) {
    const Kind kind = kind_of(record);
    const bool initialised = kind == Kind::ranks;
    Group &group = groups[{kind, initialised ? record.world_key : std::string()}];
    std::int64_t start = start_of(record);
    group.start = group.records.empty() ? start : std::min(group.start, start);
    group.kind = kind;
    if (initialised) group.key = record.world_key;
    if (group.parent_key.empty() && initialised) group.parent_key = record.parent_key;
    group.records.push_back(&record);
  }
  std::vector<Group> result;
  for (auto &[key, group] : groups) result.push_back(std::move(group));
  std::stable_sort(result.begin(), result.end(), [](const Group &a, const Group &b) { return a.start < b.start; });
  return result;
}

/// Parents first, else in the order given. Parents that are not there, and circles in a damaged file, are no parents.
std::vector<Group> parents_first(std::vector<Group> groups) {
  std::map<std::string, bool> placed;  ///< keys that are there, and whether they already stand in the result
  for (const Group &group : groups) placed[group.key] = false;
  std::vector<Group> result;
  while (!groups.empty()) {
    auto next = std::find_if(groups.begin(), groups.end(), [&](const Group &group) {
      auto parent = placed.find(group.parent_key);
      return group.parent_key.empty() || parent == placed.end() || parent->second;
    });
    if (next == groups.end()) {
      next = groups.begin();
      next->parent_key.clear();
    }
    placed[next->key] = true;
    result.push_back(std::move(*next));
    groups.erase(next);
  }
  return result;
}

/// One record a rank: the one with more calls stays.
std::vector<Placed> distinct_ranks(const Group &group, int world, Profile &profile) {
  std::map<int, const RankRecord *> ranks;
  for (const RankRecord *record : group.records) {
    auto [at, is_new] = ranks.try_emplace(record->rank, record);
    if (is_new) continue;
    const RankRecord *other = at->second;
    bool replaces = calls_of(*record) > calls_of(*other);
    if (replaces) at->second = record;
    const RankRecord *dropped = replaces ? other : record;
    profile.warnings.push_back({"duplicate-rank", "Rank " + std::to_string(record->rank) + " of world " + std::to_string(world) +
                                                      " gave two files: " + at->second->source.string() +
                                                      " is used, " + dropped->source.string() +
                                                      " has no more calls and is left out."});
  }
  std::vector<Placed> placed;
  for (auto [rank, record] : ranks) placed.push_back({record, world, rank});
  return placed;
}

/// Processes without a rank are numbered by host and process id; those without MPI first by what the launcher says.
std::vector<Placed> numbered(const Group &group, int world, Profile &profile) {
  std::vector<const RankRecord *> records = group.records;
  std::sort(records.begin(), records.end(), [](const RankRecord *a, const RankRecord *b) {
    return std::tie(a->regions.launcher_rank, a->host, a->pid, a->start_time) <
           std::tie(b->regions.launcher_rank, b->host, b->pid, b->start_time);
  });
  std::vector<Placed> placed;
  for (const RankRecord *record : records) placed.push_back({record, world, static_cast<int>(placed.size())});
  if (group.kind == Kind::no_mpi) return placed;
  std::string count = std::to_string(placed.size()) + (placed.size() == 1 ? " process" : " processes");
  profile.warnings.push_back({"not-initialised", count + " called MPI without getting through MPI_Init. World " +
                                                     std::to_string(world) + " shows them, by host and process id."});
  return placed;
}

}  // namespace

std::vector<Placed> place_ranks(const std::vector<RankRecord> &records, Profile &profile) {
  std::vector<Placed> placed;
  std::map<std::string, int> ids;
  for (const Group &group : parents_first(group_by_world(records))) {
    World world;
    world.id = static_cast<int>(profile.worlds.size());
    world.key = group.key;
    world.mpi = group.kind != Kind::no_mpi;
    if (auto parent = ids.find(group.parent_key); !group.parent_key.empty() && parent != ids.end()) world.parent = parent->second;
    if (group.kind == Kind::ranks) ids[group.key] = world.id;
    std::vector<Placed> own = group.kind == Kind::ranks ? distinct_ranks(group, world.id, profile) : numbered(group, world.id, profile);
    world.size = group.kind == Kind::ranks ? 0 : static_cast<int>(own.size());
    for (const Placed &one : own) world.size = std::max(world.size, one.record->size);
    world.ranks_reported = static_cast<int>(own.size());
    std::size_t next = 0;
    for (int rank = 0; rank < world.size; ++rank) {
      if (next < own.size() && own[next].rank == rank) {
        ++next;
      } else {
        world.missing.push_back(rank);
      }
    }
    world.complete = world.missing.empty();
    profile.complete = profile.complete && world.complete;
    placed.insert(placed.end(), own.begin(), own.end());
    profile.worlds.push_back(std::move(world));
  }
  return placed;
}

std::vector<std::vector<int>> number_communicators(const std::vector<Placed> &placed, Profile &profile) {
  struct Seen {
    std::size_t index = 0;  ///< smallest over the ranks
    CommunicatorRow row;
  };
  std::vector<std::map<std::uint64_t, Seen>> worlds(profile.worlds.size());
  for (const Placed &one : placed) {
    const std::vector<CommInfo> &comms = one.record->comms;
    for (std::size_t i = 0; i < comms.size(); ++i) {
      auto [at, is_new] = worlds[static_cast<std::size_t>(one.world)].try_emplace(comms[i].key);
      Seen &seen = at->second;
      if (is_new) {
        seen.index = i;
        seen.row.world = one.world;
        seen.row.size = comms[i].size;
        seen.row.remote_size = comms[i].remote_size;
      }
      seen.index = std::min(seen.index, i);
      if (seen.row.name.empty()) seen.row.name = comms[i].name;
      seen.row.foreign = seen.row.foreign || comms[i].foreign;
      seen.row.merged = seen.row.merged || comms[i].merged;
    }
  }
  std::vector<std::map<std::uint64_t, int>> ids(worlds.size());
  for (std::size_t world = 0; world < worlds.size(); ++world) {
    // MPI_COMM_WORLD, MPI_COMM_SELF, those made by the program, and last what stands for many.
    auto order = [](std::uint64_t key, const Seen &seen) {
      int group = key == wire::comm_key_world ? 0 : key == wire::comm_key_self ? 1 : seen.row.merged ? 3 : 2;
      return std::tuple(group, seen.index, key);
    };
    std::vector<std::uint64_t> keys;
    for (const auto &[key, seen] : worlds[world]) keys.push_back(key);
    std::sort(keys.begin(), keys.end(), [&](std::uint64_t a, std::uint64_t b) {
      return order(a, worlds[world].at(a)) < order(b, worlds[world].at(b));
    });
    for (std::uint64_t key : keys) {
      CommunicatorRow row = worlds[world].at(key).row;
      row.id = static_cast<int>(profile.communicators.size());
      ids[world][key] = row.id;
      profile.communicators.push_back(std::move(row));
    }
  }
  std::vector<std::vector<int>> result;
  for (const Placed &one : placed) {
    std::vector<int> &own = result.emplace_back();
    for (const CommInfo &comm : one.record->comms) own.push_back(ids[static_cast<std::size_t>(one.world)].at(comm.key));
  }
  return result;
}

}  // namespace scope::model
