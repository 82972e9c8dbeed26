// Live blocks: lib/wire/live_block.hpp. The writer may have died in the middle of an update and the file may be damaged, so
// everything is copied out of it with its bounds checked, and never pointed into.

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "model/live_block_parts.hpp"
#include "support/files.hpp"
#include "wire/mpi_calls.hpp"
#include "wire/region_block.hpp"

namespace scope::model {
namespace {

constexpr std::size_t rounded_up(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

std::string call_name(const Block &block, std::uint16_t id, std::size_t offset) {
  if (id >= wire::call_count) block.fail(offset, "call number " + std::to_string(id) + " is not in the table of MPI procedures");
  return wire::calls[id].name;
}

/// "" for Call::none.
std::string request_name(const Block &block, std::uint16_t id, std::size_t offset) {
  return id == static_cast<std::uint16_t>(wire::Call::none) ? "" : call_name(block, id, offset);
}

wire::Header checked_header(const Block &block) {
  if (block.bytes.empty()) throw support::Error(block.name + ": is empty");
  // The magic is written first, `used` last.
  bool unmade = block.bytes.find_first_not_of('\0') == std::string::npos;
  if (unmade) throw support::Error(block.name + ": holds nothing yet: its process ended while it made the file");
  if (!std::string_view(block.bytes).starts_with(std::string_view(wire::live_magic, sizeof wire::live_magic)))
    throw support::Error(block.name + ": is no live block of scope-profiler (wrong magic)");
  auto version = block.copy<std::uint32_t>(offsetof(wire::Header, version));
  if (version != wire::live_version)
    throw support::Error(block.name + ": is a live block of version " + std::to_string(version) +
                         ", this scope-profiler reads version " + std::to_string(wire::live_version) +
                         "; use the scope-profiler that wrote it");
  auto header = block.copy<wire::Header>(0);
  if (header.table_hash != wire::table_hash() || header.header_bytes != sizeof(wire::Header))
    throw support::Error(block.name + ": was written by another build of scope-profiler; use that one to read it");
  if (header.used > block.bytes.size())
    throw support::Error(block.name + ": is truncated: it says that " + std::to_string(header.used) +
                         " bytes are in use, but has " + std::to_string(block.bytes.size()));
  if (header.used < sizeof(wire::Header)) block.fail(offsetof(wire::Header, used), "less is in use than the header takes");
  if (header.state > wire::State::aborted) block.fail(offsetof(wire::Header, state), "the state is none");
  if (header.size < wire::none || header.size > largest_world || header.rank < wire::none)
    block.fail(offsetof(wire::Header, rank),
               "rank " + std::to_string(header.rank) + " of " + std::to_string(header.size) + " is none");
  return header;
}

std::size_t smallest_item(const Block &block, const ItemAt &item) {
  switch (item.header.type) {
    case wire::Item::thread: return sizeof(wire::ThreadItem);
    case wire::Item::entries: return sizeof(wire::EntriesItem);
    case wire::Item::call_stats: return sizeof(wire::CallStatsItem);
    case wire::Item::comms: return sizeof(wire::CommsItem);
    case wire::Item::modules:
    case wire::Item::frames:
    case wire::Item::sites:
    case wire::Item::region_names:
    case wire::Item::regions: return sizeof(wire::RecordsItem<wire::SiteRecord>);
    case wire::Item::region_counts: return sizeof(wire::RegionCountsItem);
  }
  block.fail(item.offset, "item type " + std::to_string(static_cast<std::uint32_t>(item.header.type)) + " is unknown");
}

/// The chain of items. Every step goes forward, so it ends.
std::vector<ItemAt> items_of(const Block &block, const wire::Header &header) {
  std::vector<ItemAt> items;
  std::size_t used = header.used;
  for (std::size_t offset = rounded_up(sizeof(wire::Header)); offset < used;) {
    if (used - offset < sizeof(wire::ItemHeader)) block.fail(offset, "an item does not fit into what is in use");
    ItemAt item{offset, block.copy<wire::ItemHeader>(offset)};
    std::uint64_t bytes = item.header.bytes;
    if (bytes < smallest_item(block, item) || bytes % 64 != 0 || bytes > used - offset)
      block.fail(offset, "an item of " + std::to_string(bytes) +
                             " bytes is too small, no multiple of 64 or does not fit into what is in use");
    items.push_back(item);
    offset += bytes;
  }
  return items;
}

void fill_head(const wire::Header &header, RankRecord &record) {
  record.run_id = text_of(header.run_id);
  record.host = text_of(header.host);
  record.boot_id = text_of(header.boot_id);
  record.executable = text_of(header.executable);
  record.library = text_of(header.library);
  record.world_key = text_of(header.world_key);
  record.parent_key = text_of(header.parent_key);
  record.family = "unknown";
  if (header.family == wire::Family::open_mpi) record.family = "openmpi";
  if (header.family == wire::Family::mpich) record.family = "mpich";
  record.standard_major = header.standard_major;
  record.standard_minor = header.standard_minor;
  record.thread_level = header.thread_level;
  // A rank that dies inside MPI_Init may have stored its rank and not yet the size.
  if (header.rank < header.size) {
    record.rank = header.rank;
    record.size = header.size;
  }
  record.pid = header.pid;
  record.start_time = header.start_time;
  record.abort_code = header.abort_code;
  record.clock = header.clock == wire::ClockKind::tsc ? "tsc" : "monotonic";
  record.scale = {header.first.ticks, header.first.monotonic_ns, header.last.ticks, header.last.monotonic_ns};
  record.unix_ns = header.unix_ns;
  record.begin = header.begin;
  record.end = header.end < header.begin ? 0 : header.end;
  record.cpu_ns = clamped(header.cpu_ns);
  record.max_rss_bytes = clamped(header.max_rss_bytes);
  record.cost_ticks = static_cast<double>(clamped(header.cost_ticks_x256)) / 256;
  record.untracked_requests = clamped(header.untracked_requests);
  record.lost_entries = clamped(header.lost_entries);
  record.abandoned = clamped(header.abandoned);
  record.folded = {clamped(header.folded.tags), clamped(header.folded.bytes), clamped(header.folded.peers),
                   clamped(header.folded.communicators), clamped(header.folded.sites)};
  record.callsites.depth = static_cast<int>(std::min(header.site_depth, wire::site_depth_limit));
  record.callsites.foreign_python = text_of(header.foreign_python);
  switch (header.state) {
    case wire::State::finalized: record.status = RankStatus::finalized; break;
    case wire::State::exited: record.status = RankStatus::exited; break;
    case wire::State::aborted: record.status = RankStatus::aborted; break;
    default: record.status = RankStatus::recovered;
  }
}

void read_comms(const Block &block, const std::vector<ItemAt> &items, RankRecord &record) {
  for (const ItemAt &item : items) {
    if (item.header.type != wire::Item::comms) continue;
    auto comms = block.copy<wire::CommsItem>(item.offset);
    std::size_t fits = (item.header.bytes - sizeof comms) / sizeof(wire::CommRecord);
    std::size_t count = std::min<std::size_t>({comms.count, comms.capacity, fits});
    if (comms.first != record.comms.size())
      block.fail(item.offset, "communicators from number " + std::to_string(comms.first) + " on follow " +
                                  std::to_string(record.comms.size()) + " of them");
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t offset = item.offset + sizeof comms + i * sizeof(wire::CommRecord);
      auto comm = block.copy<wire::CommRecord>(offset);
      if (comm.size < 0 || comm.remote_size < 0) block.fail(offset, "a communicator has a negative size");
      record.comms.push_back({comm.key, text_of(comm.name), comm.size, comm.remote_size, comm.foreign != 0, comm.merged != 0, std::max(comm.rank_plus_1 - 1, -1)});
    }
  }
}

std::string build_id_text(const wire::ModuleRecord &module) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(module.build_id_bytes, sizeof module.build_id); ++i)
    text += {digits[module.build_id[i] >> 4], digits[module.build_id[i] & 15]};
  return text;
}

