#include "timeline/assemble.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "support/error.hpp"
#include "timeline/rank_events.hpp"
#include "wire/contract.hpp"

namespace scope::timeline {
namespace {

namespace fs = std::filesystem;

/// Two pairs of clocks, each read within some 50 ns, give the scale of a rank: instants of ranks of one node agree that well.
constexpr std::int64_t same_node_error_ns = 200;

using Process = std::tuple<std::string, std::uint32_t, std::uint64_t>;

/// 73 years: what a damaged block says must not overflow.
std::int64_t within_reason(std::int64_t ns) {
  constexpr std::int64_t far = std::int64_t{1} << 61;
  return std::clamp(ns, -far, far);
}

bool is_trace_block(const fs::path &file) { return file.filename().string().starts_with(wire::trace_prefix); }

}  // namespace

std::size_t SignatureTable::Hash::operator()(const Signature &s) const {
  std::uint64_t hash = 0;
  auto mix = [&hash](std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  };
  mix(static_cast<std::uint64_t>(s.call) << 16 | static_cast<std::uint64_t>(s.request_call));
  mix(static_cast<std::uint64_t>(static_cast<std::uint32_t>(s.comm)) << 32 | static_cast<std::uint32_t>(s.peer));
  mix(static_cast<std::uint64_t>(static_cast<std::uint32_t>(s.root)) << 32 | static_cast<std::uint32_t>(s.tag));
  mix(static_cast<std::uint64_t>(s.bytes));
  mix(s.site);
  return hash;
}

std::uint32_t SignatureTable::add(const Signature &signature) {
  auto [at, is_new] = index_.try_emplace(signature, static_cast<std::uint32_t>(signatures_.size()));
  if (is_new) signatures_.push_back(signature);
  return at->second;
}

Assembler::Assembler(const std::vector<model::Placement> &placements, const model::Profile &profile, const std::vector<fs::path> &files,
                     const std::string &launcher_boot_id)
    : placements_(placements), blocks_(placements.size()), launcher_boot_id_(launcher_boot_id) {
  find_blocks(files);
  describe_clocks();
  set_clocks(relate_clocks(launcher_boot_id_, rank_clocks_));
  if (!any_) return;
  header_.run_id = profile.metadata.run_id;
  collect_regions();
  describe_ranks();
  describe_communicators(profile);
}

void Assembler::find_blocks(const std::vector<fs::path> &files) {
  std::map<Process, std::size_t> ranks;
  for (std::size_t i = 0; i < placements_.size(); ++i) {
    const model::RankRecord &record = *placements_[i].record;
    ranks[{record.host, record.pid, record.start_time}] = i;
  }
  for (const fs::path &file : files) {
    if (!is_trace_block(file)) continue;
    try {
      const TraceBlock block(file);
      auto rank = ranks.find({block.host(), block.header().pid, block.header().start_time});
      if (rank == ranks.end() || block.run_id() != placements_[rank->second].record->run_id) continue;  // its record was left out, and why is said
      const bool of_regions = block.header().holds == wire::Holds::regions;
      BlocksOfRank &blocks = blocks_[rank->second];
      (of_regions ? blocks.regions : blocks.calls) = file;
      if (!block.damage().empty()) warnings_.push_back({"timeline-damaged", block.damage() + ". The events before it are used."});
      any_ = true;
    } catch (const support::Error &error) {
      warnings_.push_back({"timeline-unreadable", std::string(error.what()) + ". The profile is exact; this rank's timeline is missing."});
    }
  }
}

/// Measurements are in the block of calls: the rank that made them speaks for its node.
void Assembler::describe_clocks() {
  for (std::size_t i = 0; i < placements_.size(); ++i) {
    const model::RankRecord &record = *placements_[i].record;
    RankClock clock{record.boot_id, record.host, record.scale.at_ns(record.scale.first_ticks), record.scale.at_ns(record.scale.last_ticks)};
    clock.real_offset_ns = static_cast<std::int64_t>(record.unix_ns) - static_cast<std::int64_t>(record.scale.first_ns);
    std::int64_t first = clock.begin_ns;
    for (const auto &file : {blocks_[i].calls, blocks_[i].regions}) {
      if (!file) continue;
      const TraceBlock block(*file);
      first = std::min(first, record.scale.at_ns(block.header().first.ticks));
      for (const wire::ClockOffset &offset : block.header().offsets)
        if (offset.at_ns != 0)
          clock.measurements.push_back({static_cast<std::int64_t>(offset.at_ns), offset.offset_ns, static_cast<std::int64_t>(offset.error_ns)});
    }
    firsts_.push_back(first);
    rank_clocks_.push_back(std::move(clock));
  }
}

void Assembler::set_clocks(Clocks clocks) {
  if (rank_clocks_.empty()) return;
  clocks_ = std::move(clocks);
  for (model::Warning &warning : clock_warnings(clocks_)) warnings_.push_back(std::move(warning));
  zero_ns_ = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t i = 0; i < firsts_.size(); ++i) zero_ns_ = std::min(zero_ns_, within_reason(clocks_.of(i).map(firsts_[i])));
}

