#pragma once
// What is gated, and how strictly.

#include <optional>
#include <string>
#include <vector>

#include "compare/metric.hpp"

namespace scope::compare {

/// Growth that is let through where no threshold is given.
inline constexpr double default_threshold = 0.05;
/// Time differences below are noise whatever a test says.
inline constexpr double default_floor_ns = 10e6;
/// The like for ratios (a percentage point).
inline constexpr double ratio_floor = 0.01;
/// Repetitions a side from which on times are tested.
inline constexpr std::size_t fewest_tested = 4;
/// Level of the rank test, for all gated metrics together.
inline constexpr double rank_level = 0.05;
/// Level of the second opinion, for all gated metrics together: what false alarms a gate may have.
inline constexpr double alarm_level = 0.01;

struct Limit {
  enum class Kind { growth, at_most, at_least, forbidden };
  Metric metric;       ///< the subject may be a pattern
  Kind kind = Kind::growth;
  double value = 0;    ///< growth: 0.05; else in the metric's unit
  std::string source;  ///< "--max", "budget.toml:3"
};

/// One line of the file of --allow.
struct Allowance {
  std::string pattern;  ///< of metric names
  std::string source;   ///< "allow.txt:2"
};

struct CheckOptions {
  std::optional<double> max_regression;  ///< of all times and ratios; without it the default ones at 5 %
  std::vector<Limit> limits;
  std::vector<Allowance> allowances;
  double floor_ns = default_floor_ns;
  bool defaults = true;  ///< gate what is gated without any option: times and exact counts
  bool fail_on_new = false, fail_on_missing = true, allow_different = false;
};

}  // namespace scope::compare
