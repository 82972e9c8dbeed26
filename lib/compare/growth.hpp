#pragma once
// Times and ratios against a base: did they grow, and is that more than noise.

#include <string>
#include <vector>

#include "compare/options.hpp"
#include "compare/verdict.hpp"

namespace scope::compare {

struct GrowthGate {
  Metric metric;
  double threshold = default_threshold;
  std::string source;   ///< "" by default
  bool named = false;   ///< asked for by name: missing values are failures
};

/// One verdict a gate, in their order. They are one family: the more gates, the stronger evidence each needs.
///
/// A gate fails when all hold: ratio of medians above 1 + threshold; difference of medians above the floor; and with at least
/// `fewest_tested` repetitions a side the Mann-Whitney test at `rank_level`, and either that test or Welch's on the logarithms
/// at `alarm_level`, all Holm-corrected. (The rank test of 5 against 5 has 1/252 as its smallest value: alone it could not hold
/// false alarms of ten metrics below 1 %.) Of fewer repetitions the samples must not overlap; single runs have nothing more
/// to say.
/// Where the two ran in turn (ran_in_turn), the ratio is the median of the pairs', and the tests are the signed-rank test and a
/// trimmed t test of the pairs' logarithms: what makes a machine slow for seconds hits both of a pair.
/// Without `intervals` the verdicts have none, which changes no outcome and saves most of the time (simulations).
std::vector<Verdict> check_growth(const std::vector<GrowthGate> &gates, const Measurements &base, const Measurements &now,
                                  double floor_ns, bool intervals = true);

}  // namespace scope::compare