bool Assembler::relate_by(std::vector<ClockMessage> messages) {
  for (ClockMessage &message : messages) {
    message.sent_ns = clocks_.of(message.from).map.back(message.sent_ns + zero_ns_);
    message.received_ns = clocks_.of(message.to).map.back(message.received_ns + zero_ns_);
  }
  Clocks clocks = relate_clocks(launcher_boot_id_, rank_clocks_, messages);
  auto by_messages = [](const NodeClock &node) { return node.source == ClockSource::messages; };
  if (std::none_of(clocks.nodes.begin(), clocks.nodes.end(), by_messages)) return false;
  // What is said anew, or not any more.
  std::erase_if(warnings_, [](const model::Warning &warning) { return warning.id.starts_with("clock") || warning.id == "timeline-stopped"; });
  set_clocks(std::move(clocks));
  header_.ranks.clear();
  describe_ranks();
  return true;
}

std::int64_t Assembler::common_ns(std::size_t rank, std::int64_t monotonic_ns) const {
  return within_reason(clocks_.of(static_cast<std::uint32_t>(rank)).map(monotonic_ns)) - zero_ns_;
}

void Assembler::collect_regions() {
  std::map<std::string, std::uint32_t> numbers;
  for (const model::Placement &placement : placements_) {
    std::vector<std::uint32_t> &own = region_numbers_.emplace_back();
    for (std::string &path : model::region_paths(*placement.record)) {
      auto [at, is_new] = numbers.try_emplace(path, static_cast<std::uint32_t>(header_.regions.size()));
      if (is_new) header_.regions.push_back(std::move(path));
      own.push_back(at->second);
    }
  }
}

void Assembler::describe_ranks() {
  std::map<int, std::vector<int>> stopped;  // by errno
  for (std::size_t i = 0; i < placements_.size(); ++i) {
    const model::RankRecord &record = *placements_[i].record;
    RankInfo info;
    info.world = placements_[i].world;
    info.rank = placements_[i].rank;
    info.host = record.host;
    info.recorded = blocks_[i].calls || blocks_[i].regions;
    info.clock_error = clocks_.of(static_cast<std::uint32_t>(i)).error_ns + same_node_error_ns;
    auto instant = [&](std::uint64_t ticks) { return common_ns(i, record.scale.at_ns(ticks)); };
    info.begin = instant(record.begin != 0 ? record.begin : record.scale.first_ticks);
    info.end = std::max(info.begin, instant(record.end != 0 ? record.end : record.last_seen));
    info.from = info.to = info.end;
    std::set<std::uint32_t> tids;
    for (const auto &file : {blocks_[i].calls, blocks_[i].regions}) {
      if (!file) continue;
      const TraceBlock block(*file);
      const wire::TraceHeader &header = block.header();
      info.from = std::min(info.from, instant(header.first.ticks));
      if (header.full_since != 0) info.to = std::min(info.to, instant(header.full_since));
      info.dropped += header.dropped;
      for (const Segment &segment : block.segments()) tids.insert(segment.tid);
      if (header.error != 0) stopped[header.error].push_back(info.rank);
    }
    info.to = std::max(info.to, info.from);
    info.threads = std::max<std::uint32_t>(static_cast<std::uint32_t>(tids.size()), 1);
    header_.ranks.push_back(std::move(info));
    if (i == 0) header_.start_unix_ns = static_cast<std::int64_t>(record.unix_ns) - instant(record.scale.first_ticks);
  }
  for (const auto &[error, ranks] : stopped)
    warnings_.push_back({"timeline-stopped", "Timelines end early, of " + model::rank_words(ranks) + ": " + support::errno_text(error) +
                                                 " in the run directory. Make room there, or write elsewhere with -o."});
}

void Assembler::describe_communicators(const model::Profile &profile) {
  for (const model::CommunicatorRow &row : profile.communicators) {
    Communicator communicator{row.id, row.world, row.size, row.remote_size, {}};
    if (row.remote_size == 0 && !row.merged && row.size > 0 && row.size <= (1 << 22))
      communicator.members.assign(static_cast<std::size_t>(row.size), -1);
    header_.communicators.push_back(std::move(communicator));
  }
  for (const model::Placement &placement : placements_) {
    for (std::size_t i = 0; i < placement.comm_ids.size(); ++i) {
      const int id = placement.comm_ids[i], rank = placement.record->comms[i].rank;
      if (id < 0 || static_cast<std::size_t>(id) >= header_.communicators.size()) continue;
      auto &members = header_.communicators[static_cast<std::size_t>(id)].members;
      if (rank >= 0 && static_cast<std::size_t>(rank) < members.size()) members[static_cast<std::size_t>(rank)] = placement.rank;
    }
  }
}

std::vector<Event> Assembler::events_of(std::size_t rank) {
  const model::RankRecord &record = *placements_[rank].record;
  RankEvents events(placements_[rank], region_numbers_[rank], signatures_,
                    [&](std::uint64_t ticks) { return common_ns(rank, record.scale.at_ns(ticks)); });
  if (blocks_[rank].calls) events.add_calls(TraceBlock(*blocks_[rank].calls));
  if (blocks_[rank].regions) events.add_regions(TraceBlock(*blocks_[rank].regions));
  return events.take();
}

}  // namespace scope::timeline
