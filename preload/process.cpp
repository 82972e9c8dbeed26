#include "process.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "callsites.hpp"
#include "clock.hpp"
#include "clock_exchange.hpp"
#include "communicators.hpp"
#include "dump.hpp"
#include "family.hpp"
#include "hand_over.hpp"
#include "identity.hpp"
#include "library.hpp"
#include "meeting.hpp"
#include "node_file.hpp"
#include "place.hpp"
#include "procfs.hpp"
#include "resolve.hpp"
#include "wire/contract.hpp"

namespace scope::preload {

__thread Thread *self __attribute__((tls_model("initial-exec")));

namespace {

FunctionTable no_functions;  // all null: until start(), and in processes that are not recorded, every call is slow
FunctionTable found_functions;

/// Lives in a page that a forked child finds zeroed.
struct Control {
  bool recording;
  FunctionTable functions;
};
Control *control;
bool started;
bool detected;
bool finalizing;
char run_dir[4096];
std::uint64_t dumped_calls;
pthread_key_t thread_key;

void end_of_thread(void *thread) {
  if (self != thread || !control || !control->recording) return;
  self = nullptr;
  release_thread(static_cast<Thread *>(thread));
}

std::uint32_t entry_bound() {
  const char *text = environment(wire::env_max_entries);
  unsigned long bound = text ? strtoul(text, nullptr, 10) : 0;
  return bound > 0 && bound <= wire::default_max_entries ? static_cast<std::uint32_t>(bound) : wire::default_max_entries;
}

/// The first process of a node that has a directory of its own says so.
void announce_place() {
  char path[4096];
  put_path(path, sizeof path, run_dir, wire::away_prefix, live->boot_id);
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return;
  close(file);
  tell_away(live->run_id, live->boot_id, live->host, run_dir);
}

void start() {
  Holding holding(state_lock);
  if (started) return;
  const Place &place = find_place();
  const char *directory = place.directory, *run_id = environment(wire::env_run_id);
  if (directory) {
    copy_text(run_dir, sizeof run_dir, directory);
    choose_clock(environment(wire::env_clock));
    Control *memory = static_cast<Control *>(map_private(sizeof(Control), true));
    if (memory && pthread_key_create(&thread_key, end_of_thread) == 0 && start_recorder(directory, run_id, entry_bound())) {
      control = memory;
      measure_clock();
      live->clock_ticks = the_clock.own_ticks;
      open_trace_block(environment(wire::env_trace_bytes), directory, run_id, wire::Holds::calls);
      start_callsites(environment(wire::env_site_depth));
      open_meeting();
      if (place.local) announce_place();
      control->recording = true;
      fast_functions = &control->functions;
    }
  }
  __atomic_store_n(&started, true, __ATOMIC_RELEASE);
}

bool recording() { return control && control->recording; }

/// Writes what the dynamic linker would have said and ends like it: the program called what its MPI does not have.
[[noreturn]] void missing_function(const char *name) {
  char text[256] = "scope-profiler: symbol lookup error: undefined symbol: ";
  append_text(text, sizeof text, name);
  append_text(text, sizeof text, " (no loaded MPI library has it)\n");
  if (write(2, text, strlen(text)) < 0) _exit(127);
  _exit(127);
}

void *real_function(wire::Call call, bool profiling, const void *caller) {
  void *&known = found_functions[static_cast<int>(call)][profiling];
  if (void *function = __atomic_load_n(&known, __ATOMIC_ACQUIRE)) return function;
  void *function = find_function(wire::info(call).name, profiling, caller);
  if (!function) missing_function(wire::info(call).name);
  __atomic_store_n(&known, function, __ATOMIC_RELEASE);
  return function;
}

void detect(wire::Call call, const void *caller) {
  static Lock lock;
  Holding holding(lock);
  if (detected) return;
  load_library(real_function(call, true, caller));
  detect_family();
  __atomic_store_n(&detected, true, __ATOMIC_RELEASE);
}

/// Whether the call in progress on this thread is still there. It is not when it was left by longjmp or an exception: then its
/// frame is gone, or was used for something else.
bool in_progress(const Thread &thread, const void *frame) {
  return reinterpret_cast<std::uintptr_t>(frame) < thread.guard && *thread.cookie_place == thread.cookie;
}

void close_abandoned(Thread &thread) {
  ++live->abandoned;
  wire::Current &current = thread.item->current;
  if (current.call < wire::call_count && !paused) {
    wire::Call call = static_cast<wire::Call>(current.call);
    const Note note{make_key(call, current.comm, current.site), 0, 0, 1, 0, 0, 0, true};
    trace_event(thread, wire::TraceKind::call, note_entry(thread, note), note.key, current.since, current.since);
    note_duration(thread, call, 0);
  }
  leave_call(thread);
  settle_call(thread);
  thread.guard = 0;
}

std::uint64_t count_calls() {
  std::uint64_t calls = 0;
  const char *base = reinterpret_cast<const char *>(live);
  for (std::uint64_t at = (sizeof(wire::Header) + 63) / 64 * 64; at < live->used;) {
    const wire::ItemHeader *item = reinterpret_cast<const wire::ItemHeader *>(base + at);
    if (item->type == wire::Item::entries) {
      const wire::EntriesItem *entries = reinterpret_cast<const wire::EntriesItem *>(item);
      for (std::uint32_t i = 0; i < entries->count; ++i) calls += entries->entries()[i].calls;
    }
    at += item->bytes;
  }
  return calls;
}

/// What is known at the end only.
void complete_block() {
  rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    auto ns = [](const timeval &time) { return static_cast<std::uint64_t>(time.tv_sec) * 1000000000u + static_cast<std::uint64_t>(time.tv_usec) * 1000u; };
    live->cpu_ns = ns(usage.ru_utime) + ns(usage.ru_stime);
    live->max_rss_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024u;
  }
  flush_intervals();
  refresh_clock();
  refresh_trace_clock();
}

void dump() {
  KeepErrno keep;
  complete_block();
  dumped_calls = count_calls();
  if (!handed_over() && !fill_slot() && !write_dump(run_dir)) return;
  live->dumped = 1;
  unlink_live_block();
}

/// Whether a thread is inside a call, such as MPI_Init that something ends the program from.
bool in_a_call() {
  const char *base = reinterpret_cast<const char *>(live);
  for (std::uint64_t at = (sizeof(wire::Header) + 63) / 64 * 64; at < live->used;) {
    const wire::ItemHeader *item = reinterpret_cast<const wire::ItemHeader *>(base + at);
    bool thread = item->type == wire::Item::thread;
    if (thread && reinterpret_cast<const wire::ThreadItem *>(item)->current.call < wire::call_count) return true;
    at += item->bytes;
  }
  return false;
}

/// Asked for the version or the like: never was a rank. What ends inside a call wanted to be one; a dump has no name for it, the
/// live block stays.
void exit_without_rank() {
  if (!in_a_call()) return unlink_live_block();
  live->state = wire::State::exited;
  refresh_clock();
}

/// The program ended by itself: `exit`, or the end of main.
__attribute__((destructor)) void at_exit() {
  if (!recording()) return;
  KeepErrno keep;
  if (live->state == wire::State::before_init) return exit_without_rank();
  if (live->state == wire::State::running) live->state = wire::State::exited;
  if (!live->end) live->end = now();
  if (!live->dumped || count_calls() != dumped_calls) dump();
  if (handed_over()) clear_place(run_dir);
}

/// A rank whose data are not in the run directory writes its dump while there still is MPI to hand it over with: MPI_Finalize is in
/// it as a call without duration. If that does not come about, the true one replaces it.
void dump_early(Thread &thread) {
  wire::State state = live->state;
  live->state = wire::State::finalized;
  live->end = now();
  wire::Entry *entry = nullptr;
  if (!paused) {
    entry = note_entry(thread, {make_key(wire::Call::MPI_Finalize, wire::none_comm, thread.site), 0, 0, 1, 0, 0, 0, false});
    note_duration(thread, wire::Call::MPI_Finalize, 0);
  }
  complete_block();
  fill_slot();
  if (entry && --entry->calls == 0) entry->min = ~std::uint64_t{0};
  if (wire::CallStatsItem *stats = paused ? nullptr : thread.calls[static_cast<int>(wire::Call::MPI_Finalize)].stats) stats->last_bucket = 0;
  live->end = 0;
  live->state = state;
}

void take_slot_in_node() {
  const Place &place = find_place();
  bool wanted = place.collect == Collect::node || place.collect == Collect::mpi || (place.collect == Collect::automatic && place.local);
  if (wanted) claim_slot(run_dir);
}

}  // namespace

