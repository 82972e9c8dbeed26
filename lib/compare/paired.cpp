#include "compare/paired.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "compare/distributions.hpp"

namespace scope::compare {
namespace {

constexpr std::size_t most_exact = 60;
constexpr std::size_t most_pairs = 1000;

/// Whether a1 <= b1 <= a2 <= b2 ... Starts are texts of one form (ISO 8601, UTC), which sort as they are.
bool alternate(const std::vector<model::Repeat> &first, const std::vector<model::Repeat> &second) {
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i].started.empty() || first[i].started > second[i].started) return false;
    if (i + 1 < first.size() && second[i].started > first[i + 1].started) return false;
  }
  // All in one second say nothing.
  return first.front().started < second.back().started;
}

struct Ranked {
  std::vector<std::size_t> doubled;  ///< twice the mid-ranks of the sizes: whole numbers
  std::size_t positive = 0;          ///< sum of those of positive differences
  double ties = 0;                   ///< sum of t^3 - t over groups of equal sizes
};

Ranked rank_sizes(std::vector<double> differences) {
  std::erase(differences, 0.0);
  std::sort(differences.begin(), differences.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  Ranked ranked;
  for (std::size_t begin = 0; begin < differences.size();) {
    std::size_t end = begin;
    while (end < differences.size() && std::abs(differences[end]) == std::abs(differences[begin])) ++end;
    for (std::size_t i = begin; i < end; ++i) {
      ranked.doubled.push_back(begin + end + 1);
      if (differences[i] > 0) ranked.positive += begin + end + 1;
    }
    const double equal = static_cast<double>(end - begin);
    ranked.ties += equal * equal * equal - equal;
    begin = end;
  }
  return ranked;
}

/// Probability that a random choice of signs gives at least this sum.
double share_of_signs(const Ranked &ranked) {
  const std::size_t largest = std::accumulate(ranked.doubled.begin(), ranked.doubled.end(), std::size_t{0});
  std::vector<double> chance(largest + 1, 0);
  chance[0] = 1;
  for (std::size_t rank : ranked.doubled)
    for (std::size_t sum = largest + 1; sum-- > 0;) chance[sum] = (chance[sum] + (sum >= rank ? chance[sum - rank] : 0)) / 2;
  return std::accumulate(chance.begin() + static_cast<std::ptrdiff_t>(ranked.positive), chance.end(), 0.0);
}

}  // namespace

bool ran_in_turn(const Measurements &base, const Measurements &now) {
  if (base.repeats.size() != now.repeats.size() || base.repeats.size() < fewest_paired || base.unsound + now.unsound > 0) return false;
  return alternate(base.repeats, now.repeats) || alternate(now.repeats, base.repeats);
}

std::vector<double> pair_differences(const std::vector<double> &smaller, const std::vector<double> &larger) {
  const auto positive = [](double value) { return value > 0; };
  const bool logs = std::all_of(smaller.begin(), smaller.end(), positive) && std::all_of(larger.begin(), larger.end(), positive);
  std::vector<double> differences;
  for (std::size_t i = 0; i < smaller.size() && i < larger.size(); ++i)
    differences.push_back(logs ? std::log(larger[i] / smaller[i]) : larger[i] - smaller[i]);
  return differences;
}

double signed_rank(const std::vector<double> &differences) {
  const Ranked ranked = rank_sizes(differences);
  if (ranked.doubled.empty()) return 1;
  if (ranked.doubled.size() <= most_exact) return share_of_signs(ranked);
  const double n = static_cast<double>(ranked.doubled.size());
  const double mean = n * (n + 1) / 4, variance = n * (n + 1) * (2 * n + 1) / 24 - ranked.ties / 48;
  return normal_upper_tail((static_cast<double>(ranked.positive) / 2 - mean - 0.5) / std::sqrt(variance));
}

double trimmed_t(std::vector<double> differences) {
  if (differences.size() < 2) return 1;
  std::sort(differences.begin(), differences.end());
  const std::size_t cut = differences.size() / 5, kept = differences.size() - 2 * cut;
  const auto first = differences.begin() + static_cast<std::ptrdiff_t>(cut), last = first + static_cast<std::ptrdiff_t>(kept);
  const double mean = std::accumulate(first, last, 0.0) / static_cast<double>(kept);
  // What was cut counts as the nearest that was not (winsorized), for the variance.
  std::fill(differences.begin(), first, *first);
  std::fill(last, differences.end(), *(last - 1));
  const double n = static_cast<double>(differences.size()), h = static_cast<double>(kept);
  const double middle = std::accumulate(differences.begin(), differences.end(), 0.0) / n;
  double squares = 0;
  for (double difference : differences) squares += (difference - middle) * (difference - middle);
  if (squares <= 0) return mean > 0 ? 0 : 1;
  return student_upper_tail(mean / std::sqrt(squares / (h * (h - 1))), h - 1);
}

double walsh_superiority(const std::vector<double> &differences) {
  double wins = 0, all = 0;
  for (std::size_t i = 0; i < differences.size(); ++i)
    for (std::size_t k = i; k < differences.size(); ++k) {
      const double sum = differences[i] + differences[k];
      wins += sum > 0 ? 1 : sum == 0 ? 0.5 : 0;
      all += 1;
    }
  return all > 0 ? wins / all : 0.5;
}

Interval pair_interval(const std::vector<double> &ratios) {
  return ratio_interval({1}, ratios);
}

std::size_t pairs_for_power(double superiority, double level) {
  if (superiority <= 0.5) return 0;
  const double quantiles = normal_upper_quantile(level) + normal_upper_quantile(0.1);
  const double effect = superiority - 0.5;
  return std::min(most_pairs, static_cast<std::size_t>(std::ceil(quantiles * quantiles / (3 * effect * effect))));
}

std::size_t pairs_for_level(double level, std::size_t family) {
  std::size_t pairs = 2;
  while (pairs < most_pairs && std::ldexp(static_cast<double>(family), -static_cast<int>(pairs)) > level) ++pairs;
  return pairs;
}

}  // namespace scope::compare
