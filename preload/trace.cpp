#include "trace.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.hpp"
#include "own_files.hpp"
#include "wire/contract.hpp"
#include "wire/mpi_calls.hpp"
#include "wire/trace_packing.hpp"

namespace scope::preload {

wire::TraceHeader *trace_block = nullptr;

namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t active_bytes = 12 * page;  // stays in the cache; a write every 2,045 events
constexpr std::uint32_t active_events = (active_bytes - sizeof(wire::TraceActiveItem)) / sizeof(wire::TraceEvent);
constexpr std::size_t keys_bytes = 3 * page;
constexpr std::uint32_t keys_in_item = (keys_bytes - sizeof(wire::TraceKeysItem)) / sizeof(wire::TraceKey);
constexpr std::size_t packed_room = sizeof(wire::TracePackedItem) + active_events * wire::most_packed_bytes + 64;

Lock lock;  // guards the file and all below
char file_path[4096];
bool full;
wire::TraceKeysItem *keys;
unsigned char *packing;  // packed_room bytes

/// Part of the file, mapped; nullptr with errno. Its place on the disk is taken first: a full disk is a refusal here, never a SIGBUS.
void *map_part(int file, std::size_t at, std::size_t bytes) {
  int error = may_reach(at + bytes) ? posix_fallocate(file, static_cast<off_t>(at), static_cast<off_t>(bytes)) : EFBIG;
  if (error != 0) {
    errno = error;
    return nullptr;
  }
  void *part = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(at));
  if (part == MAP_FAILED) return nullptr;
  madvise(part, bytes, MADV_DONTFORK);  // a child's stores must not reach the parent's timeline
  return part;
}

/// The file is open only while it grows: the program's descriptor numbers stay as they were. `action(file)` gives whether it worked,
/// with errno if not; from its first failure on the timeline is full.
template <class Action>
bool with_file(Action action) {
  int file = open(file_path, O_RDWR | O_CLOEXEC);
  bool done = file >= 0 && action(file);
  if (!done) {
    trace_block->error = errno;
    __atomic_store_n(&full, true, __ATOMIC_RELAXED);
  }
  if (file >= 0) close(file);
  return done;
}

bool has_room(std::size_t bytes) {
  if (__atomic_load_n(&full, __ATOMIC_RELAXED)) return false;
  if (trace_block->used + bytes <= trace_block->limit) return true;
  __atomic_store_n(&full, true, __ATOMIC_RELAXED);
  return false;
}

/// What follows becomes visible to readers.
void publish(std::size_t used) {
  __atomic_store_n(&trace_block->used, used, __ATOMIC_RELEASE);
  trace_block->last = clock_pair();
}

/// A mapped item of whole pages, on a page of its own. Under the lock.
wire::ItemHeader *add_mapped_item(wire::Item type, std::uint32_t thread, std::size_t bytes) {
  std::size_t used = trace_block->used, at = (used + page - 1) / page * page;
  if (!has_room(at + bytes - used)) return nullptr;
  void *part = nullptr;
  bool added = with_file([&](int file) {
    wire::ItemHeader filler{wire::item_trace_filler, 0, at - used};
    if (at > used && !write_at(file, &filler, sizeof filler, used)) return false;
    part = map_part(file, at, bytes);
    return part != nullptr;
  });
  if (!added) return nullptr;
  wire::ItemHeader *item = static_cast<wire::ItemHeader *>(part);
  *item = {type, thread, bytes};
  publish(at + bytes);
  return item;
}

/// Packs the events of a stream's area and empties it. Under the lock.
bool seal(TraceStream &stream) {
  wire::TraceActiveItem &area = *stream.area;
  wire::TracePackedItem *item = reinterpret_cast<wire::TracePackedItem *>(packing);
  unsigned char *begin = packing + sizeof *item, *at = begin;
  wire::TracePacking packer(area.first, stream.thread);
  for (std::uint32_t i = 0; i < area.count; ++i) at = packer.pack(area.events()[i], at);
  std::size_t bytes = (static_cast<std::size_t>(at - packing) + 63) / 64 * 64;
  memset(at, 0, bytes - static_cast<std::size_t>(at - packing));
  *item = {{wire::item_trace_packed, stream.thread, bytes}, area.count, static_cast<std::uint32_t>(at - begin), area.first, area.tid, 0};
  std::size_t used = trace_block->used;
  if (!has_room(bytes) || !with_file([&](int file) { return write_at(file, packing, bytes, used); })) return false;
  publish(used + bytes);
  std::uint32_t count = area.count;
  __atomic_store_n(&area.count, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&area.first, area.first + count, __ATOMIC_RELEASE);
  stream.next = area.events();
  return true;
}

