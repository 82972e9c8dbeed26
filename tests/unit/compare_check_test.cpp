#include <gtest/gtest.h>

#include "compare/allow.hpp"
#include "compare/check.hpp"
#include "compare/quantity.hpp"
#include "compare_profiles.hpp"
#include "expect_error.hpp"

using namespace scope::compare;
using namespace scope::test;

namespace {

const std::vector<double> base_walls{1.00e9, 1.01e9, 1.02e9, 1.03e9, 1.04e9};

std::vector<double> times(const std::vector<double> &walls, double factor) {
  auto result = walls;
  for (double &wall : result) wall *= factor;
  return result;
}

CheckResult run(const Measurements &base, const Measurements &now, const CheckOptions &options = {}) {
  return check(base, now, options);
}

CheckOptions with_limit(const std::string &text, const std::string &option = "--max") {
  CheckOptions options;
  options.limits.push_back(parse_limit_option(text, option));
  return options;
}

TEST(Check, SameSeriesPasses) {
  const auto result = run(measured(base_walls), measured(base_walls));
  EXPECT_EQ(result.overall, Outcome::pass);
  EXPECT_EQ(exit_code(result, true, false), 0);
  const auto wall = verdict_of(result, "wall");
  EXPECT_EQ(wall.outcome, Outcome::pass);
  EXPECT_EQ(wall.reason, Reason::unchanged);
  EXPECT_EQ(wall.base, 1.02e9);
  EXPECT_EQ(wall.ratio, 1.0);
  EXPECT_EQ(wall.superiority, 0.5);
  EXPECT_EQ(wall.base_repeats, 5u);
}

TEST(Check, ClearRegressionFails) {
  const auto result = run(measured(base_walls), measured(times(base_walls, 1.1)));
  const auto wall = verdict_of(result, "wall");
  EXPECT_EQ(wall.outcome, Outcome::fail);
  EXPECT_EQ(wall.reason, Reason::significant);
  EXPECT_NEAR(*wall.ratio, 1.1, 1e-9);
  EXPECT_NEAR(*wall.p_value, 3.0 / 252, 1e-12) << "three metrics are gated";
  EXPECT_EQ(wall.superiority, 1.0);
  EXPECT_EQ(exit_code(result, false, false), 1);
  EXPECT_EQ(exit_code(result, false, true), 0) << "--report-only";
}

TEST(Check, ThresholdAndFloorLetThrough) {
  EXPECT_EQ(run(measured(base_walls), measured(times(base_walls, 1.045))).overall, Outcome::pass);
  // +50 %, but 5 ms: below the floor of 10 ms.
  const std::vector<double> short_walls{10.0e6, 10.1e6, 10.2e6, 10.3e6, 10.4e6};
  EXPECT_EQ(run(measured(short_walls), measured(times(short_walls, 1.4))).overall, Outcome::pass);
  CheckOptions low_floor;
  low_floor.floor_ns = 1e6;
  EXPECT_EQ(run(measured(short_walls), measured(times(short_walls, 1.4)), low_floor).overall, Outcome::fail);
}

TEST(Check, ImprovementPasses) {
  const auto result = run(measured(base_walls), measured(times(base_walls, 0.8)));
  EXPECT_EQ(result.overall, Outcome::pass);
  EXPECT_EQ(verdict_of(result, "wall").reason, Reason::improved);
}

TEST(Check, NoisyIncreaseIsInconclusiveAndSaysWhatWouldDecide) {
  const auto result = run(measured({1.0e9, 1.3e9, 1.1e9, 1.6e9, 1.2e9}), measured({1.1e9, 1.35e9, 1.4e9, 1.5e9, 1.25e9}));
  const auto wall = verdict_of(result, "wall");
  EXPECT_EQ(wall.outcome, Outcome::inconclusive);
  EXPECT_EQ(wall.reason, Reason::not_significant);
  EXPECT_GT(wall.more_repeats, 0u);
  EXPECT_EQ(exit_code(result, false, false), 0);
  EXPECT_EQ(exit_code(result, true, false), 1) << "--strict";
}

TEST(Check, TooFewRepeatsForSoManyMetrics) {
  CheckOptions options;
  options.defaults = false;
  for (const char *name : {"wall=5%", "compute_time=5%", "mpi_time=5%", "inner_time=5%", "calls.MPI_Allreduce.total=5%"})
    options.limits.push_back(parse_limit_option(name, "--max"));
  const std::vector<double> four{1.00e9, 1.01e9, 1.02e9, 1.03e9};
  const auto wall = verdict_of(run(measured(four), measured(times(four, 1.3)), options), "wall");
  EXPECT_EQ(wall.outcome, Outcome::inconclusive);
  EXPECT_EQ(wall.reason, Reason::too_few_for_family) << "5 x 1/70 is above 0.05";
  EXPECT_EQ(wall.more_repeats, 1u) << "5 x 1/252 is not";
  EXPECT_EQ(verdict_of(run(measured(base_walls), measured(times(base_walls, 1.3)), options), "wall").outcome, Outcome::fail);
}

TEST(Check, WithoutTestsSamplesMustNotOverlap) {
  EXPECT_EQ(verdict_of(run(measured({1e9}), measured({1.2e9})), "wall").reason, Reason::untested);
  EXPECT_EQ(run(measured({1e9}), measured({1.2e9})).overall, Outcome::fail);
  EXPECT_EQ(run(measured({1e9}), measured({1.04e9})).overall, Outcome::pass);
  const auto apart = verdict_of(run(measured(base_walls), measured({1.2e9})), "wall");
  EXPECT_EQ(apart.outcome, Outcome::fail) << "one side without repeats, beyond all of the other";
  const auto inside = verdict_of(run(measured({1.0e9, 1.0e9, 1.3e9}), measured({1.2e9})), "wall");
  EXPECT_EQ(inside.outcome, Outcome::inconclusive);
  EXPECT_EQ(inside.reason, Reason::too_few_repeats);
  EXPECT_EQ(inside.more_repeats, 3u);
}

TEST(Check, DoubledCallsFailWhateverTheNoise) {
  const auto result = run(measured({1e9, 2e9, 1.5e9, 3e9}), measured({3e9, 1e9, 1.5e9, 2e9}, 400));
  EXPECT_EQ(result.overall, Outcome::fail);
  for (const char *metric : {"calls", "bytes", "calls.MPI_Allreduce.calls", "calls.MPI_Allreduce.bytes",
                             "communicators.MPI_COMM_WORLD.calls", "communicators.MPI_COMM_WORLD.bytes"}) {
    const auto verdict = verdict_of(result, metric);
    EXPECT_EQ(verdict.metric, metric);
    EXPECT_EQ(verdict.outcome, Outcome::fail) << metric;
    EXPECT_EQ(verdict.reason, Reason::grew) << metric;
    EXPECT_EQ(verdict.ratio, 2.0) << metric;
  }
  EXPECT_EQ(verdict_of(result, "messages").outcome, Outcome::pass);
  EXPECT_EQ(verdict_of(result, "peers.p2p.0.1.messages").outcome, Outcome::pass);
}

TEST(Check, FewerCallsPassAndATolerancePassesMore) {
  const auto fewer = run(measured(base_walls, 200), measured(base_walls, 100));
  EXPECT_EQ(fewer.overall, Outcome::pass);
  EXPECT_EQ(verdict_of(fewer, "calls").reason, Reason::fell);
  auto options = with_limit("calls.MPI_Allreduce.calls=10%");
  for (const char *text : {"calls.MPI_Allreduce.bytes=10%", "calls=10%", "bytes=10%"})
    options.limits.push_back(parse_limit_option(text, "--max"));
  const auto tolerant = run(measured(base_walls, 200), measured(base_walls, 210), options);
  EXPECT_EQ(verdict_of(tolerant, "calls.MPI_Allreduce.calls").outcome, Outcome::pass);
  EXPECT_EQ(verdict_of(tolerant, "communicators.MPI_COMM_WORLD.calls").outcome, Outcome::fail);
}

TEST(Check, MessagesOfAPairOfRanks) {
  auto more = series(base_walls);
  more.peers.p2p = {{0, 0}, {0, 1}, {1, 0}, {5, 5}, {400, 400}};
  for (auto &repeat : more.repeats) repeat.peers_digest = "0000000000000001";
  const auto result = run(measured(base_walls), measured(more));
  EXPECT_EQ(verdict_of(result, "peers.p2p.0.1.messages").reason, Reason::fell);
  EXPECT_EQ(verdict_of(result, "peers.p2p.1.0.messages").reason, Reason::new_cost) << "0 that became positive";
  EXPECT_EQ(result.overall, Outcome::fail);
  more.repeats[0].peers_digest = "0000000000000002";
  const auto varying = run(measured(base_walls), measured(more));
  EXPECT_EQ(verdict_of(varying, "peers").reason, Reason::varies);
  EXPECT_EQ(varying.overall, Outcome::pass);
}

TEST(Check, CallsThatVaryOrPollAreNoExactMetrics) {
  std::vector<scope::model::Repetition> runs;
  for (int i = 0; i < 5; ++i) runs.push_back({series_run(base_walls[static_cast<std::size_t>(i)], 200 + i), 1});
  const auto varying = scope::model::join_repeats(runs);
  EXPECT_EQ(scope::model::varying_calls(varying.repeats), std::vector<std::string>{"MPI_Allreduce"});
  const auto result = run(measured(base_walls, 200), measured(varying));
  EXPECT_EQ(result.overall, Outcome::pass) << "+1 % is within 5 %";
  EXPECT_EQ(verdict_of(result, "calls.MPI_Allreduce.calls").reason, Reason::unchanged);
  EXPECT_TRUE(verdict_of(result, "calls.MPI_Allreduce.calls").p_value.has_value()) << "tested like a time";
  const auto doubled = run(measured(base_walls, 100), measured(varying));
  EXPECT_EQ(verdict_of(doubled, "calls.MPI_Allreduce.calls").reason, Reason::significant);

  auto base = series_run(1e9), now = series_run(1e9);
  base.calls[0].name = now.calls[0].name = base.signatures[0].call = now.signatures[0].call = "MPI_Iprobe";
  now.calls[0].calls = 1'000'000;
  const auto polling = run(measured(base), measured(now));
  EXPECT_EQ(verdict_of(polling, "calls.MPI_Iprobe.calls").reason, Reason::polling);
  EXPECT_EQ(verdict_of(polling, "calls").now, 0.0) << "polling is not counted";
  EXPECT_EQ(polling.overall, Outcome::pass);
}

TEST(Check, NewAndVanishedCalls) {
  auto without = series_run(1e9);
  without.calls[0].name = without.signatures[0].call = "MPI_Bcast";
  const auto result = run(measured(series_run(1e9)), measured(without));
  EXPECT_EQ(verdict_of(result, "calls.MPI_Bcast.calls").reason, Reason::new_cost);
  EXPECT_FALSE(verdict_of(result, "calls.MPI_Bcast.calls").ratio.has_value()) << "never 0 %";
  EXPECT_EQ(verdict_of(result, "calls.MPI_Allreduce.calls").reason, Reason::vanished);
  EXPECT_EQ(verdict_of(result, "calls.MPI_Allreduce.calls").outcome, Outcome::fail);
  CheckOptions options;
  options.fail_on_missing = false;
  EXPECT_EQ(verdict_of(run(measured(series_run(1e9)), measured(without), options), "calls.MPI_Allreduce.calls").outcome,
            Outcome::pass);
}

scope::model::Profile with_region(const std::string &path, std::int64_t total_ns) {
  auto profile = series_run(1e9);
  scope::model::RegionRow row;
  row.name = row.path = path;
  row.calls = 10;
  row.total_ns = total_ns;
  row.max_ns = total_ns / 5;
  profile.regions = {row};
  return profile;
}

TEST(Check, Regions) {
  const auto slower = run(measured(with_region("main/solve", 500'000'000)), measured(with_region("main/solve", 600'000'000)));
  EXPECT_EQ(verdict_of(slower, "regions.main/solve.total").outcome, Outcome::fail);
  const auto vanished = run(measured(with_region("main/solve", 500'000'000)), measured(series_run(1e9)));
  EXPECT_EQ(verdict_of(vanished, "regions.main/solve.total").reason, Reason::vanished);
  EXPECT_EQ(vanished.overall, Outcome::fail);
  const auto appeared = run(measured(series_run(1e9)), measured(with_region("main/solve", 500'000'000)));
  EXPECT_EQ(verdict_of(appeared, "regions.main/solve.total").outcome, Outcome::note);
  EXPECT_EQ(appeared.overall, Outcome::pass);
  CheckOptions options;
  options.fail_on_new = true;
  EXPECT_EQ(run(measured(series_run(1e9)), measured(with_region("main/solve", 500'000'000)), options).overall, Outcome::fail);
  EXPECT_EQ(verdict_of(run(measured(with_region("r", 0)), measured(with_region("r", 20'000'000))), "regions.r.total").reason,
            Reason::new_cost)
      << "a base of 0";
  EXPECT_EQ(run(measured(with_region("r", 0)), measured(with_region("r", 9'000'000))).overall, Outcome::pass) << "below the floor";
}

TEST(Check, RatiosCountFromTheirGoodSide) {
  auto worse = series_run(1e9);
  worse.efficiency = {0.4, 1.0, 0.4};
  const auto options = with_limit("parallel_efficiency=10%");
  EXPECT_EQ(verdict_of(run(measured(series_run(1e9)), measured(worse), options), "parallel_efficiency").outcome, Outcome::fail);
  EXPECT_EQ(verdict_of(run(measured(worse), measured(series_run(1e9)), options), "parallel_efficiency").reason, Reason::improved);
  const auto all = [] {
    CheckOptions with_all;
    with_all.max_regression = 0.05;
    return with_all;
  }();
  const auto result = run(measured(series_run(1e9)), measured(worse), all);
  EXPECT_EQ(verdict_of(result, "communication_efficiency").outcome, Outcome::fail);
  EXPECT_EQ(verdict_of(result, "calls.MPI_Allreduce.total").outcome, Outcome::pass);
}

TEST(Check, PerCallFiguresCostWhatTheyCostTheRun) {
  auto slow = series_run(1e9);
  slow.calls[0].p50_ns = 8'000'000;  // 4 ms in the base, 200 calls: 0.8 s more
  EXPECT_EQ(verdict_of(run(measured(series_run(1e9)), measured(slow), with_limit("calls.MPI_Allreduce.p50=5%")),
                       "calls.MPI_Allreduce.p50")
                .outcome,
            Outcome::fail);
}

TEST(Check, NamedMetricsMustBeThere) {
  const auto result = run(measured(series_run(1e9)), measured(series_run(1e9)), with_limit("regions.main.total=5%"));
  EXPECT_EQ(verdict_of(result, "regions.main.total").reason, Reason::not_measured);
  EXPECT_EQ(result.overall, Outcome::fail);
}

TEST(Check, AbsoluteLimits) {
  EXPECT_EQ(run(measured(base_walls), measured(base_walls), with_limit("mpi_share=0.3")).overall, Outcome::fail);
  EXPECT_EQ(run(measured(base_walls), measured(base_walls), with_limit("mpi_share=0.4")).overall, Outcome::pass);
  EXPECT_EQ(run(measured(base_walls), measured(base_walls), with_limit("wall=1s")).overall, Outcome::fail);
  EXPECT_EQ(run(measured(base_walls), measured(base_walls), with_limit("parallel_efficiency=0.7", "--min")).overall, Outcome::fail);
  EXPECT_EQ(run(measured(base_walls), measured(base_walls), with_limit("parallel_efficiency=60%", "--min")).overall, Outcome::pass);
}

TEST(Check, RefusesWhatCanNotBeCompared) {
  using Kind = Difference::Kind;
  const auto kind_after = [](auto change) {
    auto other = series_run(1e9);
    change(other);
    const auto result = run(measured(series_run(1e9)), measured(other));
    EXPECT_TRUE(result.refused);
    EXPECT_EQ(exit_code(result, false, true), 2) << "--report-only is for failures";
    EXPECT_EQ(result.differences.size(), 1u);
    CheckOptions options;
    options.allow_different = true;
    EXPECT_FALSE(run(measured(series_run(1e9)), measured(other), options).refused);
    return result.differences.empty() ? Kind::no_ranks : result.differences[0].kind;
  };
  EXPECT_EQ(kind_after([](auto &p) { p.worlds[0].size = 4; }), Kind::ranks);
  EXPECT_EQ(kind_after([](auto &p) { p.metadata.mpi_library = "MPICH"; }), Kind::mpi);
  EXPECT_EQ(kind_after([](auto &p) { p.metadata.command.push_back("--x"); }), Kind::command);
  EXPECT_EQ(kind_after([](auto &p) { p.metadata.cpu = "another"; }), Kind::cpu);
  EXPECT_EQ(kind_after([](auto &p) { p.metadata.hosts = {"a", "b"}; }), Kind::hosts);
  auto moved = series_run(1e9);
  moved.metadata.command.back() = "/b/c/sim";
  moved.metadata.hosts = {"node2"};
  const auto same = run(measured(series_run(1e9)), measured(moved));
  EXPECT_FALSE(same.refused) << "another directory, another host";
  EXPECT_EQ(same.left_out_hosts, std::vector<std::string>{"node2"});
}

TEST(Check, RefusesFailedAndIncompleteRuns) {
  auto failed = series_run(1e9);
  failed.metadata.exit_status = 3;
  EXPECT_EQ(run(measured(failed), measured(series_run(1e9))).differences[0].kind, Difference::Kind::failed);
  auto incomplete = series_run(1e9);
  incomplete.worlds[0].complete = false;
  EXPECT_EQ(run(measured(series_run(1e9)), measured(incomplete)).differences[0].kind, Difference::Kind::incomplete);
  auto one_failed = series(base_walls);
  one_failed.repeats[2].exit_status = 1;
  EXPECT_TRUE(run(measured(one_failed), measured(base_walls)).refused);
}

TEST(Check, NothingInCommonIsTrouble) {
  scope::model::Profile serial;
  EXPECT_TRUE(contains(error_of([&] { run(measured(serial), measured(serial)); }), "no metric in common"));
}

TEST(Check, AllowedFailuresPass) {
  CheckOptions options;
  options.allowances = parse_allowances("# known\ncalls.MPI_Allreduce.* # since #12\n\ncommunicators.*\ncalls\nbytes\nnever\n", "allow.txt");
  const auto result = run(measured(base_walls, 200), measured(base_walls, 400), options);
  EXPECT_EQ(result.overall, Outcome::pass);
  EXPECT_EQ(verdict_of(result, "calls.MPI_Allreduce.calls").outcome, Outcome::allowed);
  EXPECT_EQ(verdict_of(result, "calls.MPI_Allreduce.calls").allowed_by, "allow.txt:2");
  EXPECT_EQ(result.unused_allowances, std::vector<std::string>{"allow.txt:7: never"});
  EXPECT_EQ(error_of([] { parse_allowances("a b\n", "f"); }), "f:1: one pattern a line is possible, and a comment behind ' #': a b");
}

TEST(Quantities, ReadWhatUsersWrite) {
  EXPECT_EQ(parse_quantity("1.5 s", Unit::ns), 1.5e9);
  EXPECT_EQ(parse_quantity("20ms", Unit::ns), 20e6);
  EXPECT_EQ(parse_quantity("2 KiB", Unit::bytes), 2048);
  EXPECT_EQ(parse_quantity("1e6", Unit::count), 1e6);
  EXPECT_EQ(parse_quantity("25 %", Unit::ratio), 0.25);
  EXPECT_EQ(error_of([] { parse_quantity("1.5", Unit::ns); }), "'1.5' needs a unit; a time can have ns, us, ms, s, min, h");
  EXPECT_EQ(error_of([] { parse_quantity("x", Unit::count); }), "'x' is no number");
  EXPECT_EQ(error_of([] { parse_quantity("-1", Unit::count); }), "'-1' is negative");
  EXPECT_EQ(error_of([] { parse_quantity("inf", Unit::count); }), "'inf' is no number");
  EXPECT_TRUE(contains(error_of([] { parse_limit_option("wal=5%", "--max"); }), "Did you mean 'wall'?"));
  EXPECT_TRUE(contains(error_of([] { parse_limit_option("wall", "--max"); }), "has the form NAME=LIMIT"));
  EXPECT_TRUE(contains(error_of([] { parse_limit_option("calls.MPI_Send.avrg=5%", "--max"); }), "Did you mean 'avg'?"));
}

TEST(Patterns, Match) {
  EXPECT_TRUE(matches("MPI_I*", "MPI_Isend"));
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("a*b*c", "axxbyyc"));
  EXPECT_FALSE(matches("a*b*c", "axxbyy"));
  EXPECT_TRUE(matches("?a", "ba"));
  EXPECT_FALSE(matches("", "a"));
  EXPECT_FALSE(matches(std::string(40, '*') + "b", std::string(4000, 'a')));
}

