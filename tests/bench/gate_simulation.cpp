// Prints the figures of share/doc/gate.md: false alarms a gate, and the smallest regression that is found in 9 of 10 gates.
//
//   gate_simulation TIMES [GATES]

#include <cstdio>
#include <cstdlib>

#include "gate_simulation.hpp"

using namespace scope::bench;

namespace {

constexpr std::uint64_t seed = 20261130;

/// In steps of 1 %, 0 where not even +200 % is found.
double smallest_found(const Setting &setting, std::size_t gates, bool ours) {
  int low = 0, high = 201;  // not found, found
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    const Rates found = rates(setting, 1 + middle / 100.0, gates, seed + static_cast<std::uint64_t>(middle));
    ((ours ? found.ours : found.plain) >= 0.9 ? high : low) = middle;
  }
  return high > 200 ? 0 : high;
}

void print(const char *name, const Setting &setting, std::size_t gates) {
  const Rates alarms = rates(setting, 1, gates, seed);
  const auto found = [&](bool ours) {
    const double percent = smallest_found(setting, gates / 10, ours);
    return percent > 0 ? "+" + std::to_string(static_cast<int>(percent)) + " %" : std::string("> +200 %");
  };
  std::printf("| %s | %zu | %zu | %.2f %% | %s | %.1f %% | %s |\n", name, setting.metrics, setting.repeats, alarms.ours * 100, found(true).c_str(),
              alarms.plain * 100, found(false).c_str());
  std::fflush(stdout);
}

void print_all(const char *name, const Noise &noise, std::size_t gates) {
  for (std::size_t metrics : {10u, 3u})
    for (std::size_t repeats : {5u, 10u}) print(name, {noise, metrics, repeats}, gates);
}

/// A machine that is slower for seconds: series one after the other, and in turn.
void print_drift(std::size_t gates) {
  const Noise noise{0.03, 0.05, 1.5};
  for (std::size_t repeats : {10u, 20u, 30u}) {
    print("3 %, one run in 20 disturbed, machine varies by 20 %: one after the other", {noise, 3, repeats, false, 0.2}, gates);
    print("the same, in turn (`--versus`)", {noise, 3, repeats, true, 0.2}, gates);
  }
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", share * 100);
  return text;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: gate_simulation TIMES [GATES]\n");
    return 2;
  }
  const std::size_t gates = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 10000;
  const Noise compute = fit(read_times(argv[1], 1)), wall = fit(read_times(argv[1], 0));
  std::printf("noise measured: wall sigma %s, outliers %s; compute_time sigma %s, outliers %s\n\n", percent(wall.sigma).c_str(),
              percent(wall.outlier_share).c_str(), percent(compute.sigma).c_str(), percent(compute.outlier_share).c_str());
  std::printf("| noise | metrics | repetitions | false alarms | found in 9 of 10 | plain 5 %% gate: false alarms | found in 9 of 10 |\n"
              "|---|---|---|---|---|---|---|\n");
  print_all("1 %", {0.01, 0, 1}, gates);
  print_all("3 %", {0.03, 0, 1}, gates);
  print_all("10 %", {0.10, 0, 1}, gates);
  print_all("3 %, one run in ten disturbed", {0.03, 0.1, 1.5}, gates);
  print_all(("measured wall (" + percent(wall.sigma) + ")").c_str(), wall, gates);
  print_all(("measured compute_time (" + percent(compute.sigma) + ")").c_str(), compute, gates);
  print_drift(gates);
  return 0;
}