void read_callsites(const Block &block, const std::vector<ItemAt> &items, CallSites &callsites) {
  auto modules = read_records<wire::ModuleRecord>(block, items, wire::Item::modules);
  for (const auto &frame : read_records<wire::FrameRecord>(block, items, wire::Item::frames)) {
    CodeFrame &one = callsites.frames.emplace_back();
    if (frame.module < modules.size()) {
      const wire::ModuleRecord &module = modules[frame.module];
      one.module = text_of(module.path);
      one.build_id = build_id_text(module);
      one.python = module.python != 0;
    }
    one.offset = std::min<std::uint64_t>(frame.offset, std::numeric_limits<std::int64_t>::max());
    one.function = text_of(frame.function);
  }
  for (const auto &site : read_records<wire::SiteRecord>(block, items, wire::Item::sites)) {
    auto &one = callsites.sites.emplace_back();
    for (std::uint32_t i = 0; i < std::min(site.count, wire::site_depth_limit); ++i)
      if (site.frames[i] < callsites.frames.size()) one.push_back(site.frames[i]);
  }
}

/// What names no site that is there is counted as one of the others.
std::uint32_t checked_site(std::uint32_t site, const RankRecord &record) {
  return site <= record.callsites.sites.size() ? site : wire::site_other;
}

