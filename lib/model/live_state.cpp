#include "model/live_state.hpp"

#include <algorithm>
#include <numeric>

#include "model/call_table.hpp"
#include "model/limits.hpp"
#include "model/merge_parts.hpp"
#include "wire/live_block.hpp"

namespace scope::model {
namespace {

using wire::Kind;
using wire::Mode;
using wire::Rule;

Awaits awaits_of(const wire::CallInfo &call) {
  switch (call.rule) {
    case Rule::RECV:
    case Rule::MPROBE:
    case Rule::PROBE: return Awaits::message;
    case Rule::SEND: return Awaits::receiver;
    default: return is_collective(call) ? Awaits::members : Awaits::unknown;
  }
}

int comm_of(std::uint32_t index, const std::vector<int> &comm_ids) { return index < comm_ids.size() ? comm_ids[index] : -1; }

int world_comm(const RankRecord &record, const std::vector<int> &comm_ids) {
  for (std::size_t i = 0; i < comm_ids.size(); ++i)
    if (record.comms[i].key == wire::comm_key_world) return comm_ids[i];
  return -1;
}

void fill_process(const RankRecord &record, LiveRank &rank) {
  rank.host = record.host;
  rank.pid = record.pid;
  rank.process = record.host + "-" + std::to_string(record.pid) + "-" + std::to_string(record.start_time);
  LiveCounts &counts = rank.counts;
  for (const CallStats &stats : record.calls) {
    add_to(counts.calls, stats.calls);
    add_to(counts.bytes_sent, stats.bytes_sent);
    add_to(counts.bytes_received, stats.bytes_received);
  }
  counts.mpi_ns = record.scale.duration_ns(static_cast<double>(record.mpi_ticks));
  if (rank.doing == Doing::in_call) add_to(counts.mpi_ns, rank.since_ns);
}

void fill_counts(const RankRecord &record, const std::vector<int> &comm_ids, LiveRank &rank) {
  rank.messages = messages_of(record, comm_ids);
  std::uint64_t most_asked = 0;
  for (const CallStats &stats : record.calls) {
    const wire::CallInfo *call = find_call(stats.name);
    if (call && call->rule == Rule::PCONTROL) rank.counts_all = false;
    if (!call || !only_asks(*call) || stats.calls <= most_asked || rank.doing != Doing::asking) continue;
    most_asked = stats.calls;
    rank.call = stats.name;
  }
  for (const Signature &signature : record.signatures) {
    const wire::CallInfo *call = find_call(signature.call);
    int comm = comm_of(signature.comm, comm_ids);
    if (!call || comm < 0 || !is_collective(*call)) continue;
    if (call->mode != Mode::PERSISTENT) add_to(rank.collectives[comm], signature.calls);
    if (call->mode == Mode::NONBLOCKING) add_to(rank.begun[{signature.call, comm}], signature.calls);
  }
}

void fill_call(const RankRecord &record, const std::vector<int> &comm_ids, LiveRank &rank) {
  const InCall &in_call = record.in_call.front();
  rank.doing = Doing::in_call;
  rank.call = in_call.call;
  rank.request = in_call.request_call;
  rank.comm = comm_of(in_call.comm, comm_ids);
  rank.peer = in_call.peer;
  rank.tag = in_call.tag;
  rank.bytes = in_call.bytes;
  rank.certain = record.in_call.size() >= static_cast<std::size_t>(record.threads);
  const CallSites &callsites = record.callsites;
  if (in_call.site > 0 && in_call.site <= callsites.sites.size())
    for (std::uint32_t frame : callsites.sites[in_call.site - 1]) rank.site.push_back(site_frame(callsites.frames[frame]));
  const wire::CallInfo *call = find_call(rank.call);
  if (!call) return;
  rank.finalizing = call->rule == Rule::FINALIZE;
  if (rank.finalizing) rank.comm = world_comm(record, comm_ids);
  const wire::CallInfo *request = rank.request.empty() ? nullptr : find_call(rank.request);
  if (call->kind == Kind::WAIT && request && request->mode != Mode::PERSISTENT) rank.awaits = awaits_of(*request);
  if (call->kind == Kind::WAIT && request && request->mode == Mode::PERSISTENT && request->kind == Kind::POINT_TO_POINT)
    rank.awaits = awaits_of(*request);
  if (call->kind == Kind::WAIT)
    rank.certain = rank.certain && call->rule == Rule::WAIT;
  else
    rank.awaits = call->mode == Mode::BLOCKING ? awaits_of(*call) : Awaits::unknown;
  bool between = in_call.comm < record.comms.size() && record.comms[in_call.comm].remote_size > 0;
  if (between) rank.peer = -1;  // may be a rank of the other side's world
  bool merged = in_call.comm < record.comms.size() && record.comms[in_call.comm].merged;
  if (between || merged || rank.comm < 0) rank.awaits = Awaits::unknown;
}

LiveRank live_rank(const Placed &placed, const std::vector<int> &comm_ids, const LiveFact &fact, bool same_clock,
                   std::uint64_t now_ns) {
  const RankRecord &record = *placed.record;
  LiveRank rank;
  rank.rank = placed.rank;
  rank.since_ns = fact.unchanged_ns;
  if (!record.from_live_block || record.status == RankStatus::finalized || record.status == RankStatus::exited || !fact.alive) {
    rank.doing = Doing::gone;
    rank.end = record.status;
  } else if (fact.asking) {
    rank.doing = Doing::asking;
  } else if (!record.in_call.empty()) {
    fill_call(record, comm_ids, rank);
    auto begun_ns = record.scale.at_ns(record.in_call.front().since);
    auto now = static_cast<std::int64_t>(now_ns);
    if (same_clock && begun_ns <= now) rank.since_ns = now - begun_ns;
  }
  fill_counts(record, comm_ids, rank);
  fill_process(record, rank);
  return rank;
}

/// The communicators of one world, with those of its ranks that have a record of them.
std::vector<LiveCommunicator> communicators_of(const LiveWorld &world, const std::vector<Placed> &placed,
                                               const std::vector<std::vector<int>> &comm_ids, const Profile &profile) {
  std::map<int, LiveCommunicator> found;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    if (placed[i].world != world.id) continue;
    for (std::size_t c = 0; c < comm_ids[i].size(); ++c) {
      LiveCommunicator &comm = found[comm_ids[i][c]];
      comm.members.push_back(placed[i].rank);
      if (placed[i].record->comms[c].key != wire::comm_key_world) continue;
      comm.world = true;
      comm.members.resize(static_cast<std::size_t>(world.size));
      std::iota(comm.members.begin(), comm.members.end(), 0);
    }
  }
  std::vector<LiveCommunicator> result;
  for (auto &[id, comm] : found) {
    const CommunicatorRow &row = profile.communicators[static_cast<std::size_t>(id)];
    std::sort(comm.members.begin(), comm.members.end());
    comm.members.erase(std::unique(comm.members.begin(), comm.members.end()), comm.members.end());
    result.push_back({id, row.name, row.size, comm.world, row.remote_size > 0, std::move(comm.members)});
  }
  return result;
}

}  // namespace

