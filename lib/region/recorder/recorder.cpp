// Records the regions of one process into its block of the run directory (wire/region_block.hpp). Loaded by what calls the region
// API of include/, under `scope-profiler run` only. Runs in foreign processes like the shim and shares its building blocks: no C++
// library, memory of its own, errno kept.
//
// A thread walks a tree of its own: a begin goes to the child of that name, an end books and goes back. Nothing is shared on that
// path; making a node, a name or a thread takes the lock.

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "meeting.hpp"
#include "preload/clock.hpp"
#include "preload/live_block.hpp"
#include "preload/memory.hpp"
#include "preload/place.hpp"
#include "preload/procfs.hpp"
#include "preload/trace.hpp"
#include "region/include/scope_profiler.h"
#include "wire/contract.hpp"
#include "wire/region_block.hpp"

namespace scope::region {

using preload::Holding;
using preload::KeepErrno;
using preload::Lock;
using preload::now;
using Site = scope_profiler_site;

static_assert(__builtin_strcmp(SCOPE_ENV_LIBRARY, wire::env_region_library) == 0);

namespace {

/// What Region::recorder holds, in this process.
struct Links {
  std::uint64_t number;  ///< of the region itself in the block
  wire::Region *parent;  ///< nullptr at the top
  wire::Region *recent;  ///< the child that was begun last
  wire::Region *first;   ///< child
  wire::Region *next;    ///< child of the same parent
};
static_assert(sizeof(Links) == sizeof wire::Region::recorder);
[[gnu::always_inline]] inline Links &links(wire::Region &region) { return reinterpret_cast<Links &>(region.recorder); }

/// Lives in pages that a forked child finds zeroed: without `current` nothing is recorded, and nothing of the parent's is touched.
struct Thread {
  wire::Region *current;  ///< `top` outside of all regions
  std::uint64_t folded;   ///< open regions inside `current` that are not told apart
  std::uint32_t depth;
  std::uint32_t number;
  preload::TraceStream trace;  ///< off without run --trace
  Thread *next_free;
  wire::Region top;       ///< not in the block
};

struct Control {
  bool recording;
};

__thread Thread *self __attribute__((tls_model("initial-exec")));

Lock lock;  // guards all below, and what the block gains
Control *control;  // in a page that a forked child finds zeroed
bool started;
pthread_key_t thread_key;
Thread *free_threads;
wire::RegionCountsItem *counts;

template <class Record>
struct Table {
  wire::Item item;
  std::uint32_t limit, step;
  std::uint32_t count;
  wire::RecordsItem<Record> *part;  // the newest

