// How long the analysis of a large timeline takes, and what it needs: 1,024 ranks, 1, 3 and 10 million events.
// `bench_timeline_scale`. Each size runs in a process of its own, so that its peak of memory is its own.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyze/timeline.hpp"
#include "analyze/timeline_ideal.hpp"
#include "analyze/timeline_rows.hpp"
#include "timeline_generator.hpp"

namespace {

using Clock = std::chrono::steady_clock;

template <class Function>
auto timed(const char *what, Function fn) {
  const auto begin = Clock::now();
  auto result = fn();
  std::printf("  %-14s %6.2f s\n", what, std::chrono::duration<double>(Clock::now() - begin).count());
  return result;
}

long peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

/// The steps, one by one; then all of it, as a user has it.
int measure(std::size_t events_a_rank, bool steps) {
  using namespace scope;
  const bench::RingGenerator ring(1024, events_a_rank, 1);
  std::size_t events = 0;
  for (const auto &list : ring.result.events) events += list.size();
  std::printf("%zu events, %ld MiB with nothing but these\n", events, peak_mib());
  if (steps) {
    const analyze::Recording recording(ring.result);
    auto matches = timed("matching", [&] { return analyze::match(recording); });
    timed("replay", [&] { return analyze::split_efficiency(recording, matches); });
    const auto waits = timed("wait states", [&] { return analyze::find_waits(recording, matches); });
    const auto tracks = timed("tracks", [&] { return analyze::tracks_of(recording); });
    timed("delays", [&] { return analyze::find_delays(recording, tracks, waits.by_rank); });
    timed("critical path", [&] { return analyze::find_critical_path(recording, tracks, waits.by_rank); });
    return 0;
  }
  const auto results = timed("all", [&] { return analyze::analyze_timeline(ring.result); });
  std::printf("  %ld MiB at most, %lld ms waited as generated: %s\n", peak_mib(),
              static_cast<long long>(results.waiting_ns / 1'000'000), results.waiting_ns == ring.known.sum() ? "yes" : "NO");
  return results.waiting_ns == ring.known.sum() ? 0 : 1;
}

bool run_apart(std::size_t events_a_rank, bool steps) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const int code = measure(events_a_rank, steps);
    std::fflush(stdout);
    _exit(code);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main() {
  bool good = true;
  for (std::size_t events : {1'000u, 3'000u, 10'000u}) good = run_apart(events, false) && run_apart(events, true) && good;
  return good ? 0 : 1;
}