/// Ten runs a side in turn; the machine takes 30 % longer in some of the pairs, the second program 10 % in all.
std::pair<Measurements, Measurements> runs_in_turn(bool alternating) {
  std::vector<double> base, now;
  for (int i = 0; i < 10; ++i) {
    const double state = 1e9 * (i % 3 == 0 ? 1.3 : 1) + i * 1e6;
    base.push_back(state);
    now.push_back(state * 1.1 + (i % 2) * 1e6);
  }
  auto sides = std::pair(measured(base), measured(now));
  for (int i = 0; i < 10; ++i) {
    const auto at = [](int second) { return "2026-01-02T03:04:" + std::to_string(10 + second) + "Z"; };
    sides.first.repeats[static_cast<std::size_t>(i)].started = at(alternating ? 2 * i : i);
    sides.second.repeats[static_cast<std::size_t>(i)].started = at(alternating ? 2 * i + 1 : 10 + i);
  }
  return sides;
}

TEST(Check, RunsInTurnAreComparedPairByPair) {
  const auto [base, now] = runs_in_turn(true);
  const auto wall = verdict_of(run(base, now), "wall");
  EXPECT_TRUE(wall.paired);
  EXPECT_EQ(wall.outcome, Outcome::fail);
  EXPECT_NEAR(*wall.ratio, 1.1004, 0.0001);
  EXPECT_NEAR(*wall.p_value, 3.0 / 1024, 1e-12);
  EXPECT_EQ(wall.superiority, 1.0);
  EXPECT_NEAR(wall.interval->low, 1.1, 0.001);
  EXPECT_NEAR(wall.interval->high, 1.101, 0.001);
  EXPECT_EQ(verdict_of(run(now, base), "wall").reason, Reason::improved) << "which of the two began does not matter";

  const auto [first, then] = runs_in_turn(false);
  const auto apart = verdict_of(run(first, then), "wall");
  EXPECT_FALSE(apart.paired);
  EXPECT_EQ(apart.outcome, Outcome::inconclusive) << "the same numbers, one series after the other";
}

}  // namespace
