#include "model/live_progress.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "model/call_table.hpp"
#include "wire/live_block.hpp"
#include "wire/mpi_calls.hpp"

namespace scope::model {
namespace {

/// Copies parts of the file out; the writer goes on meanwhile.
class Reader {
 public:
  explicit Reader(const std::filesystem::path &file) : fd_(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) {}
  ~Reader() {
    if (fd_ >= 0) close(fd_);
  }
  Reader(const Reader &) = delete;
  Reader &operator=(const Reader &) = delete;

  bool get(void *to, std::size_t bytes, std::uint64_t offset) const {
    return fd_ >= 0 && pread(fd_, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
  }

 private:
  int fd_;
};

std::optional<std::uint64_t> used_bytes(const Reader &reader) {
  struct Start {
    char magic[sizeof wire::live_magic];
    std::uint32_t version, header_bytes;
    std::uint64_t table_hash;
  } start{};
  std::uint64_t used = 0;
  if (!reader.get(&start, sizeof start, 0) || !reader.get(&used, sizeof used, offsetof(wire::Header, used))) return std::nullopt;
  bool ours = std::equal(start.magic, start.magic + sizeof start.magic, wire::live_magic) &&
              start.version == wire::live_version && start.header_bytes == sizeof(wire::Header) &&
              start.table_hash == wire::table_hash();
  return ours ? std::optional(used) : std::nullopt;
}

/// Calls `visit(offset, header)` for every item; false where the chain makes no sense.
template <class Visit>
bool each_item(const Reader &reader, std::uint64_t used, Visit visit) {
  for (std::uint64_t offset = (sizeof(wire::Header) + 63) / 64 * 64; offset < used;) {
    wire::ItemHeader item{};
    if (!reader.get(&item, sizeof item, offset)) return false;
    if (item.bytes < sizeof item || item.bytes % 64 != 0 || item.bytes > used - offset) return false;
    if (!visit(offset, item)) return false;
    offset += item.bytes;
  }
  return true;
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) { return (hash ^ value) * 1099511628211ull + (hash >> 29); }

bool merely_asks(std::uint16_t call) { return call < wire::call_count && only_asks(wire::calls[call]); }

bool add_entries(const Reader &reader, std::uint64_t offset, const wire::ItemHeader &item, std::uint64_t &work) {
  wire::EntriesItem head{};
  if (item.bytes < sizeof head || !reader.get(&head, sizeof head, offset)) return false;
  std::size_t fits = (item.bytes - sizeof head) / sizeof(wire::Entry);
  std::size_t count = std::min<std::size_t>({head.count, head.capacity, fits});
  std::vector<wire::Entry> entries(count);
  if (count && !reader.get(entries.data(), count * sizeof(wire::Entry), offset + sizeof head)) return false;
  for (const wire::Entry &entry : entries) work += entry.completions + (merely_asks(entry.key.call) ? 0 : entry.calls);
  return true;
}

}  // namespace

std::optional<LiveProgress> read_live_progress(const std::filesystem::path &file) {
  Reader reader(file);
  auto used = used_bytes(reader);
  if (!used) return std::nullopt;
  LiveProgress progress;
  auto visit = [&](std::uint64_t offset, const wire::ItemHeader &item) {
    if (item.type != wire::Item::thread) return true;
    wire::ThreadItem thread{};  // without its intervals, the larger part
    if (!reader.get(&thread, offsetof(wire::ThreadItem, interval_head), offset)) return false;
    progress.mpi_ticks += thread.mpi_ticks;
    progress.position = mixed(mixed(mixed(progress.position, thread.mpi_ticks), thread.current.since), thread.current.call);
    bool inside = thread.current.call != static_cast<std::uint16_t>(wire::Call::none);
    progress.in_work = progress.in_work || (inside && !merely_asks(thread.current.call));
    return true;
  };
  if (!each_item(reader, *used, visit)) return std::nullopt;
  return progress;
}

std::optional<std::uint64_t> read_live_work(const std::filesystem::path &file) {
  Reader reader(file);
  auto used = used_bytes(reader);
  if (!used) return std::nullopt;
  std::uint64_t work = 0;
  auto visit = [&](std::uint64_t offset, const wire::ItemHeader &item) {
    if (item.type == wire::Item::entries) return add_entries(reader, offset, item, work);
    if (item.type != wire::Item::call_stats) return true;
    wire::CallStatsItem stats{};  // its counts are those that found no memory for an entry
    if (item.bytes < sizeof stats || !reader.get(&stats, offsetof(wire::CallStatsItem, histogram), offset)) return false;
    if (!merely_asks(stats.call)) work += stats.calls;
    return true;
  };
  if (!each_item(reader, *used, visit)) return std::nullopt;
  return work;
}

}  // namespace scope::model