  /// Place of the next record, zeroed; publish() makes it valid. nullptr at the bound or without memory.
  Record *place() {
    if (count >= limit) return nullptr;
    if (!part || part->count == part->capacity) {
      wire::ItemHeader *header = preload::add_item(item, 0, sizeof *part + step * sizeof(Record));
      if (!header) return nullptr;
      part = reinterpret_cast<wire::RecordsItem<Record> *>(header);
      part->first = count;
      part->capacity = step;
    }
    return part->records() + part->count;
  }
  std::uint32_t publish() {
    __atomic_store_n(&part->count, part->count + 1, __ATOMIC_RELEASE);
    return count++;
  }
};
Table<wire::RegionName> names{wire::Item::region_names, wire::region_name_limit, 32, 0, nullptr};
Table<wire::Region> regions{wire::Item::regions, wire::region_limit, 64, 0, nullptr};

/// Of the block, by number; and their numbers by text, in open addressing.
constexpr std::uint32_t none_name = 0xffffffffu;
constexpr std::uint32_t slots = wire::region_name_limit * 2;
struct Names {
  wire::RegionName *record[wire::region_name_limit];
  std::uint32_t slot[slots];  ///< 1 + number, 0: empty
};
Names *known;

constexpr std::size_t longest_name = sizeof wire::RegionName::name - 1;

/// Bytes of a name: up to `length` or its NUL, and no more than are kept.
std::size_t kept_length(const char *text, std::size_t length) {
  return text ? strnlen(text, length < longest_name ? length : longest_name) : 0;
}

[[gnu::always_inline]] inline bool is_text(std::uint32_t name, const char *text, std::size_t length) {
  const char *known_text = known->record[name]->name;
  return memcmp(known_text, text, length) == 0 && known_text[length] == 0;
}

std::uint32_t *find_slot(const char *text, std::size_t length) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (std::size_t i = 0; i < length; ++i) hash = (hash ^ static_cast<unsigned char>(text[i])) * 1099511628211u;
  for (std::uint64_t i = hash ^ hash >> 32;; ++i) {
    std::uint32_t *slot = known->slot + i % slots;
    if (*slot == 0 || is_text(*slot - 1, text, length)) return slot;
  }
}

/// Number of a name, made if it is new; none_name at the bound. Under the lock.
std::uint32_t intern(const char *text, std::size_t length, const char *file, int line) {
  std::uint32_t *slot = find_slot(text, length);
  if (*slot) return *slot - 1;
  wire::RegionName *name = names.place();
  if (!name) return none_name;
  memcpy(name->name, text, length);
  if (file) preload::copy_text(name->file, sizeof name->file, file);
  name->line = line > 0 ? static_cast<std::uint32_t>(line) : 0;
  known->record[names.count] = name;
  *slot = names.count + 1;
  return names.publish();
}

const void *handle_of(std::uint32_t name) { return reinterpret_cast<const void *>(std::uintptr_t{name} + 1); }

/// Of a place in the source that was seen before; none_name of a new one.
[[gnu::always_inline]] inline std::uint32_t name_of(const Site &site) {
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(__atomic_load_n(&site.handle, __ATOMIC_RELAXED)) - 1);
}

/// As name_of, but a new place is looked up by its text. Under the lock.
std::uint32_t find_name(Site &site) {
  std::uint32_t name = name_of(site);
  if (name != none_name) return name;
  name = intern(site.name ? site.name : "", kept_length(site.name, longest_name), site.file, site.line);
  if (name != none_name) __atomic_store_n(&site.handle, handle_of(name), __ATOMIC_RELAXED);
  return name;
}

[[gnu::always_inline]] inline void open(Thread &thread, wire::Region &region) {
  const wire::ThreadTotals &mpi = mpi_totals();
  thread.current = &region;
  ++thread.depth;
  region.mpi_ticks_at_begin = mpi.mpi_ticks;
  region.mpi_calls_at_begin = mpi.mpi_calls;
  region.begin = now();
}

[[gnu::always_inline]] inline void close(Thread &thread, wire::Region &region, std::uint64_t instant) {
  const wire::ThreadTotals &mpi = mpi_totals();
  // Around others it keeps the clock's own part: what is inside lies between its begin and its end, in a timeline too.
  bool innermost = !links(region).first && mpi.mpi_calls == region.mpi_calls_at_begin;
  std::uint64_t end = innermost ? preload::without_clock(region.begin, instant) : instant, duration = end - region.begin;
  region.total += duration;
  if (duration < region.min) region.min = duration;
  if (duration > region.max) region.max = duration;
  region.mpi_ticks += mpi.mpi_ticks - region.mpi_ticks_at_begin;
  region.mpi_calls += mpi.mpi_calls - region.mpi_calls_at_begin;
  region.last_end = end;
  if (__builtin_expect(thread.trace.on, false)) {
    std::uint32_t number = static_cast<std::uint32_t>(links(region).number);
    preload::append_event(thread.trace, region.begin, {region.begin, end, preload::trace_word(wire::TraceKind::region, number), 0});
  }
  region.begin = 0;
  ++region.calls;
  --thread.depth;
  thread.current = links(region).parent;
}

/// Closes the innermost region though its end was not called. Under the lock.
void give_up(Thread &thread, std::uint64_t end) {
  ++known->record[thread.current->name]->unclosed;
  close(thread, *thread.current, end);
}

void end_of_thread(void *ending) {
  Thread *thread = static_cast<Thread *>(ending);
  if (!thread->current) return;  // in a forked child
  KeepErrno keep;
  Holding holding(lock);
  std::uint64_t end = now();
  while (thread->current != &thread->top) give_up(*thread, end);
  thread->folded = 0;
  thread->next_free = free_threads;
  free_threads = thread;
  if (self == thread) self = nullptr;
}

