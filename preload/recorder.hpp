#pragma once
// Counting: threads, entries, statistics of calls, and the time that a rank is inside MPI. Knows neither MPI nor the names
// that the shim exports, so that tests link it directly.

#include <cstddef>
#include <cstdint>

#include "live_block.hpp"
#include "memory.hpp"
#include "wire/mpi_calls.hpp"

namespace scope::preload {

using Word = std::uintptr_t;  ///< an argument: every MPI handle, int and pointer fits

struct Communicator;  // communicators.hpp

struct CallSlot {
  wire::Entry *last;           ///< the entry that this call used last, most often the one it needs again
  wire::CallStatsItem *stats;
};

struct SizeSlot {
  Word datatype;
  std::uint32_t epoch;
  std::int64_t bytes;
};
struct CommSlot {
  Word handle;
  std::uint32_t epoch;
  Communicator *comm;
};

/// What one thread of the program needs to record. Slots are handed on when threads end; nothing grows with their number,
/// only with how many there are at once.
struct Thread {
  std::uintptr_t guard;   ///< frame of the outermost call that is in progress, 0 outside: calls below it are nested
  const std::uint64_t *cookie_place;  ///< where that frame keeps `cookie`: gone when it was left by longjmp or an exception
  std::uint64_t cookie;
  wire::ThreadItem *item;
  std::uint32_t number;
  std::uint32_t index_size;     ///< slots of `index`, a power of two
  std::uint32_t entry_count;
  std::uint32_t *index;         ///< open addressing: (offset of an entry in the live block) / 16, 0 empty
  wire::EntriesItem *entries;   ///< where new entries go
  CallSlot calls[wire::call_count];
  SizeSlot sizes[64];
  CommSlot comms[16];
  char *scratch;
  std::size_t scratch_bytes;
  Thread *next;
  Thread *next_free;
};

extern Lock state_lock;        ///< guards threads, the live block's items, communicators
extern bool many_threads;      ///< more than one thread has called MPI
extern bool paused;            ///< MPI_Pcontrol(0)
extern bool multiple;          ///< MPI_THREAD_MULTIPLE: threads may be in our tables at the same time

/// Opens the live block (see there) and the recorder. `max_entries` bounds the entries of all threads together.
bool start_recorder(const char *run_dir, const char *run_id, std::uint32_t max_entries);

/// A slot for the calling thread, nullptr without memory.
Thread *acquire_thread();
void release_thread(Thread *thread);

/// One call's observation.
struct Note {
  wire::EntryKey key;
  std::uint64_t duration;      ///< ticks
  std::uint64_t calls;         ///< 1, or 0 for the further requests of a wait
  std::uint64_t completions;
  std::uint64_t sent, received;
  bool error;
};

constexpr wire::EntryKey make_key(wire::Call call, std::uint32_t comm) {
  return {static_cast<std::uint16_t>(call), static_cast<std::uint16_t>(wire::Call::none), comm, wire::none, wire::none, wire::none, 0,
          wire::none};
}

/// Finds or makes the entry of a key, folding when the bound is near; nullptr when there is no memory left.
wire::Entry *find_entry(Thread &thread, const wire::EntryKey &key);
wire::CallStatsItem *make_stats(Thread &thread, wire::Call call);

inline bool same(const wire::EntryKey &a, const wire::EntryKey &b) {
  return a.call == b.call && a.request_call == b.request_call && a.comm == b.comm && a.peer == b.peer && a.root == b.root && a.tag == b.tag &&
         a.bytes == b.bytes;
}

/// Adds an observation to its entry.
inline void note_entry(Thread &thread, const Note &note) {
  CallSlot &slot = thread.calls[note.key.call];
  wire::Entry *entry = slot.last;
  if (__builtin_expect(!entry || !same(entry->key, note.key), false)) {
    entry = find_entry(thread, note.key);
    if (!entry) {
      ++live->lost_entries;
      return;
    }
    slot.last = same(entry->key, note.key) ? entry : nullptr;
  }
  entry->total += note.duration;
  if (note.duration < entry->min) entry->min = note.duration;
  if (note.duration > entry->max) entry->max = note.duration;
  entry->sum_sq.add(note.duration);
  entry->bytes_sent += note.sent;
  entry->bytes_received += note.received;
  entry->completions += note.completions;
  entry->errors += note.error;
  entry->calls += note.calls;
}

/// Adds a whole call to the statistics of its procedure: `sent` and `received` are the sums over its entries.
inline void note_call(Thread &thread, wire::Call call, std::uint64_t duration, std::uint64_t sent, std::uint64_t received, bool error) {
  wire::CallStatsItem *stats = thread.calls[static_cast<int>(call)].stats;
  if (__builtin_expect(!stats, false)) {
    stats = make_stats(thread, call);
    if (!stats) return;
  }
  stats->total += duration;
  if (duration < stats->min) stats->min = duration;
  if (duration > stats->max) stats->max = duration;
  stats->sum_sq.add(duration);
  stats->bytes_sent += sent;
  stats->bytes_received += received;
  stats->errors += error;
  ++stats->histogram[wire::histogram_bucket(duration)];
  ++stats->calls;
}

void push_interval(Thread &thread, std::uint64_t begin, std::uint64_t end);

/// Adds the time of an outermost call to the rank's time inside MPI.
inline void note_time(Thread &thread, std::uint64_t begin, std::uint64_t end) {
  thread.item->mpi_ticks += end - begin;
  if (__builtin_expect(many_threads, false)) push_interval(thread, begin, end);
}

/// Moves all threads' finished intervals into Header::mpi_union.
void flush_intervals();

/// At least `bytes` of memory that lives until the thread's next call; nullptr without memory.
char *scratch(Thread &thread, std::size_t bytes);

/// Measures what recording one call costs and stores it in the header.
void calibrate_cost(Thread &thread);

}  // namespace scope::preload