std::uint32_t checked_comm(const Block &block, std::uint32_t comm, const RankRecord &record, std::size_t offset) {
  if (comm != wire::none_comm && comm >= record.comms.size())
    block.fail(offset, "communicator " + std::to_string(comm) + " is none of the " + std::to_string(record.comms.size()) +
                           " known");
  return comm;
}

/// The minimum of what has no duration yet: calls that were all left by an exception.
constexpr std::uint64_t no_minimum = ~std::uint64_t{0};

/// Adds the counts of `from`, an Entry or a CallStatsItem, to a row of the record. `first`: nothing was added to it yet.
template <class Row, class From>
void add_counted(Row &row, const From &from, bool first) {
  add_to(row.calls, clamped(from.calls));
  add_to(row.errors, clamped(from.errors));
  add_to(row.total, clamped(from.total));
  add_to(row.bytes_sent, clamped(from.bytes_sent));
  add_to(row.bytes_received, clamped(from.bytes_received));
  row.sum_sq += from.sum_sq.value();
  row.min = first ? no_minimum : row.min;
  if (from.min == no_minimum) return;
  // A rank may die between the updates of the two.
  std::uint64_t max = clamped(from.max);
  row.min = std::min({row.min, from.min, max});
  row.max = std::max(row.max, max);
}

/// Sorted by key; the same key of several threads is one signature.
void read_signatures(const Block &block, const std::vector<ItemAt> &items, RankRecord &record) {
  using Key = std::tuple<std::uint16_t, std::uint16_t, std::uint32_t, int, int, int, std::int64_t, std::uint32_t>;
  std::map<Key, Signature> signatures;
  for (const ItemAt &item : items) {
    if (item.header.type != wire::Item::entries) continue;
    auto entries = block.copy<wire::EntriesItem>(item.offset);
    std::size_t fits = (item.header.bytes - sizeof entries) / sizeof(wire::Entry);
    std::size_t count = std::min<std::size_t>({entries.count, entries.capacity, fits});
    for (std::size_t i = 0; i < count; ++i) {
      std::size_t offset = item.offset + sizeof entries + i * sizeof(wire::Entry);
      auto entry = block.copy<wire::Entry>(offset);
      if (entry.calls == 0 && entry.completions == 0) continue;
      const wire::EntryKey &key = entry.key;
      auto [at, is_new] =
          signatures.try_emplace({key.call, key.request_call, key.comm, key.peer, key.root, key.tag, key.bytes, key.site});
      Signature &signature = at->second;
      if (is_new) {
        signature.call = call_name(block, key.call, offset);
        signature.request_call = request_name(block, key.request_call, offset);
        signature.comm = checked_comm(block, key.comm, record, offset);
        signature.peer = std::max(key.peer, wire::folded);
        signature.root = key.root;
        signature.tag = std::max(key.tag, wire::folded);
        signature.bytes = std::clamp<std::int64_t>(key.bytes, -1, largest_count);
        signature.site = checked_site(key.site, record);
      }
      add_counted(signature, entry, is_new);
      add_to(signature.completions, clamped(entry.completions));
    }
  }
  for (auto &[key, signature] : signatures) {
    if (signature.min == no_minimum) signature.min = 0;
    record.signatures.push_back(std::move(signature));
  }
}