/// The calling thread's, made if need be; nullptr where nothing is recorded. Under the lock.
Thread *acquire_thread() {
  if (self && self->current) return self;
  Thread *thread = free_threads;
  if (thread) {
    free_threads = thread->next_free;
  } else {
    thread = static_cast<Thread *>(preload::map_private(sizeof(Thread), true));
    if (!thread) return nullptr;
    thread->top.name = none_name;
    links(thread->top).number = wire::none_region;
    thread->current = &thread->top;
    thread->number = preload::live->threads++;
  }
  preload::open_stream(thread->trace, thread->number);
  self = thread;
  pthread_setspecific(thread_key, thread);
  return thread;
}

/// The child of the current region that has this name, made if need be; nullptr at a bound. Under the lock.
wire::Region *find_child(Thread &thread, std::uint32_t name) {
  if (name == none_name) return nullptr;
  Links &parent = links(*thread.current);
  for (wire::Region *one = parent.first; one; one = links(*one).next)
    if (one->name == name) return one;
  wire::Region *region = thread.depth < wire::region_depth_limit ? regions.place() : nullptr;
  if (!region) return nullptr;
  region->name = name;
  region->parent = static_cast<std::uint32_t>(parent.number);
  region->min = ~std::uint64_t{0};
  links(*region) = {regions.count, thread.current, nullptr, nullptr, parent.first};
  regions.publish();
  parent.first = region;
  return region;
}

bool recording() { return control && control->recording; }

/// `find` gives the name's number, under the lock.
template <class Find>
[[gnu::noinline]] void begin_slowly(Find find) {
  if (!recording()) return;
  KeepErrno keep;
  Thread *thread;
  wire::Region *region = nullptr;
  {
    Holding holding(lock);
    thread = acquire_thread();
    if (!thread) return;
    if (!thread->folded) region = find_child(*thread, find());
    if (!region) {
      ++thread->folded;
      ++counts->folded;
      return;
    }
    links(*thread->current).recent = region;
  }
  open(*thread, *region);
}

template <class Find>
[[gnu::noinline]] void end_slowly(std::uint64_t end, Find find) {
  if (!recording()) return;
  KeepErrno keep;
  Holding holding(lock);
  Thread *thread = acquire_thread();
  if (!thread) return;
  if (thread->folded) {
    --thread->folded;
    return;
  }
  std::uint32_t name = find();
  wire::Region *match = thread->current;
  while (match && match->name != name) match = links(*match).parent;
  if (!match || match == &thread->top) {
    if (name != none_name) ++known->record[name]->unmatched;
    return;
  }
  while (thread->current != match) give_up(*thread, end);
  close(*thread, *match, end);
}

void begin(Site *site) {
  Thread *thread = self;
  if (__builtin_expect(thread && thread->current && !thread->folded, true)) {
    wire::Region *recent = links(*thread->current).recent;
    if (__builtin_expect(recent && recent->name == name_of(*site), true)) return open(*thread, *recent);
  }
  begin_slowly([site] { return find_name(*site); });
}

void end(Site *site) {
  std::uint64_t instant = now();
  Thread *thread = self;
  if (__builtin_expect(thread && thread->current && !thread->folded, true)) {
    wire::Region *current = thread->current;
    if (__builtin_expect(current->name == name_of(*site) && current != &thread->top, true)) return close(*thread, *current, instant);
  }
  end_slowly(instant, [site] { return find_name(*site); });
}

void begin_name(const char *name, std::size_t length, const char *file, int line) {
  length = kept_length(name, length);
  Thread *thread = self;
  if (thread && thread->current && !thread->folded) {
    wire::Region *recent = links(*thread->current).recent;
    if (recent && is_text(recent->name, name, length)) return open(*thread, *recent);
  }
  begin_slowly([=] { return intern(name, length, file, line); });
}

void end_name(const char *name, std::size_t length) {
  std::uint64_t instant = now();
  length = kept_length(name, length);
  Thread *thread = self;
  if (thread && thread->current && !thread->folded) {
    wire::Region *current = thread->current;
    if (current != &thread->top && is_text(current->name, name, length)) return close(*thread, *current, instant);
  }
  end_slowly(instant, [=] { return intern(name, length, nullptr, 0); });
}

