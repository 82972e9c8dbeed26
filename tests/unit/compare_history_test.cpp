#include <gtest/gtest.h>

#include "compare/history.hpp"
#include "compare_profiles.hpp"
#include "temporary_directory.hpp"

using namespace scope::compare;
using namespace scope::test;

namespace {

std::vector<Accepted> history_of(const std::vector<double> &walls) {
  std::vector<Accepted> history;
  for (double wall : walls) history.push_back({"p" + std::to_string(history.size()), measured(series_run(wall))});
  return history;
}

Verdict wall_after(const std::vector<double> &walls, double now) {
  return verdict_of(check_history(history_of(walls), measured(series_run(now)), {}).check, "wall");
}

TEST(History, MedianAndSpread) {
  const std::vector<double> walls{1.00e9, 1.02e9, 1.01e9, 1.03e9, 0.99e9};
  const auto within = wall_after(walls, 1.05e9);
  EXPECT_EQ(within.outcome, Outcome::pass);
  EXPECT_EQ(within.base, 1.01e9);
  // Median 1.01, deviation 1.4826 x 0.01: four of them are 6 %, more than the threshold of 5 %.
  EXPECT_NEAR(*within.limit, 1.01e9 + 4 * 1.4826e7, 1);
  const auto beyond = wall_after(walls, 1.10e9);
  EXPECT_EQ(beyond.outcome, Outcome::fail);
  EXPECT_EQ(beyond.reason, Reason::step);
  EXPECT_EQ(wall_after({1e9, 1e9, 1e9, 1.2e9}, 1.15e9).outcome, Outcome::pass) << "it was accepted once";
  EXPECT_EQ(wall_after(walls, 0.5e9).outcome, Outcome::pass);
}

TEST(History, ShortOnesAreInconclusive) {
  EXPECT_EQ(wall_after({1e9, 1e9}, 2e9).reason, Reason::short_history);
  EXPECT_EQ(wall_after({1e9, 1e9}, 2e9).more_repeats, 1u);
  EXPECT_EQ(wall_after({1e9, 1e9}, 1e9).outcome, Outcome::pass);
  EXPECT_EQ(wall_after({}, 1e9).outcome, Outcome::inconclusive);
}

TEST(History, CountsAreComparedWithTheLastOne) {
  const auto result = check_history(history_of({1e9, 1e9, 1e9}), measured(series_run(1e9, 400)), {});
  EXPECT_EQ(verdict_of(result.check, "calls.MPI_Allreduce.calls").reason, Reason::grew);
  EXPECT_EQ(result.check.overall, Outcome::fail);
}

TEST(History, SkipsWhatIsNotComparable) {
  auto history = history_of({1e9, 1e9, 1e9, 9e9});
  history.back().measurements.profile.worlds[0].size = 8;
  const auto result = check_history(history, measured(series_run(1e9)), {});
  EXPECT_EQ(result.accepted, 3u);
  EXPECT_EQ(result.skipped, 1u);
  EXPECT_FALSE(result.check.refused);
  EXPECT_TRUE(check_history({history.back()}, measured(series_run(1e9)), {}).check.refused);
}

TEST(History, FindsSteps) {
  std::vector<double> values;
  for (int i = 0; i < 8; ++i) values.push_back(100 + i % 3);
  for (int i = 0; i < 8; ++i) values.push_back(120 + i % 3);
  const auto steps = find_steps(values, 0.05);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].at, 8u);
  EXPECT_NEAR(steps[0].ratio, 1.198, 0.01);
  EXPECT_TRUE(find_steps(values, 0.3).empty()) << "smaller than the threshold";
  EXPECT_TRUE(find_steps({1, 2, 1, 2, 1, 2, 1, 2}, 0.05).empty()) << "noise";
  EXPECT_TRUE(find_steps({}, 0.05).empty());
}

TEST(History, StoresAndReadsPlainFiles) {
  TemporaryDirectory directory;
  const auto folder = directory.path / "history";
  EXPECT_TRUE(read_history(folder, 10).empty());
  auto profile = series({1.0e9, 1.1e9, 1.2e9});
  EXPECT_EQ(accept(folder, profile).filename(), "20260102T030405Z-01234567.json.gz");
  accept(folder, profile);
  auto later = profile;
  later.metadata.started = "2026-01-03T03:04:05Z";
  accept(folder, later);
  const auto all = read_history(folder, 10), last = read_history(folder, 1);
  ASSERT_EQ(all.size(), 2u);
  ASSERT_EQ(last.size(), 1u);
  EXPECT_EQ(last[0].name, "20260103T030405Z-01234567");
  EXPECT_TRUE(last[0].measurements.profile == later);
  EXPECT_EQ(last[0].measurements.repeats.size(), 3u);
}

}  // namespace
