#pragma once
// The timeline of this process (run --trace): a file of its own in the run directory that every finished call or region adds an
// event to (layout: wire/trace_block.hpp). It is bounded; what finds no room is counted.

#include <cstddef>
#include <cstdint>

#include "clock.hpp"
#include "memory.hpp"
#include "wire/trace_block.hpp"

namespace scope::preload {

/// The mapped header; nullptr where no timeline is asked for, or there is no room for one.
SCOPE_HIDDEN extern wire::TraceHeader *trace_block;

/// Where one thread appends. All zero: its events are not kept.
struct TraceStream {
  wire::TraceEvent *next, *end;  ///< room of `area`
  wire::TraceActiveItem *area;
  std::uint32_t thread;
  std::uint32_t total;           ///< events written so far, by which completions name what they complete
  bool on;
};

/// Makes the file if `bytes`, a decimal number, is given. Not thread-safe.
void open_trace_block(const char *bytes, const char *run_dir, const char *run_id, wire::Holds holds);

/// The stream of a thread that begins: `stream` is that of the thread that had the number before, or zero.
void open_stream(TraceStream &stream, std::uint32_t thread);

/// Repeats the key of a new entry; `entry` is its offset in the live block / 16. Not thread-safe, as add_item.
void trace_key(std::uint32_t entry, const wire::EntryKey &key);

/// Takes the clocks anew: at the end, and now and then.
void refresh_trace_clock();

/// Room for further events; false at the bound, from then on for good. Takes a lock of its own. Writes to the file once in 2,045
/// events, which takes some 20 us.
bool more_events(TraceStream &stream);
/// An event of a call that began at `begin` found no room.
void drop_event(std::uint64_t begin);

constexpr std::uint32_t trace_word(wire::TraceKind kind, std::uint32_t what, std::uint32_t start_thread = 0) {
  return static_cast<std::uint32_t>(kind) << 30 | start_thread << wire::trace_entry_bits | what;
}

/// `begin` is that of the call, whatever the event holds.
[[gnu::always_inline]] inline void append_event(TraceStream &stream, std::uint64_t begin, const wire::TraceEvent &event) {
  if (__builtin_expect(stream.next == stream.end, false) && !more_events(stream)) return drop_event(begin);
  *stream.next++ = event;
  ++stream.total;
  __atomic_store_n(&stream.area->count, stream.area->count + 1, __ATOMIC_RELEASE);
}

}  // namespace scope::preload