/// What a begin and an end cost, in the header: on a region that is nobody's, in the least time of several batches.
void calibrate_cost() {
  static Thread thread;
  static wire::Region region;
  region.min = ~std::uint64_t{0};
  links(region).parent = &thread.top;
  std::uint64_t best = ~std::uint64_t{0};
  for (int batch = 0; batch < 8; ++batch) {
    constexpr int calls = 64;
    std::uint64_t start = now();
    for (int i = 0; i < calls; ++i) {
      open(thread, region);
      asm volatile("" ::: "memory");
      close(thread, region, now());
    }
    std::uint64_t spent = (now() - start) * 256 / calls;
    if (spent < best) best = spent;
  }
  preload::live->cost_ticks_x256 = best;
}

/// What the launcher says; where MPI calls are recorded too, MPI's own word counts.
std::int32_t launcher_rank() {
  const char *const names_of_ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
  for (const char *name : names_of_ranks)
    if (const char *text = preload::environment(name)) return atoi(text);
  return wire::none;
}

bool start() {
  const char *directory = preload::find_place().directory, *run_id = preload::environment(wire::env_run_id);
  if (!directory) return false;
  preload::choose_clock(preload::environment(wire::env_clock));
  Control *memory = static_cast<Control *>(preload::map_private(sizeof(Control), true));
  known = static_cast<Names *>(preload::map_private(sizeof(Names), true));
  if (!memory || !known || pthread_key_create(&thread_key, end_of_thread) != 0) return false;
  if (!preload::open_live_block(directory, run_id, wire::Holds::regions)) return false;
  counts = reinterpret_cast<wire::RegionCountsItem *>(preload::add_item(wire::Item::region_counts, 0, sizeof *counts));
  if (!counts) return false;
  counts->launcher_rank = launcher_rank();
  preload::open_trace_block(preload::environment(wire::env_trace_bytes), directory, run_id, wire::Holds::regions);
  find_meeting();
  preload::measure_clock();
  preload::live->clock_ticks = preload::the_clock.own_ticks;
  calibrate_cost();
  preload::live->state = wire::State::running;
  memory->recording = true;
  control = memory;
  return true;
}

/// The program ended by itself. Regions that are still open are closed at `end` by the reader.
__attribute__((destructor)) void at_exit() {
  if (!recording()) return;
  KeepErrno keep;
  wire::Header &header = *preload::live;
  rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    auto ns = [](const timeval &time) { return static_cast<std::uint64_t>(time.tv_sec) * 1000000000u + static_cast<std::uint64_t>(time.tv_usec) * 1000u; };
    header.cpu_ns = ns(usage.ru_utime) + ns(usage.ru_stime);
    header.max_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024u;
  }
  preload::refresh_clock();
  preload::refresh_trace_clock();
  header.end = now();
  header.state = wire::State::exited;
}

}  // namespace
}  // namespace scope::region

extern "C" {

/// See scope_profiler.h.
__attribute__((visibility("default"))) int scope_profiler_start_1(scope_profiler_hooks *hooks) {
  using namespace scope::region;
  KeepErrno keep;
  if (!__atomic_load_n(&started, __ATOMIC_ACQUIRE)) {  // in a forked child the lock may be held by a thread that is not there
    Holding holding(lock);
    if (!started) start();
    __atomic_store_n(&started, true, __ATOMIC_RELEASE);
  }
  if (!recording()) return 0;
  *hooks = {begin, end, begin_name, end_name};
  return 1;
}

/// For languages that call through a foreign function interface. `length` as of the text, or -1: up to its NUL.
__attribute__((visibility("default"))) int scope_profiler_start(void) {
  scope_profiler_hooks hooks{};
  return scope_profiler_start_1(&hooks);
}
__attribute__((visibility("default"))) void scope_profiler_begin(const char *name, std::size_t length, const char *file, int line) {
  scope::region::begin_name(name, length, file, line);
}
__attribute__((visibility("default"))) void scope_profiler_end(const char *name, std::size_t length) { scope::region::end_name(name, length); }

}
