#pragma once
// Live blocks made by hand, as the recorder would lay them out, and open to any damage: the bytes are a string.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "wire/live_block.hpp"
#include "wire/mpi_calls.hpp"

namespace scope::test {

inline constexpr auto no_call = static_cast<std::uint16_t>(wire::Call::none);
inline constexpr std::uint64_t no_minimum = ~std::uint64_t{0};

inline std::uint16_t id(wire::Call call) { return static_cast<std::uint16_t>(call); }

template <std::size_t size>
void set_text(char (&field)[size], const std::string &text) {
  std::memset(field, 0, size);
  std::memcpy(field, text.data(), std::min(size, text.size()));
}

/// Rank 1 of 4 that is running: 2 ns a tick, begun at tick 1000, last seen at tick 51000.
inline wire::Header sample_header() {
  wire::Header header{};
  std::memcpy(header.magic, wire::live_magic, sizeof header.magic);
  header.version = wire::live_version;
  header.header_bytes = sizeof(wire::Header);
  header.table_hash = wire::table_hash();
  set_text(header.run_id, "run-1");
  set_text(header.host, "node1");
  set_text(header.boot_id, "boot-1");
  set_text(header.executable, "/opt/sim");
  set_text(header.library, "Open MPI v4.1.4");
  set_text(header.world_key, "w0");
  header.start_time = 77;
  header.pid = 4711;
  header.family = wire::Family::open_mpi;
  header.rank = 1;
  header.size = 4;
  header.standard_major = 3;
  header.standard_minor = 1;
  header.thread_level = 0;
  header.state = wire::State::running;
  header.clock = wire::ClockKind::tsc;
  header.unix_ns = 1700000000000000000u;
  header.first = {900, 5000};
  header.last = {51000, 105200};
  header.begin = 1000;
  header.cost_ticks_x256 = 256 * 25 + 128;
  return header;
}

inline wire::Entry entry(wire::Call call, std::uint64_t calls, std::uint64_t total, std::uint64_t min, std::uint64_t max) {
  wire::Entry entry{};
  entry.key = {id(call), no_call, wire::none_comm, wire::none, wire::none, wire::none, 0, wire::none};
  entry.calls = calls;
  entry.total = total;
  entry.min = min;
  entry.max = max;
  entry.sum_sq.low = total * total;
  return entry;
}

struct LiveBlockBuilder {
  std::string bytes;

  explicit LiveBlockBuilder(const wire::Header &header = sample_header()) : bytes((sizeof header + 63) / 64 * 64, '\0') {
    put(0, header);
    set_used();
  }

  /// Offset of a new item with `count` records behind it.
  template <class Item, class Record = char>
  std::size_t add(const Item &content, wire::Item type, std::uint32_t thread, const std::vector<Record> &records = {}) {
    std::size_t offset = bytes.size();
    Item item = content;
    std::size_t size = (sizeof item + records.size() * sizeof(Record) + 63) / 64 * 64;
    item.header = {type, thread, size};
    bytes.resize(offset + size);
    put(offset, item);
    for (std::size_t i = 0; i < records.size(); ++i) put(offset + sizeof item + i * sizeof(Record), records[i]);
    set_used();
    return offset;
  }

  std::size_t add_thread(std::uint32_t number, const wire::ThreadItem &item) {
    return add(item, wire::Item::thread, number);
  }

  std::size_t add_entries(std::uint32_t thread, const std::vector<wire::Entry> &entries) {
    wire::EntriesItem item{};
    item.count = item.capacity = static_cast<std::uint32_t>(entries.size());
    return add(item, wire::Item::entries, thread, entries);
  }

  std::size_t add_stats(std::uint32_t thread, const wire::CallStatsItem &stats) {
    return add(stats, wire::Item::call_stats, thread);
  }

  std::size_t add_comms(std::uint32_t first, const std::vector<wire::CommRecord> &records) {
    wire::CommsItem item{};
    item.first = first;
    item.count = item.capacity = static_cast<std::uint32_t>(records.size());
    return add(item, wire::Item::comms, 0, records);
  }

  template <class Part>
  void put(std::size_t offset, const Part &part) {
    std::memcpy(bytes.data() + offset, static_cast<const void *>(&part), sizeof part);
  }

  /// Everything there is counts as written.
  void set_used() { put(offsetof(wire::Header, used), static_cast<std::uint64_t>(bytes.size())); }
};

inline wire::ThreadItem idle_thread(std::uint64_t mpi_ticks) {
  wire::ThreadItem item{};
  item.mpi_ticks = mpi_ticks;
  item.current = {no_call, no_call, wire::none_comm, wire::none, wire::none, wire::none, 0, 0, 0};
  return item;
}

inline wire::CommRecord communicator(std::uint64_t key, int size, const std::string &name) {
  wire::CommRecord record{};
  record.key = key;
  record.size = size;
  set_text(record.name, name);
  return record;
}

/// The histogram of calls whose entries were found: they have no other part in the statistics.
inline wire::CallStatsItem stats(wire::Call call, const std::vector<std::uint64_t> &durations) {
  wire::CallStatsItem item{};
  item.call = id(call);
  item.min = no_minimum;
  for (std::uint64_t duration : durations) item.note(duration);
  return item;
}

/// The same of calls that found no memory for an entry.
inline wire::CallStatsItem lost(wire::Call call, const std::vector<std::uint64_t> &durations) {
  wire::CallStatsItem item = stats(call, durations);
  for (std::uint64_t duration : durations) {
    ++item.calls;
    item.total += duration;
    item.min = std::min(item.min, duration);
    item.max = std::max(item.max, duration);
    item.sum_sq.add(duration);
  }
  return item;
}

}  // namespace scope::test
