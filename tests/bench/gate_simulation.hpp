#pragma once
// How often the gate cries wolf, and what it finds: simulated series of a program whose times have a known noise. Noise is
// log-normal with outliers, as measured (tests/data/heat-times.txt). All metrics draw independently, which is the worst case:
// those of a real run move together.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "compare/growth.hpp"

namespace scope::bench {

struct Noise {
  double sigma = 0.02;          ///< standard deviation of the logarithm
  double outlier_share = 0;     ///< how many runs are disturbed
  double outlier_factor = 1.5;  ///< what these take longer, typically
};

/// The noise of measured values: robust deviation of the logarithms, and what lies beyond three of them.
inline Noise fit(const std::vector<double> &values) {
  std::vector<double> logs;
  for (double value : values) logs.push_back(std::log(value));
  const double middle = compare::median(logs);
  Noise noise{compare::robust_deviation(logs), 0, 1};
  double excess = 0;
  std::size_t outliers = 0;
  for (double value : logs) {
    if (value - middle <= 3 * noise.sigma) continue;
    excess += value - middle;
    ++outliers;
  }
  noise.outlier_share = static_cast<double>(outliers) / static_cast<double>(values.size());
  if (outliers) noise.outlier_factor = std::exp(excess / static_cast<double>(outliers));
  return noise;
}

/// A column of the file of measured times; lines that begin with '#' are for people.
inline std::vector<double> read_times(const std::string &file, std::size_t column) {
  std::vector<double> values;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    double value = 0;
    for (std::size_t i = 0; i <= column; ++i) words >> value;
    values.push_back(value);
  }
  return values;
}

/// splitmix64 (Steele 2014), and from it normal numbers by Box and Muller: the same on every platform.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  double uniform() {
    state_ += 0x9e3779b97f4a7c15ull;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ull;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebull;
    mixed ^= mixed >> 31;
    return (static_cast<double>(mixed >> 11) + 0.5) / 9007199254740992.0;
  }
  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform()); }

 private:
  std::uint64_t state_;
};

inline double draw(const Noise &noise, Random &random) {
  double value = std::exp(noise.sigma * random.normal());
  if (random.uniform() < noise.outlier_share) value *= 1 + (noise.outlier_factor - 1) * random.uniform() * 2;
  return value;
}

struct Setting {
  Noise noise;
  std::size_t metrics = 10, repeats = 5;
  bool in_turn = false;  ///< as `run --versus` does it
  double drift = 0;      ///< the machine's own: standard deviation of a logarithm that both runs of a pair have in common
};

/// The machine's state, one a pair.
inline std::vector<double> machine(const Setting &setting, Random &random) {
  std::vector<double> states;
  for (std::size_t i = 0; i < setting.repeats; ++i) states.push_back(std::exp(setting.drift * random.normal()));
  return states;
}

/// Regions r0, r1, ...; the first takes `factor` times the others' second. `side` is 0 for the base, 1 for the new program.
inline compare::Measurements simulate(const Setting &setting, double factor, const std::vector<double> &states, int side, Random &random) {
  compare::Measurements result;
  for (std::size_t i = 0; i < setting.repeats; ++i) {
    model::Repeat repeat;
    if (setting.in_turn) repeat.started = std::to_string(1000 + 2 * i + static_cast<std::size_t>(side));
    for (std::size_t m = 0; m < setting.metrics; ++m) {
      const double time = 1e9 * (m == 0 ? factor : 1) * states[i] * draw(setting.noise, random);
      repeat.regions.path.push_back("r" + std::to_string(m));
      repeat.regions.calls.push_back(1);
      repeat.regions.total_ns.push_back(static_cast<std::int64_t>(time));
      repeat.regions.max_ns.push_back(static_cast<std::int64_t>(time));
    }
    result.repeats.push_back(std::move(repeat));
  }
  return result;
}

struct Rates {
  double ours = 0;   ///< share of gates in which the metric (of a false alarm: any) failed
  double plain = 0;  ///< the same for a gate that looks at the ratio of medians alone: above 1.05 fails
};

/// `factor` 1: false alarms, any metric counts. Above: what is found, the first metric counts.
inline Rates rates(const Setting &setting, double factor, std::size_t gates, std::uint64_t seed) {
  Random random(seed);
  std::vector<compare::GrowthGate> all;
  for (std::size_t m = 0; m < setting.metrics; ++m)
    all.push_back({{compare::Scope::region, "r" + std::to_string(m), "total"}, compare::default_threshold, "", false});
  std::size_t ours = 0, plain = 0;
  for (std::size_t i = 0; i < gates; ++i) {
    const auto states = machine(setting, random);
    const auto other_states = setting.in_turn ? states : machine(setting, random);
    const auto base = simulate(setting, 1, states, 0, random), now = simulate(setting, factor, other_states, 1, random);
    const auto verdicts = compare::check_growth(all, base, now, compare::default_floor_ns, false);
    bool fails = false, plain_fails = false;
    for (std::size_t m = 0; m < (factor == 1 ? verdicts.size() : 1); ++m) {
      fails = fails || verdicts[m].outcome == compare::Outcome::fail;
      plain_fails = plain_fails || *verdicts[m].ratio > 1.05;
    }
    ours += fails;
    plain += plain_fails;
  }
  return {static_cast<double>(ours) / static_cast<double>(gates), static_cast<double>(plain) / static_cast<double>(gates)};
}

}  // namespace scope::bench
