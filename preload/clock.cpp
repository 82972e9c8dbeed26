#include "clock.hpp"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "procfs.hpp"

namespace scope::preload {

bool clock_is_tsc = false;

namespace {

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
  if (wish && strcmp(wish, "monotonic") == 0)
    clock_is_tsc = false;
  else
    clock_is_tsc = counter_is_good();
}

std::uint64_t monotonic_ns() { return read_clock(CLOCK_MONOTONIC); }
std::uint64_t realtime_ns() { return read_clock(CLOCK_REALTIME); }

wire::ClockPair clock_pair() {
  if (!clock_is_tsc) {
    std::uint64_t time = monotonic_ns();
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
