#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compare/check.hpp"
#include "compare_profiles.hpp"
#include "render/check_formats.hpp"
#include "render/check_text.hpp"
#include "render/escape.hpp"

using namespace scope::compare;
using namespace scope::render;
using namespace scope::test;
using nlohmann::json;

namespace {

const std::string hostile = "<b>\"x\"&|`\x01::error::%0A\n";

bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

CheckResult failed_result() {
  auto result = check(measured({1.00e9, 1.01e9, 1.02e9, 1.03e9, 1.04e9}), measured({1.20e9, 1.21e9, 1.22e9, 1.23e9, 1.24e9}, 400), {});
  result.base_name = "base.json";
  result.now_name = "new.json";
  return result;
}

/// A communicator's and a region's name are whatever the program chose.
CheckResult hostile_result() {
  auto base = series_run(1e9), now = series_run(1e9, 300);
  base.communicators[0].name = now.communicators[0].name = hostile;
  scope::model::RegionRow region;
  region.name = region.path = hostile;
  region.calls = 1;
  region.total_ns = 100'000'000;
  base.regions = {region};
  region.total_ns = 200'000'000;
  now.regions = {region};
  base.metadata.command = now.metadata.command = {"./sim", hostile};
  return check(measured(base), measured(now), {});
}

TEST(CheckText, VerdictFirstThenTableThenReasons) {
  const std::string text = check_text(failed_result(), {false, true, 0}, false);
  EXPECT_EQ(text.substr(0, text.find('\n')), "FAIL: 9 of 12 checks failed.");
  EXPECT_TRUE(has(text, "FAIL     wall                                 1.020 s   1.220 s   +19.6 %  +5 % ")) << text;
  EXPECT_TRUE(has(text, "FAIL wall: 1.020 s to 1.220 s (+19.6 %, 95 % interval ")) << text;
  EXPECT_TRUE(has(text, "5.0 % are let through. Not noise: p = 0.012, 100 % of the pairs of repetitions got worse."))
      << text;
  EXPECT_TRUE(has(text, "Counts and bytes do not depend on timing: every increase counts.")) << text;
}

TEST(CheckText, SaysWhatWouldDecide) {
  const auto result = check(measured({1.0e9, 1.0e9, 1.3e9}), measured({1.2e9}), {});
  const std::string text = check_text(result, {false, true, 0}, false);
  EXPECT_EQ(text.substr(0, text.find('\n')), "INCONCLUSIVE: 9 of 12 checks passed, 3 are inconclusive.");
  EXPECT_TRUE(has(text, "The samples overlap, and 3 against 1 repetitions are too few for a test: 3 more repetitions of each would decide."));
}

TEST(CheckText, RefusalNamesTheDifferences) {
  auto other = series_run(1e9);
  other.worlds[0].size = 8;
  const std::string text = check_text(check(measured(series_run(1e9)), measured(other), {}), {false, true, 0}, false);
  EXPECT_EQ(text,
            "REFUSED: the profiles can't be compared.\n- The number of ranks differs: '2' in the base, '8' in the new profile.\n"
            "--allow-different compares all the same.\n");
}

TEST(CheckText, ValuesAndChanges) {
  EXPECT_EQ(value_text(1.5e9, Unit::ns), "1.500 s");
  EXPECT_EQ(value_text(2048, Unit::bytes), "2.00 KiB");
  EXPECT_EQ(value_text(12345, Unit::count), "12,345");
  EXPECT_EQ(value_text(2.5, Unit::count), "2.5");
  EXPECT_EQ(value_text(0.125, Unit::ratio), "12.5 %");
  EXPECT_EQ(value_text(std::nullopt, Unit::ratio), "-");
  Verdict from_nothing;
  from_nothing.base = 0;
  from_nothing.now = 5;
  EXPECT_EQ(change_text(from_nothing), "new cost");
}

TEST(CheckMarkdown, VerdictFirstThenChangesTheRestFolded) {
  const std::string text = check_markdown(failed_result());
  EXPECT_TRUE(text.starts_with("## \xe2\x9d\x8c FAIL: 9 of 12 checks failed.\n\nmpiexec -n 2 /a/sim<br>base: base.json, new: new.json\n"))
      << text;
  const auto changed = text.find("### What changed"), rest = text.find("<details><summary>3 checks without a change that counts");
  EXPECT_NE(changed, std::string::npos);
  EXPECT_NE(rest, std::string::npos) << text;
  EXPECT_LT(changed, rest);
}

TEST(CheckFormats, HostileNamesStayData) {
  const auto result = hostile_result();
  EXPECT_FALSE(has(check_markdown(result), "<b>"));
  EXPECT_FALSE(has(junit(result), "<b>"));
  EXPECT_FALSE(has(junit(result), "\x01"));
  EXPECT_FALSE(has(check_text(result, {false, true, 0}, true), "\x01"));
  const std::string annotations = github_annotations(result);
  std::size_t lines = 0, commands = 0;
  for (std::size_t at = 0; (at = annotations.find('\n', at)) != std::string::npos; ++at) ++lines;
  for (std::size_t at = 0; (at = annotations.find("\n::", at)) != std::string::npos; ++at) ++commands;
  EXPECT_EQ(lines, commands + 1) << "every line is one command of ours: " << annotations;
  EXPECT_TRUE(has(annotations, "%250A%0A"));
  EXPECT_FALSE(json::parse(check_json(result)).empty());
  HistoryResult history;
  history.check = result;
  Trend trend;
  trend.metric = parse_metric("wall");
  trend.points = {{hostile, hostile, hostile, 1, 1, 1}, {"", "", "", 2, 2, 2}};
  history.trends = {trend};
  EXPECT_FALSE(has(trend_page(history), "<b>"));
}

TEST(CheckFormats, Json) {
  const json root = json::parse(check_json(failed_result()));
  EXPECT_EQ(root["format"], "scope-profiler-check");
  EXPECT_EQ(root["verdict"], "fail");
  EXPECT_EQ(root["counts"]["fail"], 9);
  const json first = root["checks"][0];
  EXPECT_EQ(first["metric"], "wall");
  EXPECT_EQ(first["verdict"], "fail");
  EXPECT_EQ(first["reason"], "significant");
  EXPECT_EQ(first["base"], 1.02e9);
  EXPECT_EQ(first["new"], 1.22e9);
  EXPECT_EQ(first["base_repeats"], 5);
  EXPECT_EQ(first["superiority"], 1.0);
}

TEST(CheckFormats, GithubNamesTheLineOfTheBudget) {
  CheckResult result;
  Verdict verdict;
  verdict.metric = "mpi_share";
  verdict.unit = Unit::ratio;
  verdict.outcome = Outcome::fail;
  verdict.reason = Reason::beyond_limit;
  verdict.now = 0.4;
  verdict.limit = 0.25;
  verdict.source = "ci/budget.toml:3";
  result.verdicts = {verdict};
  conclude(result, {});
  EXPECT_EQ(github_annotations(result),
            "::error file=ci/budget.toml,line=3,title=performance%3A mpi_share::40.0 %25, and at most 25.0 %25 is let through. Limit: "
            "ci/budget.toml:3.\n::error title=performance::FAIL: 1 of 1 checks failed.\n");
  const json issue = json::parse(code_quality_json(result))[0];
  EXPECT_EQ(issue["location"]["path"], "ci/budget.toml");
  EXPECT_EQ(issue["location"]["lines"]["begin"], 3);
  EXPECT_EQ(issue["severity"], "major");
  EXPECT_EQ(issue["check_name"], "mpi_share");
  EXPECT_EQ(issue["fingerprint"].get<std::string>().size(), 16u);
}

TEST(CheckFormats, GitlabMetrics) {
  const std::string text = gitlab_metrics(failed_result());
  EXPECT_TRUE(has(text, "\nscope_profiler_mpi_time_seconds 0.976\n")) << text;
  EXPECT_TRUE(has(text, "scope_profiler_call_calls{call=\"MPI_Allreduce\"} 400\n"));
  EXPECT_TRUE(has(text, "scope_profiler_bytes 6400\n"));
  EXPECT_TRUE(text.ends_with("# EOF\n"));
}

TEST(CheckFormats, GhaBenchmark) {
  const json entries = json::parse(gha_benchmark_json(measured({1.00e9, 1.01e9, 1.02e9, 1.03e9, 1.04e9})));
  EXPECT_EQ(entries[0], (json{{"name", "wall"}, {"unit", "s"}, {"value", 1.02}, {"range", "\xc2\xb1 0.014826"}, {"extra", "5 repetitions"}}));
  EXPECT_EQ(entries.back()["name"], "calls.MPI_Allreduce.total");
}

TEST(CheckFormats, Badge) {
  EXPECT_TRUE(has(badge(failed_result()), "aria-label=\"performance: worse\""));
  EXPECT_TRUE(has(badge(check(measured({1e9}), measured({1e9}), {})), "aria-label=\"performance: pass\""));
}

TEST(CheckFormats, TrendPageNeedsNoScriptAndNoNetwork) {
  std::vector<Accepted> accepted;
  for (int i = 0; i < 4; ++i) accepted.push_back({"p" + std::to_string(i), measured({1.0e9 + i * 1e7})});
  const std::string page = trend_page(check_history(accepted, measured({2e9}), {}));
  for (const char *part : {"<script", "http://", "https://", "<link", "@import", "url("}) EXPECT_FALSE(has(page, part)) << part;
  EXPECT_TRUE(has(page, "<html lang=\"en\">"));
  EXPECT_TRUE(has(page, "prefers-color-scheme: dark"));
  EXPECT_TRUE(has(page, "role=\"img\" aria-labelledby=\"chart-wall-title\""));
  EXPECT_TRUE(has(page, "<strong>FAIL</strong> 1.015 s to 2.000 s (+97.0 %)")) << page;
  std::size_t circles = 0;
  for (std::size_t at = 0; (at = page.find("<circle", at)) != std::string::npos; ++at) ++circles;
  EXPECT_EQ(circles, 4u * 5) << "four metrics, five points each";
}

TEST(CiEscape, EveryFormatHasItsOwnRules) {
  EXPECT_EQ(escape_openmetrics("a\"b\\c\n"), "a\\\"b\\\\c\\n");
}

}  // namespace
