#include "compare/distributions.hpp"

#include <cmath>

namespace scope::compare {
namespace {

/// Continued fraction of the incomplete beta function, by Lentz's method (DLMF 8.17.22).
double beta_fraction(double x, double a, double b) {
  constexpr double tiny = 1e-300;
  const auto away_from_zero = [](double value) { return std::abs(value) < tiny ? tiny : value; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), value = d;
  for (int m = 1; m <= 500; ++m) {
    double numerator = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + numerator * d);
    c = away_from_zero(1 + numerator / c);
    value *= d * c;
    numerator = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + numerator * d);
    c = away_from_zero(1 + numerator / c);
    const double factor = d * c;
    value *= factor;
    if (std::abs(factor - 1) < 1e-14) break;
  }
  return value;
}

/// Regularised incomplete beta function I_x(a, b).
double incomplete_beta(double x, double a, double b) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double log_front = std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
  // The fraction converges fast on one side of the mean only.
  if (x > (a + 1) / (a + b + 2)) return 1 - std::exp(log_front) * beta_fraction(1 - x, b, a) / b;
  return std::exp(log_front) * beta_fraction(x, a, b) / a;
}

}  // namespace

double normal_upper_tail(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

double normal_upper_quantile(double p) {
  double low = -40, high = 40;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (normal_upper_tail(middle) > p ? low : high) = middle;
  }
  return (low + high) / 2;
}

double student_upper_tail(double t, double freedom) {
  const double half = incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
  return t >= 0 ? half : 1 - half;
}

}  // namespace scope::compare