std::vector<LiveWorld> live_state(const std::vector<RankRecord> &records, const std::map<std::filesystem::path, LiveFact> &facts,
                                  const std::string &boot_id, std::uint64_t now_ns) {
  Profile profile;
  const std::vector<Placed> placed = place_ranks(records, profile);
  const std::vector<std::vector<int>> comm_ids = number_communicators(placed, profile);
  std::vector<LiveWorld> worlds;
  for (const World &world : profile.worlds) {
    LiveWorld live{world.id, world.size, !world.key.empty(), {}, {}};
    for (std::size_t i = 0; i < placed.size(); ++i) {
      if (placed[i].world != world.id) continue;
      const RankRecord &record = *placed[i].record;
      auto fact = facts.find(record.source);
      bool same_clock = !boot_id.empty() && record.boot_id == boot_id;
      live.ranks.push_back(
          live_rank(placed[i], comm_ids[i], fact == facts.end() ? LiveFact{} : fact->second, same_clock, now_ns));
    }
    bool all_gone = std::all_of(live.ranks.begin(), live.ranks.end(), [](const LiveRank &r) { return r.doing == Doing::gone; });
    if (all_gone) continue;
    live.communicators = communicators_of(live, placed, comm_ids, profile);
    worlds.push_back(std::move(live));
  }
  return worlds;
}

}  // namespace scope::model