/// A procedure's figures are the sums over its entries; its items hold the histogram, and what found no memory for an entry.
void read_calls(const Block &block, const std::vector<ItemAt> &items, RankRecord &record) {
  std::map<std::string, CallStats> calls;
  auto row = [&calls](const std::string &name) -> CallStats & {
    auto [at, is_new] = calls.try_emplace(name);
    if (is_new) {
      at->second.name = name;
      at->second.min = no_minimum;
      at->second.histogram.resize(wire::histogram_buckets);
    }
    return at->second;
  };
  for (const Signature &signature : record.signatures) {
    CallStats &call = row(signature.call);
    add_to(call.calls, signature.calls);
    add_to(call.errors, signature.errors);
    add_to(call.total, signature.total);
    add_to(call.bytes_sent, signature.bytes_sent);
    add_to(call.bytes_received, signature.bytes_received);
    call.sum_sq += signature.sum_sq;
    call.min = std::min(call.min, signature.min);
    call.max = std::max(call.max, signature.max);
  }
  for (const ItemAt &item : items) {
    if (item.header.type != wire::Item::call_stats) continue;
    auto stats = block.copy<wire::CallStatsItem>(item.offset);
    CallStats &call = row(call_name(block, stats.call, item.offset));
    if (stats.calls) add_counted(call, stats, false);
    for (std::size_t i = 0; i < call.histogram.size(); ++i) add_to(call.histogram[i], clamped(stats.calls_in(static_cast<int>(i))));
  }
  for (auto &[name, call] : calls) {
    if (call.calls == 0) continue;
    if (call.min == no_minimum) call.min = 0;
    record.calls.push_back(std::move(call));
  }
}

/// Intervals that wait to be added to the union: the last of the ring that are between its tail and its head.
void pending_intervals(const wire::ThreadItem &thread, std::vector<wire::Interval> &pending) {
  std::uint32_t count = std::min(thread.interval_head - thread.interval_tail, wire::interval_count);
  for (std::uint32_t i = thread.interval_head - count; i != thread.interval_head; ++i) {
    const wire::Interval &interval = thread.intervals[i % wire::interval_count];
    if (interval.begin <= interval.end) pending.push_back(interval);
  }
}

std::uint64_t union_of(std::vector<wire::Interval> intervals, std::uint64_t after) {
  std::sort(intervals.begin(), intervals.end(), [](const auto &a, const auto &b) { return a.begin < b.begin; });
  std::uint64_t total = 0;
  for (const wire::Interval &interval : intervals) {
    std::uint64_t begin = std::max(interval.begin, after);
    if (interval.end <= begin) continue;
    add_to(total, interval.end - begin);
    after = interval.end;
  }
  return total;
}

void read_threads(const Block &block, const std::vector<ItemAt> &items, const wire::Header &header, RankRecord &record) {
  std::vector<wire::Interval> pending;
  std::uint64_t sum = 0;
  record.threads = 0;
  record.last_seen = std::max(header.last.ticks, header.begin);
  for (const ItemAt &item : items) {
    if (item.header.type != wire::Item::thread) continue;
    auto thread = block.copy<wire::ThreadItem>(item.offset);
    ++record.threads;
    add_to(sum, clamped(thread.mpi_ticks));
    std::size_t before = pending.size();
    pending_intervals(thread, pending);
    for (std::size_t i = before; i < pending.size(); ++i) record.last_seen = std::max(record.last_seen, pending[i].end);
    const wire::Current &current = thread.current;
    record.last_seen = std::max({record.last_seen, current.since, thread.last_end});
    if (current.call == static_cast<std::uint16_t>(wire::Call::none)) continue;
    std::string call = call_name(block, current.call, item.offset + offsetof(wire::ThreadItem, current));
    if (record.status == RankStatus::finalized) continue;
    // Its fields are stored one by one: what makes no sense is left out, not refused.
    std::uint32_t comm = current.comm < record.comms.size() ? current.comm : wire::none_comm;
    record.in_call.push_back({call, current.peer, current.tag, std::max<std::int64_t>(current.bytes, -1), comm, current.since,
                              current.request_call < wire::call_count ? wire::calls[current.request_call].name : "",
                              checked_site(current.site, record)});
  }
  if (record.end != 0) record.last_seen = record.end;
  record.mpi_ticks = sum;
  if (header.union_until == 0) return;
  record.mpi_ticks = clamped(header.mpi_union);
  add_to(record.mpi_ticks, union_of(std::move(pending), header.union_until));
}

}  // namespace

RankRecord read_live_block(const std::filesystem::path &file) {
  const Block block{file.string(), support::read_file(file, largest_rank_file)};
  const wire::Header header = checked_header(block);
  const std::vector<ItemAt> items = items_of(block, header);
  RankRecord record;
  record.source = file;
  record.from_live_block = true;
  fill_head(header, record);
  if (header.holds == wire::Holds::regions) {
    read_regions(block, items, header, record);
    return record;
  }
  read_comms(block, items, record);
  read_callsites(block, items, record.callsites);
  read_threads(block, items, header, record);
  read_signatures(block, items, record);
  read_calls(block, items, record);
  return record;
}

}  // namespace scope::model
