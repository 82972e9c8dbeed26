#include "recorder.hpp"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.hpp"

namespace scope::preload {

SeparateLock state_lock;
bool many_threads = false;
bool paused = false;
bool multiple = false;

__thread wire::ThreadTotals totals __attribute__((tls_model("initial-exec")));

namespace {

Thread *threads;        // all slots ever made, the newest first; a slot once in it stays, and its `next` does not change
Thread *free_threads;
std::uint32_t max_entries;
std::uint32_t entry_total;  // of all threads

std::uint64_t hash_key(const wire::EntryKey &key) {
  std::uint64_t words[4];
  memcpy(words, &key, sizeof words);
  std::uint64_t hash = 0;
  for (std::uint64_t word : words) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

char *block_base() { return reinterpret_cast<char *>(live); }
wire::Entry *entry_at(std::uint32_t position) { return reinterpret_cast<wire::Entry *>(block_base() + std::size_t{position} * 16); }
std::uint32_t position_of(const wire::Entry *entry) {
  return static_cast<std::uint32_t>((reinterpret_cast<const char *>(entry) - block_base()) / 16);
}

wire::Entry *lookup(const Thread &thread, const wire::EntryKey &key) {
  if (!thread.index) return nullptr;
  std::uint32_t mask = thread.index_size - 1;
  for (std::uint64_t i = hash_key(key);; ++i) {
    std::uint32_t position = thread.index[i & mask];
    if (!position) return nullptr;
    if (same(entry_at(position)->key, key)) return entry_at(position);
  }
}

void put_in_index(Thread &thread, const wire::Entry *entry) {
  std::uint32_t mask = thread.index_size - 1;
  std::uint64_t i = hash_key(entry->key);
  while (thread.index[i & mask]) ++i;
  thread.index[i & mask] = position_of(entry);
}

bool grow_index(Thread &thread) {
  std::uint32_t old_size = thread.index_size, size = old_size ? old_size * 2 : 256;
  std::uint32_t *old = thread.index;
  std::uint32_t *fresh = static_cast<std::uint32_t *>(map_private(size * sizeof(std::uint32_t), true));
  if (!fresh) return false;
  thread.index = fresh;
  thread.index_size = size;
  for (std::uint32_t i = 0; i < old_size; ++i)
    if (old[i]) put_in_index(thread, entry_at(old[i]));
  unmap_private(old, old_size * sizeof(std::uint32_t));
  return true;
}

bool more_entries(Thread &thread) {
  std::uint32_t capacity = thread.entries ? thread.entries->capacity * 4 : 64;
  if (capacity > 4096) capacity = 4096;
  wire::ItemHeader *item = add_item(wire::Item::entries, thread.number, sizeof(wire::EntriesItem) + capacity * sizeof(wire::Entry));
  if (!item) return false;
  thread.entries = reinterpret_cast<wire::EntriesItem *>(item);
  thread.entries->capacity = capacity;
  return true;
}

/// A new entry if the budget of entries still has `reserve` left.
wire::Entry *insert(Thread &thread, const wire::EntryKey &key, std::uint32_t reserve) {
  if (__atomic_load_n(&entry_total, __ATOMIC_RELAXED) + reserve >= max_entries) return nullptr;
  KeepErrno keep;
  Holding holding(state_lock);
  if ((thread.entry_count + 1) * 2 > thread.index_size && !grow_index(thread)) return nullptr;
  if ((!thread.entries || thread.entries->count == thread.entries->capacity) && !more_entries(thread)) return nullptr;
  wire::Entry *entry = thread.entries->entries() + thread.entries->count;
  entry->key = key;
  entry->min = ~std::uint64_t{0};
  __atomic_store_n(&thread.entries->count, thread.entries->count + 1, __ATOMIC_RELEASE);
  put_in_index(thread, entry);
  trace_key(position_of(entry), key);
  ++thread.entry_count;
  __atomic_store_n(&entry_total, entry_total + 1, __ATOMIC_RELAXED);  // read without the lock, too
  refresh_clock();
  return entry;
}

std::int64_t power_of_two_below(std::int64_t bytes) {
  return bytes <= 1 ? bytes : std::int64_t{1} << (63 - __builtin_clzll(static_cast<std::uint64_t>(bytes)));
}

constexpr std::uint64_t not_in_a_call = ~std::uint64_t{0};

/// When the call began that another thread is in, or has not booked yet.
std::uint64_t open_call_since(const wire::ThreadItem &item) {
  std::uint64_t since = __atomic_load_n(&item.current.since, __ATOMIC_ACQUIRE);
  return since ? since : not_in_a_call;
}

}  // namespace

bool start_recorder(const char *run_dir, const char *run_id, std::uint32_t bound) {
  max_entries = bound < 64 ? 64 : bound;
  return open_live_block(run_dir, run_id, wire::Holds::calls);
}

Thread *acquire_thread() {
  KeepErrno keep;
  Holding holding(state_lock);
  if (!live) return nullptr;
  Thread *thread = free_threads;
  if (thread) {
    free_threads = thread->next_free;
  } else {
    wire::ItemHeader *item = add_item(wire::Item::thread, live->threads, sizeof(wire::ThreadItem));
    thread = item ? static_cast<Thread *>(map_private(sizeof(Thread), true)) : nullptr;
    if (!thread) return nullptr;
    thread->item = reinterpret_cast<wire::ThreadItem *>(item);
    thread->item->current.call = static_cast<std::uint16_t>(wire::Call::none);
    thread->number = live->threads;
    thread->next = threads;
    if (threads && !many_threads) {
      // From here on intervals are kept. What the first thread did so far is its sum; a call that it is in counts from its start.
      bool in_call = __atomic_load_n(&threads->item->current.call, __ATOMIC_ACQUIRE) != static_cast<std::uint16_t>(wire::Call::none);
      std::uint64_t since = in_call ? __atomic_load_n(&threads->item->current.since, __ATOMIC_RELAXED) : now();
      live->mpi_union = __atomic_load_n(&threads->item->mpi_ticks, __ATOMIC_RELAXED);
      live->union_until = since;
      __atomic_store_n(&many_threads, true, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&threads, thread, __ATOMIC_RELEASE);
    ++live->threads;
  }
  open_stream(thread->trace, thread->number);
  thread->item->tid = static_cast<std::uint32_t>(syscall(SYS_gettid));
  thread->item->in_use = 1;
  return thread;
}

Thread *all_threads() { return __atomic_load_n(&threads, __ATOMIC_ACQUIRE); }

void release_thread(Thread *thread) {
  Holding holding(state_lock);
  thread->guard = 0;
  thread->item->in_use = 0;
  leave_call(*thread);
  settle_call(*thread);
  thread->next_free = free_threads;
  free_threads = thread;
}

wire::Entry *find_entry(Thread &thread, const wire::EntryKey &key) {
  if (wire::Entry *entry = lookup(thread, key)) return entry;
  // Exact keys have three quarters of the budget; then tags are folded, then bytes as well, then peers, at last all but the
  // procedure. Each step leaves a part of the budget to the coarser ones, so that totals stay exact.
  if (wire::Entry *entry = insert(thread, key, max_entries / 4)) return entry;
  wire::EntryKey coarse = key;
  struct Step {
    std::uint64_t *count;
    std::uint32_t reserve;
  };
  const Step steps[] = {{&live->folded.tags, max_entries / 8},
                        {&live->folded.bytes, max_entries / 16},
                        {&live->folded.peers, max_entries / 32},
                        {&live->folded.peers, 0}};
  for (int step = 0; step < 4; ++step) {
    if (step == 0 && coarse.tag >= 0) coarse.tag = wire::folded;
    if (step == 1) coarse.bytes = power_of_two_below(coarse.bytes);
    if (step == 2 && coarse.peer >= 0) coarse.peer = wire::folded;
    if (step == 3) coarse.comm = wire::none_comm, coarse.root = wire::none, coarse.bytes = wire::none, coarse.site = coarse.site ? wire::site_other : 0;
    wire::Entry *entry = lookup(thread, coarse);
    if (!entry) entry = insert(thread, coarse, steps[step].reserve);
    if (!entry) continue;
    __atomic_fetch_add(steps[step].count, 1, __ATOMIC_RELAXED);
    return entry;
  }
  return nullptr;
}

wire::CallStatsItem *make_stats(Thread &thread, wire::Call call) {
  KeepErrno keep;
  Holding holding(state_lock);
  wire::ItemHeader *item = add_item(wire::Item::call_stats, thread.number, sizeof(wire::CallStatsItem));
  if (!item) return nullptr;
  wire::CallStatsItem *stats = reinterpret_cast<wire::CallStatsItem *>(item);
  stats->call = static_cast<std::uint16_t>(call);
  stats->min = ~std::uint64_t{0};
  thread.calls[static_cast<int>(call)].stats = stats;
  return stats;
}

void note_lost(Thread &thread, const Note &note) {
  __atomic_fetch_add(&live->lost_entries, 1, __ATOMIC_RELAXED);
  wire::CallStatsItem *stats = thread.calls[note.key.call].stats;
  if (!stats) stats = make_stats(thread, static_cast<wire::Call>(note.key.call));
  if (!stats) return;
  stats->total += note.share;
  if (note.duration < stats->min) stats->min = note.duration;
  if (note.duration > stats->max) stats->max = note.duration;
  if (note.calls) stats->sum_sq.add(note.duration);
  stats->bytes_sent += note.sent;
  stats->bytes_received += note.received;
  stats->errors += note.error;
  stats->calls += note.calls;
}

/// The entry stands for several keys where it was not remembered (note_entry): what it left out is kept here.
void trace_unfolded(Thread &thread, const wire::EntryKey &key, std::uint64_t begin) {
  append_event(thread.trace, begin, {static_cast<std::uint64_t>(key.bytes),
                                     static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.tag)) << 32 | static_cast<std::uint32_t>(key.peer),
                                     trace_word(wire::TraceKind::detail, static_cast<std::uint32_t>(wire::Detail::exact)), 0});
}

namespace {

SeparateLock union_lock;
constexpr std::uint32_t ring = wire::interval_count;

/// The unread intervals of a thread. Its own place of `tail` is written once at the end: the thread looks at that cache line in every
/// call.
struct Unread {
  wire::ThreadItem *item;
  std::uint32_t tail, head;
  std::uint64_t begin;  ///< of the first of them; none: not_in_a_call
};

/// Whose next interval begins first, and when the first of the others begins.
struct Earliest {
  std::uint32_t index = 0;
  std::uint64_t begin, next = not_in_a_call;
  Earliest(const Unread *unread, std::uint32_t count) : begin(unread[0].begin) {
    for (std::uint32_t i = 1; i < count; ++i) {
      const std::uint64_t other = unread[i].begin;
      if (other < begin) {
        next = begin;
        begin = other;
        index = i;
      } else if (other < next) {
        next = other;
      }
    }
  }
};

struct Union {
  std::uint64_t ticks, until;
  /// Without a branch, which would be guessed wrong every second time.
  void add(std::uint64_t begin, std::uint64_t end) {
    begin = begin < until ? until : begin;
    end = end < begin ? begin : end;
    ticks += end - begin;
    until = end;
  }
};

/// Under union_lock.
void merge_intervals() {
  constexpr std::uint32_t most = 4096;
  static Unread unread[most];
  std::uint32_t count = 0, looked = 0;
  // Time up to `horizon` is settled: finished intervals in order, then calls still open, which cover everything since they began.
  std::uint64_t horizon = now(), open_since = not_in_a_call;
  Thread *first = __atomic_load_n(&threads, __ATOMIC_ACQUIRE);  // one that comes now is left for the next time
  for (Thread *thread = first; thread && looked < most; thread = thread->next, ++looked) {
    wire::ThreadItem *item = thread->item;
    std::uint64_t since = open_call_since(*item);
    Unread one{item, item->interval_tail, __atomic_load_n(&item->interval_head, __ATOMIC_ACQUIRE), 0};
    if (one.tail != one.head) {
      // Most lie in another processor's cache: all are asked for at once, not one after the other. Four are a line or two.
      for (std::uint32_t i = one.tail & ~3u; static_cast<std::int32_t>(one.head - i) > 0; i += 4) __builtin_prefetch(&item->intervals[i % ring]);
      one.begin = item->intervals[one.tail % ring].begin;
      unread[count++] = one;
    }
    if (since < open_since) open_since = since;
  }
  Union sum{live->mpi_union, live->union_until};
  while (count != 0) {
    const Earliest earliest(unread, count);
    if (earliest.begin == not_in_a_call) break;
    Unread &from = unread[earliest.index];
    const wire::Interval *intervals = from.item->intervals;
    std::uint64_t begin = earliest.begin;
    do {
      if (open_since < begin) sum.add(open_since, horizon);
      sum.add(begin, intervals[from.tail % ring].end);
      ++from.tail;
      begin = from.tail == from.head ? not_in_a_call : intervals[from.tail % ring].begin;
    } while (begin < earliest.next);
    from.begin = begin;
  }
  if (open_since < horizon) sum.add(open_since, horizon);
  // Should the process end between these, a reader adds the intervals once more: what lies before `union_until` counts nothing.
  live->mpi_union = sum.ticks;
  live->union_until = sum.until;
  for (std::uint32_t i = 0; i < count; ++i) __atomic_store_n(&unread[i].item->interval_tail, unread[i].tail, __ATOMIC_RELEASE);
}

std::uint32_t unread_of(const wire::ThreadItem &item) { return item.interval_head - __atomic_load_n(&item.interval_tail, __ATOMIC_ACQUIRE); }

/// Threads that call equally often fill their rings at the same time, and one that merges empties all. So from three quarters on a thread
/// tries now and then, and passes by when another is at it; only a full ring must wait.
[[gnu::noinline]] void make_room(const wire::ThreadItem &item, std::uint32_t unread) {
  if (unread < ring) {
    if (unread % (ring / 8) != 0 || !union_lock.try_acquire()) return;
    merge_intervals();
    union_lock.release();
    return;
  }
  Holding holding(union_lock);
  if (unread_of(item) == ring) merge_intervals();
}

}  // namespace

void flush_intervals() {
  if (!live || !__atomic_load_n(&many_threads, __ATOMIC_ACQUIRE)) return;
  Holding holding(union_lock);
  merge_intervals();
}

void push_interval(Thread &thread, std::uint64_t begin, std::uint64_t end) {
  wire::ThreadItem *item = thread.item;
  std::uint32_t unread = unread_of(*item);
  if (__builtin_expect(unread >= ring - ring / 4, false)) make_room(*item, unread);
  item->intervals[item->interval_head % ring] = {begin, end};
  __atomic_store_n(&item->interval_head, item->interval_head + 1, __ATOMIC_RELEASE);
}

char *scratch(Thread &thread, std::size_t bytes) {
  if (bytes <= thread.scratch_bytes) return thread.scratch;
  KeepErrno keep;
  std::size_t size = thread.scratch_bytes ? thread.scratch_bytes : 4096;
  while (size < bytes) size *= 2;
  char *fresh = static_cast<char *>(map_private(size, true));
  if (!fresh) return nullptr;
  unmap_private(thread.scratch, thread.scratch_bytes);
  thread.scratch = fresh;
  thread.scratch_bytes = size;
  return fresh;
}

void calibrate_cost(Thread &thread) {
  static wire::Entry entry;
  static wire::CallStatsItem stats;
  constexpr int call = static_cast<int>(wire::Call::MPI_Wait);
  CallSlot saved = thread.calls[call];
  Note note{make_key(wire::Call::MPI_Wait, 0), 0, 0, 1, 0, 0, 0, false};
  entry.key = note.key;
  thread.calls[call] = {&entry, &stats};
  std::uint64_t best = ~std::uint64_t{0};
  for (int batch = 0; batch < 8; ++batch) {
    constexpr int calls = 64;
    std::uint64_t start = now();
    for (int i = 0; i < calls; ++i) {
      std::uint64_t before = now();
      asm volatile("" ::: "memory");
      note.share = note.duration = now() - before;
      note_entry(thread, note);
      note_duration(thread, wire::Call::MPI_Wait, note.duration);
    }
    std::uint64_t spent = (now() - start) * 256 / calls;
    if (spent < best) best = spent;
  }
  thread.calls[call] = saved;
  live->cost_ticks_x256 = best;
}

}  // namespace scope::preload
