#include <gtest/gtest.h>

#include "compare/budget.hpp"
#include "compare/budget_lines.hpp"
#include "compare/check.hpp"
#include "compare_profiles.hpp"
#include "expect_error.hpp"

using namespace scope::compare;
using namespace scope::test;

namespace {

CheckResult budget(const std::string &text, const scope::model::Profile &profile = series_run(1e9)) {
  CheckOptions options;
  options.limits = parse_budget(text, "b.toml");
  return check_budget(measured(profile), options);
}

std::string error_in(const std::string &text) {
  return error_of([&] { parse_budget(text, "b.toml"); });
}

TEST(Budget, ComparisonsBecomeToml) {
  EXPECT_EQ(as_toml("mpi_share <= 0.25"), "mpi_share = \"<= 0.25\"");
  EXPECT_EQ(as_toml("  a.b >= 1 s # why\nx = \"a <= b\"\n"), "a.b = \">= 1 s\"\nx = \"a <= b\"\n");
  EXPECT_EQ(as_toml("calls.MPI_I*.total<=1ms"), "calls.\"MPI_I*\".total = \"<=1ms\"");
  EXPECT_EQ(as_toml("regions.\"a.b\\\" <= c\".total <= 2 s"), "regions.\"a.b\\\" <= c\".total = \"<= 2 s\"");
  EXPECT_EQ(as_toml("# a <= b\n[calls.\"<=\"]\n<= 3"), "# a <= b\n[calls.\"<=\"]\n<= 3");
}

TEST(Budget, LimitsHoldOrNot) {
  const auto result = budget(
      "mpi_share <= 0.25\n"
      "parallel_efficiency = \">= 0.5\"\n"
      "calls.MPI_Iprobe.calls <= 1e6\n"
      "[calls.MPI_Allreduce]\n"
      "calls <= 100\n"
      "bytes <= 4 KiB\n");
  EXPECT_EQ(result.overall, Outcome::fail);
  const auto share = verdict_of(result, "mpi_share");
  EXPECT_EQ(share.outcome, Outcome::fail);
  EXPECT_EQ(share.reason, Reason::beyond_limit);
  EXPECT_EQ(share.limit, 0.25);
  EXPECT_EQ(share.now, 0.4);
  EXPECT_EQ(share.source, "b.toml:1");
  EXPECT_EQ(verdict_of(result, "parallel_efficiency").outcome, Outcome::pass);
  EXPECT_EQ(verdict_of(result, "calls.MPI_Iprobe.calls").outcome, Outcome::pass) << "never made: 0";
  EXPECT_EQ(verdict_of(result, "calls.MPI_Allreduce.calls").outcome, Outcome::fail);
  EXPECT_EQ(verdict_of(result, "calls.MPI_Allreduce.calls").source, "b.toml:5");
  EXPECT_EQ(verdict_of(result, "calls.MPI_Allreduce.bytes").outcome, Outcome::pass);
}

TEST(Budget, PatternsFindingsAndRegions) {
  auto profile = series_run(1e9);
  profile.findings = {{"late-sender", "high", "text", {}, 1.5}};
  scope::model::RegionRow region;
  region.name = region.path = "main/solve";
  region.calls = 2;
  region.total_ns = 700'000'000;
  profile.regions = {region};
  const auto result = budget(
      "findings.late-sender = \"forbid\"\nfindings.wait-at-barrier = \"forbid\"\n"
      "findings.late-* <= 2 s\n"
      "calls.\"MPI_All*\".total <= 1 ms\nregions.main/*.total <= 1 s\nregions.main/*.avg <= 300 ms\n",
      profile);
  std::vector<std::string> failed;
  for (const Verdict &verdict : result.verdicts)
    if (verdict.outcome == Outcome::fail) failed.push_back(verdict.metric);
  EXPECT_EQ(failed, (std::vector<std::string>{"findings.late-sender", "calls.MPI_Allreduce.total", "regions.main/solve.avg"}));
  EXPECT_EQ(result.counts.pass, 3u);
}

TEST(Budget, RelativeLimitsNeedABase) {
  EXPECT_TRUE(contains(error_of([] { budget("wall <= +5%\n"); }), "b.toml:1: the limit of wall is relative, so it needs a base"));
  CheckOptions options;
  options.limits = parse_budget("wall <= +30%\n", "b.toml");
  const auto result = check(measured({1e9}), measured({1.2e9}), options);
  EXPECT_EQ(verdict_of(result, "wall").outcome, Outcome::pass);
  EXPECT_EQ(verdict_of(result, "wall").threshold, 0.3);
}

TEST(Budget, RefusesWhatFailedOrIsIncomplete) {
  auto failed = series_run(1e9);
  failed.metadata.exit_status = 1;
  EXPECT_TRUE(budget("wall <= 5 s", failed).refused);
}

TEST(Budget, ErrorsNamePlaceReasonAndNearestName) {
  EXPECT_TRUE(contains(error_in("\nmpi_shar <= 0.25"), "b.toml:2:1: 'mpi_shar' is no metric. Did you mean 'mpi_share'?"));
  EXPECT_TRUE(contains(error_in("mpi_share < 0.25"), "\"< 0.25\" is no limit; it begins with <= or >="));
  EXPECT_TRUE(contains(error_in("calls.MPI_Send.totl <= 5 s"), "Did you mean 'total'?"));
  EXPECT_TRUE(contains(error_in("[calls.MPI_Send]\ntotal <= 5"), "b.toml:2:9: calls.MPI_Send.total: '5' needs a unit"));
  EXPECT_TRUE(contains(error_in("mpi_share = 0.25"), "b.toml:1:13: mpi_share: a limit is a comparison"));
  EXPECT_TRUE(contains(error_in("mpi_share"), "b.toml:1:"));
  EXPECT_TRUE(contains(error_in(std::string(800, 'x') + " <= 1"), "b.toml:1:1: '" + std::string(100, 'x') + "...' is no metric."));
  EXPECT_TRUE(contains(error_in("wall <= 1 s\nwall <= 2 s"), "b.toml:2:"));
  EXPECT_EQ(error_in(""), "b.toml: there is no limit in it. A line is a metric and its limit: mpi_share <= 0.25");
  EXPECT_EQ(error_in(std::string(5000, 'a')), "b.toml:1:1: the line is longer than 4096 bytes.");
  EXPECT_TRUE(contains(error_in("\xff <= 1"), "b.toml:1:"));
  EXPECT_TRUE(contains(error_in("findings.x <= +5%"), "a finding can't have a limit on growth"));
}

TEST(Budget, TheFirstOneHoldsForItsProfile) {
  auto profile = series_run(1e9);
  scope::model::RegionRow region;
  region.name = region.path = "main/\"a\\b.c\"";
  region.calls = 2;
  region.total_ns = 700'000'000;
  profile.regions = {region};
  const std::string text = first_budget(measured(profile), "trace.json");
  const auto result = budget(text, profile);
  EXPECT_EQ(result.overall, Outcome::pass) << text;
  EXPECT_EQ(verdict_of(result, "wall").limit, 1.2e9);
  EXPECT_EQ(verdict_of(result, "mpi_share").limit, 0.45);
  EXPECT_EQ(verdict_of(result, "calls.MPI_Allreduce.calls").limit, 200.0);
  EXPECT_EQ(verdict_of(result, "regions." + region.path + ".total").limit, 840'000'000.0) << text;
  EXPECT_EQ(budget(text, series_run(1e9, 201)).overall, Outcome::fail);
}

}  // namespace
