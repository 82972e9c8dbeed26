#pragma once
// Time: the time-stamp counter where it is constant and never stops (11 ns a read in a virtual machine, against 26 ns for
// clock_gettime), else CLOCK_MONOTONIC. Durations are differences of ticks; what a tick is, is settled when reading, from
// pairs of the two clocks (wire::ClockPair).

#include <cstdint>

#include "wire/live_block.hpp"

/// For data that the hot path looks at: without it the compiler takes data of other files for another library's (the option
/// -fvisibility says nothing of declarations), and looks up its address first.
#define SCOPE_HIDDEN __attribute__((visibility("hidden")))

namespace scope::preload {

/// What every call needs of the clock, together.
struct alignas(32) Clock {
  bool is_tsc;
  std::uint64_t (*read_slowly)();  ///< where there is no good counter: monotonic_ns; tests have one of their own
  std::uint64_t own_ticks;  ///< that reading it adds to a duration on average, 0 until measured
  std::uint64_t short_ticks;  ///< durations below this, 1 us, go without them
};
SCOPE_HIDDEN extern Clock the_clock;

/// Chooses the clock. `wish` is "tsc", "monotonic" or nullptr for the better one that is there. Begins to measure its rate.
void choose_clock(const char *wish);

/// Finds out what the clock adds to durations: the mean difference of two reads, in the best of several batches.
void measure_clock();

std::uint64_t monotonic_ns();
std::uint64_t realtime_ns();

inline std::uint64_t read_counter() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t ticks;
  asm volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return 0;
#endif
}

inline std::uint64_t now() { return __builtin_expect(the_clock.is_tsc, true) ? read_counter() : the_clock.read_slowly(); }

/// The end of what began at `begin`, without the clock's own part where that is worth mention. All that is booked of a call
/// follows from begin and end, so that it stays consistent.
[[gnu::always_inline]] inline std::uint64_t without_clock(std::uint64_t begin, std::uint64_t end) {
  std::uint64_t duration = end - begin, own = the_clock.own_ticks;
  if (__builtin_expect(duration >= the_clock.short_ticks, false)) return end;
  return end - (own < duration ? own : duration);  // which is smaller varies from call to call: it must not become a branch
}

/// Both clocks at the same instant: of several tries the one whose reads lay closest together.
wire::ClockPair clock_pair();

}  // namespace scope::preload