bool make_area(TraceStream &stream) {
  wire::ItemHeader *item = add_mapped_item(wire::item_trace_active, stream.thread, active_bytes);
  if (!item) return false;
  stream.area = reinterpret_cast<wire::TraceActiveItem *>(item);
  stream.area->capacity = active_events;
  stream.area->first = stream.total;
  stream.next = stream.area->events();
  stream.end = stream.next + active_events;
  return true;
}

void describe(wire::TraceHeader &header, const char *run_id, wire::Holds holds, std::size_t limit) {
  memcpy(header.magic, wire::trace_magic, sizeof header.magic);
  header.version = wire::trace_version;
  header.header_bytes = sizeof header;
  header.table_hash = wire::table_hash();
  set_owner(header, run_id);
  header.holds = holds;
  header.clock = the_clock.is_tsc ? wire::ClockKind::tsc : wire::ClockKind::monotonic;
  header.first = header.last = clock_pair();
  header.limit = limit;
  header.used = wire::trace_items_at;
}

}  // namespace

void open_trace_block(const char *bytes, const char *run_dir, const char *run_id, wire::Holds holds) {
  unsigned long long limit = bytes ? strtoull(bytes, nullptr, 10) : 0;
  if (limit == 0) return;
  if (limit < wire::least_trace_limit) limit = wire::least_trace_limit;
  packing = static_cast<unsigned char *>(map_private(packed_room, true));
  if (!packing) return;
  name_process_file(file_path, sizeof file_path, run_dir, wire::trace_prefix, holds == wire::Holds::regions ? "regions-" : "calls-");
  int file = create_process_file(file_path);
  if (file < 0) return;
  void *header = map_part(file, 0, wire::trace_items_at);
  close(file);
  if (!header) {
    unlink(file_path);
    return;
  }
  trace_block = static_cast<wire::TraceHeader *>(header);
  describe(*trace_block, run_id, holds, static_cast<std::size_t>(limit));
}

void open_stream(TraceStream &stream, std::uint32_t thread) {
  if (!trace_block || thread >= wire::trace_thread_limit) return;
  Holding holding(lock);
  stream.thread = thread;
  stream.on = true;
  if (thread >= trace_block->threads) trace_block->threads = thread + 1;
  if (!stream.area && !make_area(stream)) return;
  if (stream.area->count > 0) seal(stream);  // of the thread that had the number before
  stream.area->tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
}

void trace_key(std::uint32_t entry, const wire::EntryKey &key) {
  if (!trace_block) return;
  Holding holding(lock);
  if (!keys || keys->count == keys->capacity) {
    wire::ItemHeader *item = add_mapped_item(wire::item_trace_keys, 0, keys_bytes);
    if (!item) return;
    keys = reinterpret_cast<wire::TraceKeysItem *>(item);
    keys->capacity = keys_in_item;
  }
  keys->keys()[keys->count] = {entry, 0, key};
  __atomic_store_n(&keys->count, keys->count + 1, __ATOMIC_RELEASE);
}

bool more_events(TraceStream &stream) {
  if (!stream.area || __atomic_load_n(&full, __ATOMIC_RELAXED)) return false;
  KeepErrno keep;
  Holding holding(lock);
  return seal(stream);
}

void drop_event(std::uint64_t begin) {
  __atomic_fetch_add(&trace_block->dropped, 1, __ATOMIC_RELAXED);
  std::uint64_t since = __atomic_load_n(&trace_block->full_since, __ATOMIC_RELAXED);
  while ((since == 0 || begin < since) &&
         !__atomic_compare_exchange_n(&trace_block->full_since, &since, begin, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

void refresh_trace_clock() {
  if (trace_block) trace_block->last = clock_pair();
}

}  // namespace scope::preload
