#include <gtest/gtest.h>

#include <cmath>

#include "compare/distributions.hpp"
#include "compare/paired.hpp"
#include "compare/statistics.hpp"

using namespace scope::compare;

namespace {

using Values = std::vector<double>;

TEST(Statistics, Median) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_NEAR(robust_deviation({1, 2, 3, 4, 100}), 1.4826, 1e-12);
}

/// Exact values: one of (m + n over n) orders, counted by hand and with R's wilcox.test(exact = TRUE).
TEST(MannWhitney, ExactWithoutTies) {
  EXPECT_DOUBLE_EQ(mann_whitney({1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}), 1.0 / 252);
  EXPECT_DOUBLE_EQ(mann_whitney({1, 2, 3, 4}, {5, 6, 7, 8}), 1.0 / 70);
  EXPECT_DOUBLE_EQ(mann_whitney({5, 6, 7, 8}, {1, 2, 3, 4}), 1);
  EXPECT_DOUBLE_EQ(mann_whitney({1, 2, 3, 5}, {4, 6, 7, 8}), 2.0 / 70);
  EXPECT_DOUBLE_EQ(mann_whitney({1, 3}, {2, 4}), 2.0 / 6);
  EXPECT_EQ(mann_whitney({}, {1}), 1);
}

/// With ties every choice of the mid-ranks counts as often as it occurs: {1, 2, 2 | 2, 3, 3} has ranks 1, 3, 3, 3, 5.5, 5.5;
/// of 20 choices of three, 3 (one of the threes with both 5.5) have a sum of 14 or more.
TEST(MannWhitney, ExactWithTies) {
  EXPECT_DOUBLE_EQ(mann_whitney({1, 2, 2}, {2, 3, 3}), 3.0 / 20);
  EXPECT_DOUBLE_EQ(mann_whitney({7, 7, 7, 7}, {7, 7, 7, 7}), 1);
}

TEST(MannWhitney, ApproximationContinuesTheExactValues) {
  Values a, b;
  for (int i = 0; i < 30; ++i) {
    a.push_back(i);
    b.push_back(i + 6.5);
  }
  const double exact = mann_whitney(a, b);
  a.push_back(14.25);
  b.push_back(20.75);
  const double approximate = mann_whitney(a, b);
  EXPECT_GT(exact, approximate);
  EXPECT_NEAR(exact, approximate, 0.002);
  EXPECT_NEAR(exact, 0.004801843296063561, 1e-12) << "U = 624 of 900, counted by the recursion of Mann and Whitney";
}

TEST(Statistics, SmallestP) {
  EXPECT_DOUBLE_EQ(smallest_p(4, 4), 1.0 / 70);
  EXPECT_DOUBLE_EQ(smallest_p(5, 5), 1.0 / 252);
  EXPECT_DOUBLE_EQ(smallest_p(10, 5), 1.0 / 3003);
}

TEST(Statistics, HolmStepsDown) {
  const auto p = holm({0.01, 0.04, 0.03, 0.005});
  EXPECT_DOUBLE_EQ(p[0], 0.03);
  EXPECT_DOUBLE_EQ(p[1], 0.06);
  EXPECT_DOUBLE_EQ(p[2], 0.06);
  EXPECT_DOUBLE_EQ(p[3], 0.02);
  EXPECT_EQ(holm({0.9, 0.8}), (Values{1, 1}));
  EXPECT_TRUE(holm({}).empty());
}

/// Against tables: t of 2.776 with 4 degrees is 0.025, 4.501 with 8 is 0.001; z of 1.96 is 0.025.
TEST(Distributions, Tails) {
  EXPECT_NEAR(student_upper_tail(2.776445, 4), 0.025, 1e-7);
  EXPECT_NEAR(student_upper_tail(4.500791, 8), 0.001, 1e-8);
  EXPECT_NEAR(student_upper_tail(-2.776445, 4), 0.975, 1e-7);
  EXPECT_NEAR(student_upper_tail(0, 3.7), 0.5, 1e-12);
  EXPECT_NEAR(normal_upper_tail(1.959964), 0.025, 1e-7);
  EXPECT_NEAR(normal_upper_quantile(0.025), 1.959964, 1e-6);
}

/// log 1, 2, 3 against log 4, 5, 6 by hand: means 1, 2, 3 and 4, 5, 6 of the exponents, t = 3 / sqrt(2 / 3), 4 degrees.
TEST(Welch, OnLogarithms) {
  const Values a{std::exp(1), std::exp(2), std::exp(3)}, b{std::exp(4), std::exp(5), std::exp(6)};
  EXPECT_NEAR(welch_on_logs(a, b), student_upper_tail(3 / std::sqrt(2.0 / 3), 4), 1e-12);
  EXPECT_EQ(welch_on_logs({2, 2}, {3, 3}), 0);
  EXPECT_EQ(welch_on_logs({2, 2}, {2, 2}), 1);
  EXPECT_EQ(welch_on_logs({0, 2}, {3, 3}), 1);
  EXPECT_EQ(welch_on_logs({2}, {3, 3}), 1);
}

