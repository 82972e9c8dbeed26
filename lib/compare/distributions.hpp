#pragma once
// Tails of the normal and of Student's distribution.

namespace scope::compare {

/// P(Z >= z) of the standard normal distribution.
double normal_upper_tail(double z);

/// The z of which P(Z >= z) is `p`, for 0 < p < 1.
double normal_upper_quantile(double p);

/// P(T >= t) of Student's distribution with `freedom` > 0 degrees of freedom, which need not be whole.
double student_upper_tail(double t, double freedom);

}  // namespace scope::compare
