#pragma once
// Time: the time-stamp counter where it is constant and never stops (11 ns a read in a virtual machine, against 26 ns for
// clock_gettime), else CLOCK_MONOTONIC. Durations are differences of ticks; what a tick is, is settled when reading, from
// pairs of the two clocks (wire::ClockPair).

#include <cstdint>

#include "wire/live_block.hpp"

namespace scope::preload {

extern bool clock_is_tsc;

/// Chooses the clock. `wish` is "tsc", "monotonic" or nullptr for the better one that is there.
void choose_clock(const char *wish);

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

inline std::uint64_t now() { return __builtin_expect(clock_is_tsc, true) ? read_counter() : monotonic_ns(); }

/// Both clocks at the same instant: of several tries the one whose reads lay closest together.
wire::ClockPair clock_pair();

}  // namespace scope::preload
