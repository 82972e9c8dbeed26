#pragma once
// Statistics of two programs that ran in turn (A B A B): each run is compared with the one beside it, so that what makes a machine
// slow for some seconds hits both of a pair. Pure functions; samples are of equal length, positions belong together.

#include <cstddef>
#include <vector>

#include "compare/measurements.hpp"
#include "compare/statistics.hpp"

namespace scope::compare {

/// Pairs from which on the paired tests are used: 2^-10 times ten metrics is still below 0.01.
inline constexpr std::size_t fewest_paired = 10;

/// Whether the repetitions of two profiles were run in turn, as `run --versus` does: as many of each, all sound, and their starts
/// alternate. At least `fewest_paired`.
bool ran_in_turn(const Measurements &base, const Measurements &now);

/// log(larger / smaller) of each pair; the plain difference where a value is not positive.
std::vector<double> pair_differences(const std::vector<double> &smaller, const std::vector<double> &larger);

/// One-sided Wilcoxon signed-rank test: the probability of a sum of positive ranks at least as large as the one found, where
/// differences are as often positive as negative. Exact, given ties (mid-ranks; zeros are left out, Lehmann, Nonparametrics,
/// 3.3), for up to 60 pairs; beyond with the normal approximation, corrected for ties and continuity. 1 where nothing differs.
double signed_rank(const std::vector<double> &differences);

/// One-sided one-sample t test of the trimmed mean (Tukey and McLaughlin 1963): a fifth of the differences is left out at each end,
/// so that runs that were disturbed hide nothing. 1 of fewer than two; 0 or 1 where the rest does not vary.
double trimmed_t(std::vector<double> differences);

/// Probability that the mean of two differences is positive (over all Walsh averages, ties counted half): the effect size that
/// belongs to the signed-rank test. 0.5: none.
double walsh_superiority(const std::vector<double> &differences);

/// 95 % percentile bootstrap interval of the median pair ratio; see ratio_interval().
Interval pair_interval(const std::vector<double> &ratios);

/// Pairs that find an effect of this walsh_superiority with 90 % power at `level` (Noether 1987); 0 where the effect is none. At
/// most 1000.
std::size_t pairs_for_power(double superiority, double level);

/// Pairs for which differences that are all positive can become significant at `level` when `family` metrics are tested together.
std::size_t pairs_for_level(double level, std::size_t family);

}  // namespace scope::compare
