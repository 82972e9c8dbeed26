#pragma once
// Statistics over few repetitions. Pure functions; same input, same output. Samples are finite numbers, in any order.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace scope::compare {

/// Of an even number the mean of the two in the middle; 0 of none.
double median(std::vector<double> values);

/// Median of the absolute deviations from the median, times 1.4826: the standard deviation where noise is normal.
double robust_deviation(const std::vector<double> &values);

/// One-sided Mann-Whitney test (Wilcoxon rank sum): the probability of a rank sum of `larger` at least as large as the one
/// found, where both samples come from one distribution. Exact, given the ties that there are (mid-ranks; Lehmann,
/// Nonparametrics, 1.4), for up to 60 values together; beyond with the normal approximation, corrected for ties and continuity.
/// 1 where a sample is empty.
double mann_whitney(const std::vector<double> &smaller, const std::vector<double> &larger);

/// The smallest value that mann_whitney can give for samples of these sizes without ties: 1 / (m + n over n).
double smallest_p(std::size_t smaller, std::size_t larger);

/// One-sided t test without the assumption of equal variances (Welch 1947), on the logarithms: the probability of so much larger
/// a mean of `larger`, where noise is log-normal. 1 where a value is not positive or a sample has fewer than two values; 0 or 1
/// where neither sample varies.
double welch_on_logs(const std::vector<double> &smaller, const std::vector<double> &larger);

/// Holm's step-down correction (1979): p-values that can each be compared with the level of the whole family. Same order.
std::vector<double> holm(const std::vector<double> &p_values);

/// Probability that a value of `larger` exceeds one of `smaller`, ties counted half: the effect size that belongs to the rank
/// test (0.5: none, 1: no overlap). 0.5 where a sample is empty.
double superiority(const std::vector<double> &smaller, const std::vector<double> &larger);

struct Interval {
  double low = 0, high = 0;
};
/// 95 % percentile bootstrap interval of median(larger) / median(smaller): 2,000 resamplings with a fixed seed. Of few values
/// it is too narrow (5 a side cover some 85 %): it is shown, not decided by. Where a sample has one value, that value is certain.
Interval ratio_interval(const std::vector<double> &smaller, const std::vector<double> &larger);

/// Repetitions a side for which a complete separation of the samples can become significant at `level` when `family` metrics
/// are tested together.
std::size_t repeats_for_level(double level, std::size_t family);

/// Repetitions a side that find an effect of this superiority with 90 % power at `level` (Noether 1987); 0 where the effect is
/// none (0.5 or less). At most 1000.
std::size_t repeats_for_power(double superiority, double level);

}  // namespace scope::compare