FunctionTable *fast_functions = &no_functions;

Prepared prepare(wire::Call call, bool profiling, const void *caller, const void *frame) {
  KeepErrno keep;
  if (!__atomic_load_n(&started, __ATOMIC_ACQUIRE)) start();
  void *function = real_function(call, profiling, caller);
  if (!recording()) return {function, nullptr};
  if (!__atomic_load_n(&detected, __ATOMIC_ACQUIRE)) detect(call, caller);
  if (inside_library(caller) || (finalizing && inside_component(caller))) return {function, nullptr};
  Thread *thread = self;
  if (!thread) {
    thread = acquire_thread();
    if (!thread) return {function, nullptr};
    prepare_callsites(*thread);
    self = thread;
    pthread_setspecific(thread_key, thread);
  }
  if (thread->guard) {
    if (in_progress(*thread, frame)) return {function, nullptr};
    close_abandoned(*thread);
  }
  if (!finalizing) (*fast_functions)[static_cast<int>(call)][profiling] = function;
  return {function, thread};
}

void before_init() {
  KeepErrno keep;
  note_environment();
  if (trace_block) exchange_clock(*trace_block, 0, run_dir);
}

namespace {

void become_rank(int rank, int size, std::uint64_t begin) {
  live->rank = rank;
  live->size = size;
  live->begin = begin;
  find_world();
  live->state = wire::State::running;
}

}  // namespace

