#include "compare/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compare/distributions.hpp"

namespace scope::compare {
namespace {

constexpr std::size_t most_exact = 60;
constexpr std::size_t most_repeats = 1000;

/// Twice the mid-ranks of both samples together, so that they are whole numbers; `smaller` first. `ties` gets the sum of
/// t^3 - t over groups of equal values.
std::vector<std::size_t> double_ranks(const std::vector<double> &smaller, const std::vector<double> &larger, double &ties) {
  std::vector<double> all = smaller;
  all.insert(all.end(), larger.begin(), larger.end());
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return all[a] < all[b]; });
  std::vector<std::size_t> ranks(all.size());
  ties = 0;
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && all[order[end]] == all[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = begin + end + 1;  // 2 x mean of begin + 1 .. end
    const double equal = static_cast<double>(end - begin);
    ties += equal * equal * equal - equal;
    begin = end;
  }
  return ranks;
}

/// Share of the choices of `chosen` ranks out of all whose sum is at least `sum`. Counted as shares, so that they do not
/// overflow: ways[k][s] / (N over k) would need big numbers, the probability of a random choice does not.
double share_of_sums(const std::vector<std::size_t> &ranks, std::size_t chosen, std::size_t sum) {
  const std::size_t largest = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(largest + 1, 0));
  ways[0][0] = 1;
  for (std::size_t rank : ranks)
    for (std::size_t k = chosen; k > 0; --k)
      for (std::size_t s = largest; s >= rank; --s) ways[k][s] += ways[k - 1][s - rank];
  double above = 0, all = 0;
  for (std::size_t s = 0; s <= largest; ++s) {
    all += ways[chosen][s];
    if (s >= sum) above += ways[chosen][s];
  }
  return above / all;
}

double normal_tail(double sum, double chosen, double others, double ties) {
  const double all = chosen + others;
  const double mean = chosen * (all + 1) / 2;
  const double variance = chosen * others / 12 * (all + 1 - ties / (all * (all - 1)));
  if (variance <= 0) return 1;
  return normal_upper_tail((sum - mean - 0.5) / std::sqrt(variance));
}

struct Moments {
  double mean = 0, variance = 0;
};

Moments log_moments(const std::vector<double> &values) {
  Moments moments;
  for (double value : values) moments.mean += std::log(value);
  moments.mean /= static_cast<double>(values.size());
  for (double value : values) moments.variance += (std::log(value) - moments.mean) * (std::log(value) - moments.mean);
  moments.variance /= static_cast<double>(values.size() - 1);
  return moments;
}

/// xorshift64* (Vigna 2016): the same numbers on every platform, which std's distributions don't promise.
class Random {
 public:
  std::size_t below(std::size_t limit) {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<std::size_t>((state_ * 0x2545f4914f6cdd1dull) >> 33) % limit;
  }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15ull;
};

double resampled_median(const std::vector<double> &values, Random &random) {
  std::vector<double> sample(values.size());
  for (double &value : sample) value = values[random.below(values.size())];
  return median(std::move(sample));
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : values[half - 1] + (values[half] - values[half - 1]) / 2;
}

double robust_deviation(const std::vector<double> &values) {
  const double middle = median(values);
  std::vector<double> distances;
  for (double value : values) distances.push_back(std::abs(value - middle));
  return 1.4826 * median(distances);
}

double mann_whitney(const std::vector<double> &smaller, const std::vector<double> &larger) {
  if (smaller.empty() || larger.empty()) return 1;
  double ties = 0;
  const auto ranks = double_ranks(smaller, larger, ties);
  const auto sum = std::accumulate(ranks.begin() + static_cast<std::ptrdiff_t>(smaller.size()), ranks.end(), std::size_t{0});
  if (ranks.size() <= most_exact) return share_of_sums(ranks, larger.size(), sum);
  return normal_tail(static_cast<double>(sum) / 2, static_cast<double>(larger.size()), static_cast<double>(smaller.size()), ties);
}

double smallest_p(std::size_t smaller, std::size_t larger) {
  double p = 1;
  for (std::size_t i = 1; i <= larger; ++i) p *= static_cast<double>(i) / static_cast<double>(smaller + i);
  return p;
}

double welch_on_logs(const std::vector<double> &smaller, const std::vector<double> &larger) {
  const auto positive = [](double value) { return value > 0; };
  if (smaller.size() < 2 || larger.size() < 2) return 1;
  if (!std::all_of(smaller.begin(), smaller.end(), positive) || !std::all_of(larger.begin(), larger.end(), positive)) return 1;
  const Moments a = log_moments(smaller), b = log_moments(larger);
  const double m = static_cast<double>(smaller.size()), n = static_cast<double>(larger.size());
  const double from_a = a.variance / m, from_b = b.variance / n;
  if (from_a + from_b <= 0) return b.mean > a.mean ? 0 : 1;
  const double t = (b.mean - a.mean) / std::sqrt(from_a + from_b);
  const double freedom =
      (from_a + from_b) * (from_a + from_b) / (from_a * from_a / (m - 1) + from_b * from_b / (n - 1));
  return student_upper_tail(t, freedom);
}

std::vector<double> holm(const std::vector<double> &p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> corrected(p_values.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, std::min(1.0, p_values[order[i]] * static_cast<double>(order.size() - i)));
    corrected[order[i]] = largest;
  }
  return corrected;
}

double superiority(const std::vector<double> &smaller, const std::vector<double> &larger) {
  if (smaller.empty() || larger.empty()) return 0.5;
  double wins = 0;
  for (double a : smaller)
    for (double b : larger) wins += b > a ? 1 : b == a ? 0.5 : 0;
  return wins / static_cast<double>(smaller.size() * larger.size());
}

Interval ratio_interval(const std::vector<double> &smaller, const std::vector<double> &larger) {
  constexpr std::size_t resamplings = 2000;
  Random random;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < resamplings && !smaller.empty() && !larger.empty(); ++i) {
    const double base = resampled_median(smaller, random);
    const double other = resampled_median(larger, random);
    if (base > 0) ratios.push_back(other / base);
  }
  if (ratios.empty()) return {};
  std::sort(ratios.begin(), ratios.end());
  const std::size_t tail = ratios.size() / 40;
  return {ratios[tail], ratios[ratios.size() - 1 - tail]};
}

std::size_t repeats_for_level(double level, std::size_t family) {
  std::size_t repeats = 2;
  while (repeats < most_repeats && smallest_p(repeats, repeats) * static_cast<double>(family) > level) ++repeats;
  return repeats;
}

std::size_t repeats_for_power(double superiority, double level) {
  if (superiority <= 0.5) return 0;
  const double quantiles = normal_upper_quantile(level) + normal_upper_quantile(0.1);
  const double effect = superiority - 0.5;
  // N = (z_a + z_b)^2 / (12 c (1 - c) (p - 1/2)^2) values in both samples together, a share of c = 1/2 in each.
  const double all = quantiles * quantiles / (3 * effect * effect);
  return std::min(most_repeats, static_cast<std::size_t>(std::ceil(all / 2)));
}

}  // namespace scope::compare
