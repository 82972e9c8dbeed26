#include "clock.hpp"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "procfs.hpp"

namespace scope::preload {

Clock the_clock{false, monotonic_ns, 0, 0};

namespace {

wire::ClockPair chosen_at;

std::uint64_t read_clock(clockid_t id) {
  timespec time;
  clock_gettime(id, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1000000000u + static_cast<std::uint64_t>(time.tv_nsec);
}

/// The kernel's own judgement of the clock source is of no use in a guest, which may mark a good counter unstable: the CPU's
/// flags decide.
bool counter_is_good() {
#if defined(__x86_64__)
  char text[4096];
  int length = read_text("/proc/cpuinfo", text, sizeof text);
  const char *flags = length > 0 ? strstr(text, "\nflags") : nullptr;
  if (!flags) return false;
  const char *end = strchr(flags + 1, '\n');
  const char *constant = strstr(flags, " constant_tsc"), *nonstop = strstr(flags, " nonstop_tsc");
  return constant && nonstop && (!end || (constant < end && nonstop < end));
#elif defined(__aarch64__)
  return true;  // the generic timer is constant and shared by definition
#else
  return false;
#endif
}

}  // namespace

void choose_clock(const char *wish) {
  the_clock.is_tsc = !(wish && strcmp(wish, "monotonic") == 0) && counter_is_good();
  chosen_at = clock_pair();
}

void measure_clock() {
  // Counters go up in steps: 26 ticks here, while two reads are 22 apart, so that the least of many pairs is 1 and the median 26.
  // The mean is right; an interrupt spoils one batch only.
  constexpr unsigned pairs = 128;
  std::uint64_t least = ~std::uint64_t{0};
  for (int batch = 0; batch < 8; ++batch) {
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < pairs; ++i) {
      std::uint64_t before = now();
      sum += now() - before;
    }
    if (sum < least) least = sum;
  }
  // A microsecond needs no precision. The clocks are at most some 0.1 us apart in a pair, so that 20 us are enough.
  wire::ClockPair later;
  do later = clock_pair();
  while (later.monotonic_ns - chosen_at.monotonic_ns < 20000);
  the_clock.short_ticks = (later.ticks - chosen_at.ticks) * 1000 / (later.monotonic_ns - chosen_at.monotonic_ns);
  the_clock.own_ticks = (least + pairs / 2) / pairs;
}

std::uint64_t monotonic_ns() { return read_clock(CLOCK_MONOTONIC); }
std::uint64_t realtime_ns() { return read_clock(CLOCK_REALTIME); }

wire::ClockPair clock_pair() {
  if (!the_clock.is_tsc) {
    std::uint64_t time = the_clock.read_slowly();
    return {time, time};
  }
  wire::ClockPair best{};
  std::uint64_t closest = ~std::uint64_t{0};
  for (int i = 0; i < 8; ++i) {
    std::uint64_t before = read_counter(), time = monotonic_ns(), after = read_counter();
    if (after - before < closest) {
      closest = after - before;
      best = {before + (after - before) / 2, time};
    }
  }
  return best;
}

}  // namespace scope::preload