TEST(Statistics, Superiority) {
  EXPECT_EQ(superiority({1, 2}, {3, 4}), 1);
  EXPECT_EQ(superiority({1, 2}, {1, 2}), 0.5);
  EXPECT_EQ(superiority({}, {1}), 0.5);
}

TEST(Statistics, BootstrapIsTheSameEveryTime) {
  const Values a{100, 101, 102, 103, 104}, b{110, 111, 112, 113, 114};
  const auto first = ratio_interval(a, b), second = ratio_interval(a, b);
  EXPECT_EQ(first.low, second.low);
  EXPECT_EQ(first.high, second.high);
  EXPECT_LT(first.low, 112.0 / 102);
  EXPECT_GT(first.high, 112.0 / 102);
  EXPECT_GT(first.low, 110.0 / 104 - 1e-9);
  EXPECT_LT(first.high, 114.0 / 100 + 1e-9);
  EXPECT_EQ(ratio_interval({5}, {10}).low, 2);
  EXPECT_EQ(ratio_interval({5}, {10}).high, 2);
}

TEST(Statistics, RepeatsThatWouldDecide) {
  EXPECT_EQ(repeats_for_level(0.05, 1), 3u);   // 1/20
  EXPECT_EQ(repeats_for_level(0.05, 3), 4u);   // 3/70
  EXPECT_EQ(repeats_for_level(0.05, 10), 5u);  // 10/252
  EXPECT_EQ(repeats_for_level(0.05, 13), 6u);  // 13/252 is above
  EXPECT_EQ(repeats_for_power(0.5, 0.05), 0u);
  // Noether: (1.645 + 1.282)^2 / (3 x 0.25) = 11.4 in both samples together.
  EXPECT_EQ(repeats_for_power(1, 0.05), 6u);
  EXPECT_GT(repeats_for_power(0.6, 0.05), 100u);
}

// Reference values: R's wilcox.test(x, alternative = "greater") and t.test, and by hand.
TEST(Paired, SignedRankIsExact) {
  EXPECT_DOUBLE_EQ(signed_rank({1, 2, 3, 4}), 1.0 / 16);
  EXPECT_DOUBLE_EQ(signed_rank({-1, 2, 3, 4}), 2.0 / 16) << "10 and 9 are the two largest sums";
  EXPECT_DOUBLE_EQ(signed_rank({1, 2, 3, -4}), 7.0 / 16) << "sums of at least 6: 10 9 8 7 7 6 6";
  EXPECT_DOUBLE_EQ(signed_rank({-1, -2, -3}), 1.0);
  EXPECT_DOUBLE_EQ(signed_rank({0, 0, 1, 2}), 1.0 / 4) << "zeros say nothing";
  EXPECT_DOUBLE_EQ(signed_rank({2, 2, -2}), 4.0 / 8) << "ties: 2 + 2 of 2 + 2 + 2, three ways, and all";
  EXPECT_EQ(signed_rank({}), 1);
  EXPECT_EQ(signed_rank({0, 0}), 1);
  std::vector<double> many;
  for (int i = 1; i <= 100; ++i) many.push_back(i % 3 ? i : -i);
  EXPECT_NEAR(signed_rank(many), 0.0019, 0.0003) << "beyond 60 pairs by the normal distribution";
}

TEST(Paired, TrimmedTTest) {
  EXPECT_NEAR(trimmed_t({1, 2, 3}), 0.0371, 0.0001) << "nothing to cut: t = 3.4641 with 2 degrees of freedom";
  EXPECT_NEAR(trimmed_t({-1, -2, -3}), 0.9629, 0.0001);
  // 1 and 100 go: mean 3; winsorized 2 2 3 4 4 with squares 4; t = 3 / sqrt(4 / 6) = 3.6742 with 2 degrees of freedom.
  EXPECT_NEAR(trimmed_t({100, 4, 2, 3, 1}), 0.0334, 0.0001);
  EXPECT_EQ(trimmed_t({5}), 1);
  EXPECT_EQ(trimmed_t({0.1, 0.1}), 0);
  EXPECT_EQ(trimmed_t({0, 0}), 1);
}

TEST(Paired, DifferencesAreThoseOfLogarithms) {
  EXPECT_NEAR(pair_differences({2, 4}, {4, 2})[0], std::log(2.0), 1e-15);
  EXPECT_EQ(pair_differences({0, 4}, {4, 2}), (std::vector<double>{4, -2}));
  EXPECT_DOUBLE_EQ(walsh_superiority({1, 2, -4}), 3.0 / 6) << "1, 2 and 1 + 2 are positive; -4, 1 - 4 and 2 - 4 are not";
  EXPECT_EQ(walsh_superiority({}), 0.5);
  EXPECT_EQ(pairs_for_level(0.05, 1), 5u);
  EXPECT_EQ(pairs_for_level(0.05, 3), 6u);
  EXPECT_EQ(pairs_for_power(0.5, 0.05), 0u);
  EXPECT_EQ(pairs_for_power(1.0, 0.05), 12u) << "(1.645 + 1.282)^2 / 0.75";
}

}  // namespace
