// The short form of `bench_gate`: fixed seeds, so the same numbers every time.

#include <gtest/gtest.h>

#include "../bench/gate_simulation.hpp"

using namespace scope::bench;

namespace {

const std::string times = SCOPE_TEST_DATA "/heat-times.txt";

/// At most one gate in a hundred, with ten metrics at 5 and 10 repetitions, whatever the noise.
TEST(GateSimulation, FalseAlarmsAreRare) {
  for (const Noise &noise : {Noise{0.1, 0, 1}, Noise{0.03, 0.1, 1.5}, fit(read_times(times, 0))})
    for (std::size_t repeats : {5u, 10u})
      EXPECT_LE(rates({noise, 10, repeats}, 1, 300, 7).ours, 0.01) << noise.sigma << ", " << repeats;
}

/// The comparison is fair only if the noise is such that a plain gate suffers from it.
TEST(GateSimulation, APlainThresholdCriesWolf) {
  EXPECT_GT(rates({{0.1, 0, 1}, 10, 5}, 1, 100, 7).plain, 0.5);
}

TEST(GateSimulation, RegressionsAreFound) {
  EXPECT_GE(rates({{0.01, 0, 1}, 10, 5}, 1.10, 100, 7).ours, 0.95);
  EXPECT_GE(rates({{0.03, 0, 1}, 10, 10}, 1.10, 100, 7).ours, 0.9);
  EXPECT_GE(rates({{0.03, 0, 1}, 3, 5}, 1.15, 100, 7).ours, 0.9);
  EXPECT_LE(rates({{0.03, 0, 1}, 10, 10}, 1.02, 100, 7).ours, 0.05) << "worse, but below the threshold";
}

/// Two programs that run in turn on a machine that is 20 % slower now and then: what hits both of a pair hides nothing.
TEST(GateSimulation, RunsInTurnSeeThroughDrift) {
  const Noise even{0.03, 0, 1}, disturbed{0.03, 0.05, 1.5};
  EXPECT_GE(rates({even, 3, 10, true, 0.2}, 1.10, 200, 7).ours, 0.95);
  EXPECT_LE(rates({even, 3, 10, false, 0.2}, 1.10, 200, 7).ours, 0.1);
  EXPECT_GE(rates({disturbed, 3, 20, true, 0.2}, 1.10, 200, 7).ours, 0.95);
  EXPECT_LE(rates({disturbed, 3, 20, false, 0.2}, 1.10, 200, 7).ours, 0.2);
  for (const Noise &noise : {Noise{0.1, 0, 1}, Noise{0.03, 0.1, 1.5}, fit(read_times(times, 0))})
    EXPECT_LE(rates({noise, 10, 10, true, 0.2}, 1, 400, 7).ours, 0.01) << noise.sigma;
}

TEST(GateSimulation, MeasuredNoiseIsThere) {
  const auto walls = read_times(times, 0);
  EXPECT_GE(walls.size(), 50u);
  EXPECT_GT(fit(walls).sigma, 0.001);
}

}  // namespace
