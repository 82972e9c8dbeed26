#pragma once
// Counting: threads, entries, statistics of calls, and the time that a rank is inside MPI. Knows neither MPI nor the names
// that the shim exports, so that tests link it directly.

#include <cstddef>
#include <cstdint>

#include "clock.hpp"
#include "live_block.hpp"
#include "memory.hpp"
#include "trace.hpp"
#include "wire/mpi_calls.hpp"
#include "wire/region_block.hpp"

namespace scope::preload {

using Word = std::uintptr_t;  ///< an argument: every MPI handle, int and pointer fits

struct Communicator;  // communicators.hpp
struct SiteCache;     // callsites.hpp
struct RequestMap;    // requests.cpp

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

/// References to a communicator that a thread has taken in advance (communicators.cpp): threads that share one don't write to
/// its counter for each request.
struct KeptReferences {
  Communicator *comm;
  std::uint32_t epoch, left;
};

/// What one thread of the program needs to record. Slots are handed on when threads end; nothing grows with their number,
/// only with how many there are at once.
struct Thread {
  std::uintptr_t guard;   ///< frame of the outermost call that is in progress, 0 outside: calls below it are nested
  const std::uint64_t *cookie_place;  ///< where that frame keeps `cookie`: gone when it was left by longjmp or an exception
  std::uint64_t cookie;
  wire::ThreadItem *item;
  SiteCache *sites;       ///< nullptr: call sites are not asked for
  std::uint32_t site;     ///< call site of the outermost call that is in progress, as in wire::EntryKey
  std::uint32_t finalize_site;  ///< MPI_Finalize's own, which its callbacks' calls replace
  bool finalizing;        ///< inside MPI_Finalize: when a call of its callbacks ends, that is the call in progress again
  TraceStream trace;      ///< off without run --trace
  std::uint32_t number;
  std::uint32_t index_size;     ///< slots of `index`, a power of two
  std::uint32_t entry_count;
  std::uint32_t *index;         ///< open addressing: (offset of an entry in the live block) / 16, 0 empty
  wire::EntriesItem *entries;   ///< where new entries go
  CallSlot calls[wire::call_count];
  SizeSlot sizes[64];
  CommSlot comms[16];
  RequestMap *requests;   ///< operations that it began, nullptr before the first one
  KeptReferences kept;
  char *scratch;
  std::size_t scratch_bytes;
  Thread *next;
  Thread *next_free;
};

extern SeparateLock state_lock;        ///< guards threads, the live block's items, communicators
SCOPE_HIDDEN extern bool many_threads;      ///< more than one thread has called MPI
SCOPE_HIDDEN extern bool paused;            ///< MPI_Pcontrol(0)
SCOPE_HIDDEN extern bool multiple;          ///< MPI_THREAD_MULTIPLE: threads may be in our tables at the same time

/// Opens the live block (see there) and the recorder. `max_entries` bounds the entries of all threads together.
bool start_recorder(const char *run_dir, const char *run_id, std::uint32_t max_entries);

/// A slot for the calling thread, nullptr without memory.
Thread *acquire_thread();
void release_thread(Thread *thread);
/// All slots, linked by `next`: one once in it stays there.
Thread *all_threads();

/// One call's observation, or one request's of a wait on several.
struct Note {
  wire::EntryKey key;
  std::uint64_t duration;      ///< ticks of the whole call
  std::uint64_t share;         ///< ticks that this entry gets: `duration`, or a part of it when a wait completed several requests
  std::uint64_t calls;         ///< 1, or 0 for the further requests of a wait
  std::uint64_t completions;
  std::uint64_t sent, received;
  bool error;
};

constexpr wire::EntryKey make_key(wire::Call call, std::uint32_t comm, std::uint32_t site = 0) {
  return {static_cast<std::uint16_t>(call), static_cast<std::uint16_t>(wire::Call::none), comm, wire::none, wire::none, wire::none, site,
          wire::none};
}

/// Finds or makes the entry of a key, folding when the bound is near; nullptr when there is no memory left.
wire::Entry *find_entry(Thread &thread, const wire::EntryKey &key);
wire::CallStatsItem *make_stats(Thread &thread, wire::Call call);

/// The same number, zero-extended here and not before: else the compiler may keep a narrow value on the stack and read it back wide.
[[gnu::always_inline]] inline std::uint64_t widened(std::uint32_t value) {
  std::uint64_t wide = value;
  if (!__builtin_constant_p(value)) asm("" : "+r"(wide));
  return wide;
}

/// Compared as four words (a key has no padding). The key at hand is put together in registers: reading back wide what was just
/// stored in narrow fields would stall for a dozen cycles.
[[gnu::always_inline]] inline bool same(const wire::EntryKey &stored, const wire::EntryKey &key) {
  using Aliasing [[gnu::may_alias]] = std::uint64_t;
  const Aliasing *words = reinterpret_cast<const Aliasing *>(&stored);
  auto join = [](std::uint32_t low, std::uint32_t high) { return widened(high) << 32 | widened(low); };
  std::uint32_t calls = static_cast<std::uint32_t>(widened(key.request_call)) << 16 | key.call;
  return ((words[0] ^ join(calls, key.comm)) | (words[1] ^ join(static_cast<std::uint32_t>(key.peer), static_cast<std::uint32_t>(key.root))) |
          (words[2] ^ join(static_cast<std::uint32_t>(key.tag), key.site)) | (words[3] ^ static_cast<std::uint64_t>(key.bytes))) == 0;
}

/// Where an observation goes that finds no memory for an entry.
void note_lost(Thread &thread, const Note &note);

/// Adds an observation to its entry, and gives that (nullptr without memory). Sums over the entries of a procedure are the procedure's own figures: shares add up to
/// durations, and `calls` and `sum_sq` count a call in its first entry only.
[[gnu::always_inline]] inline wire::Entry *note_entry(Thread &thread, const Note &note) {
  CallSlot &slot = thread.calls[note.key.call];
  wire::Entry *entry = slot.last;
  if (__builtin_expect(!entry || !same(entry->key, note.key), false)) {
    // Copied field by field: a note whose address is taken would be built in memory on the fast path, too.
    const wire::EntryKey key{note.key.call, note.key.request_call, note.key.comm, note.key.peer, note.key.root, note.key.tag, note.key.site, note.key.bytes};
    entry = find_entry(thread, key);
    if (!entry) {
      note_lost(thread, {key, note.duration, note.share, note.calls, note.completions, note.sent, note.received, note.error});
      return nullptr;
    }
    slot.last = same(entry->key, note.key) ? entry : nullptr;
  }
  entry->total += note.share;
  if (note.duration < entry->min) entry->min = note.duration;
  if (note.duration > entry->max) entry->max = note.duration;
  if (note.calls) entry->sum_sq.add(note.duration);
  entry->bytes_sent += note.sent;
  entry->bytes_received += note.received;
  entry->completions += note.completions;
  if (__builtin_expect(note.error, false)) ++entry->errors;
  entry->calls += note.calls;
  return entry;
}

/// What began an operation, for the timeline: as TraceEvent::start and the thread of it. All zero: not known.
struct Started {
  std::uint32_t number;
  std::uint16_t thread;
};

/// The number that the thread's next event gets.
inline Started next_event(const Thread &thread) {
  if (!thread.trace.on || paused) return {0, 0};
  return {thread.trace.total + 1, static_cast<std::uint16_t>(thread.trace.thread)};
}

void trace_unfolded(Thread &thread, const wire::EntryKey &key, std::uint64_t begin);

/// Adds a call, or a further request of it, to the timeline. `entry` is what note_entry gave for `key`.
[[gnu::always_inline]] inline void trace_event(Thread &thread, wire::TraceKind kind, const wire::Entry *entry, const wire::EntryKey &key,
                                               std::uint64_t begin, std::uint64_t end, Started started = {0, 0}) {
  if (__builtin_expect(!thread.trace.on, true)) return;
  if (__builtin_expect(!entry, false)) return drop_event(begin);
  std::uint32_t place = static_cast<std::uint32_t>((reinterpret_cast<const char *>(entry) - reinterpret_cast<const char *>(live)) / 16);
  bool whole = kind == wire::TraceKind::call;
  append_event(thread.trace, begin, {whole ? begin : 0, whole ? end : 0, trace_word(kind, place, started.thread), started.number});
  if (__builtin_expect(!thread.calls[key.call].last, false)) {
    // A copy, as in note_entry.
    trace_unfolded(thread, {key.call, key.request_call, key.comm, key.peer, key.root, key.tag, key.site, key.bytes}, begin);
  }
}

/// Adds the receiving half of the event before.
inline void trace_received(Thread &thread, std::int32_t peer, std::int32_t tag, std::uint64_t bytes, std::uint64_t begin) {
  if (!thread.trace.on) return;
  append_event(thread.trace, begin, {bytes, static_cast<std::uint64_t>(static_cast<std::uint32_t>(tag)) << 32 | static_cast<std::uint32_t>(peer),
                                     trace_word(wire::TraceKind::detail, static_cast<std::uint32_t>(wire::Detail::received)), 0});
}

/// Adds a whole call to the histogram of its procedure.
[[gnu::always_inline]] inline void note_duration(Thread &thread, wire::Call call, std::uint64_t duration) {
  wire::CallStatsItem *stats = thread.calls[static_cast<int>(call)].stats;
  if (__builtin_expect(!stats, false)) {
    stats = make_stats(thread, call);
    if (!stats) return;
  }
  stats->note(duration);
}

void push_interval(Thread &thread, std::uint64_t begin, std::uint64_t end);

// Other threads look at the call that a thread is in (flush_intervals): the time stands before the call is named, and until its
// interval is there to be read. Plain moves on x86.
inline void enter_call(Thread &thread, wire::Call call, std::uint64_t begin) {
  __atomic_store_n(&thread.item->current.since, begin, __ATOMIC_RELAXED);
  __atomic_store_n(&thread.item->current.call, static_cast<std::uint16_t>(call), __ATOMIC_RELEASE);
}
inline void leave_call(Thread &thread) {
  __atomic_store_n(&thread.item->current.call, static_cast<std::uint16_t>(wire::Call::none), __ATOMIC_RELEASE);
}
/// The call is booked.
inline void settle_call(Thread &thread) { __atomic_store_n(&thread.item->current.since, std::uint64_t{0}, __ATOMIC_RELEASE); }

/// Of this thread, for the region library (wire/region_block.hpp).
extern __thread wire::ThreadTotals totals __attribute__((tls_model("initial-exec")));

/// Adds the time of an outermost call to the rank's time inside MPI.
inline void note_time(Thread &thread, std::uint64_t begin, std::uint64_t end) {
  __atomic_store_n(&thread.item->mpi_ticks, thread.item->mpi_ticks + (end - begin), __ATOMIC_RELAXED);
  thread.item->last_end = end;
  totals.mpi_ticks += end - begin;
  ++totals.mpi_calls;
  if (__builtin_expect(__atomic_load_n(&many_threads, __ATOMIC_RELAXED), false)) push_interval(thread, begin, end);
}

/// Moves all threads' finished intervals into Header::mpi_union.
void flush_intervals();

/// At least `bytes` of memory that lives until the thread's next call; nullptr without memory.
char *scratch(Thread &thread, std::size_t bytes);

/// Measures what recording one call costs and stores it in the header.
void calibrate_cost(Thread &thread);

}  // namespace scope::preload