void after_init(Thread &thread, std::uint64_t begin) {
  KeepErrno keep;
  if (live->state != wire::State::before_init) return;
  int rank = 0, size = 1;
  if (family.id != wire::Family::unknown) {
    library.comm_rank(family.world, &rank);
    library.comm_size(family.world, &size);
  }
  if (library.query_thread) library.query_thread(&live->thread_level);
  multiple = live->thread_level == 3;  // MPI_THREAD_MULTIPLE in both families
  become_rank(rank, size, begin);
  if (family.id != wire::Family::unknown) start_communicators();
  take_slot_in_node();
  if (find_place().collect == Collect::mpi && family.id != wire::Family::unknown) prepare_hand_over(find_place().local);
  calibrate_cost(thread);
  refresh_clock();
}

void after_session_init(std::uint64_t begin) {
  KeepErrno keep;
  if (live->state != wire::State::before_init) return;
  // Without MPI_COMM_WORLD the process manager's word is all there is.
  const char *rank = environment("PMI_RANK"), *size = environment("PMI_SIZE");
  note_environment();
  multiple = true;  // a session's thread level is its own; assume the most
  become_rank(rank ? atoi(rank) : 0, size ? atoi(size) : 1, begin);
  take_slot_in_node();
  if (trace_block) exchange_clock(*trace_block, 0, run_dir);
}

void before_finalize(Thread &thread) {
  if (has_part_in_hand_over() && live->state == wire::State::running) {
    KeepErrno keep;
    if (find_place().local) dump_early(thread);
    hand_over(run_dir);
  }
  finalizing = true;
  thread.finalizing = true;
  thread.finalize_site = thread.site;
  fast_functions = &no_functions;
}

void end_finalize(Thread &thread) {
  finalizing = false;
  thread.finalizing = false;
  thread.site = thread.finalize_site;
  fast_functions = &control->functions;
}

void resume_finalize(Thread &thread) {
  wire::Current &current = thread.item->current;
  current.request_call = static_cast<std::uint16_t>(wire::Call::none);
  current.comm = wire::none_comm;
  current.peer = current.tag = wire::none;
  current.bytes = wire::none;
  current.site = thread.finalize_site;
  enter_call(thread, wire::Call::MPI_Finalize, now());
}

void after_finalize(std::uint64_t end) {
  if (trace_block) exchange_clock(*trace_block, 1, run_dir);
  live->end = end;
  if (live->state == wire::State::running) live->state = wire::State::finalized;
  dump();
}

void before_abort(int code) {
  KeepErrno keep;
  if (live->state == wire::State::running) live->state = wire::State::aborted;
  live->abort_code = code;
  refresh_clock();
}

void nested_abort(int code, const void *caller) {
  if (!recording() || !self || inside_library(caller) || live->state != wire::State::running) return;
  before_abort(code);
}

}  // namespace scope::preload
