#include <gtest/gtest.h>

#include "cli.hpp"
#include "expect_error.hpp"

using namespace scope::cli;
using scope::launch::Environment;
using scope::test::contains;
using Words = std::vector<std::string>;

namespace {

CommandLine parse(const Words &words, const Environment &environment = {}) { return parse_command_line(words, environment); }
std::string error_for(const Words &words) {
  return scope::test::error_of([&] { parse(words); });
}

TEST(CheckLine, Defaults) {
  const auto check = parse({"check", "a", "b"}).check;
  EXPECT_EQ(check.files, (Words{"a", "b"}));
  EXPECT_TRUE(check.fail_on_missing);
  EXPECT_FALSE(check.fail_on_new || check.allow_different || check.report_only || check.strict || check.github || check.accept);
  EXPECT_EQ(check.last, 10);
}

TEST(CheckLine, ReadsEveryOption) {
  const auto line = parse({"check", "--max", "wall=5%", "--max=a=b", "--min", "c=1", "--max-regression", "8", "--budget", "b.toml",
                           "--floor", "1ms", "--fail-on-new", "--fail-on-missing=false", "--allow", "f", "--allow-different",
                           "--report-only", "--strict", "--history", "h", "--last", "3", "--accept", "--junit", "j", "--markdown", "m",
                           "--json", "-", "--gitlab-metrics", "g", "--code-quality", "q", "--github", "new.json"});
  EXPECT_EQ(line.action, Action::check);
  const auto &check = line.check;
  EXPECT_EQ(check.max, (Words{"wall=5%", "a=b"}));
  EXPECT_EQ(check.min, (Words{"c=1"}));
  EXPECT_EQ(check.max_regression + check.budget + check.floor + check.allow + check.history, "8b.toml1msfh");
  EXPECT_EQ(check.junit + check.markdown + check.json + check.gitlab_metrics + check.code_quality, "jm-gq");
  EXPECT_TRUE(check.fail_on_new && check.allow_different && check.report_only && check.strict && check.accept && check.github);
  EXPECT_FALSE(check.fail_on_missing);
  EXPECT_EQ(check.last, 3);
  EXPECT_EQ(check.files, (Words{"new.json"}));
  EXPECT_TRUE(parse({"check", "--init", "a"}).check.init);
}

TEST(CheckLine, GithubIsTheDefaultThere) {
  EXPECT_TRUE(parse({"check", "a", "b"}, {"GITHUB_ACTIONS=true"}).check.github);
  EXPECT_FALSE(parse({"check", "--github=false", "a", "b"}, {"GITHUB_ACTIONS=true"}).check.github);
  EXPECT_EQ(parse({"check", "a", "b"}, {"SCOPE_PROFILER_MAX=wall=5%,mpi_time=8%"}).check.max, (Words{"wall=5%", "mpi_time=8%"}));
}

TEST(CheckLine, MistypedOptionsAreNamed) {
  EXPECT_TRUE(contains(error_for({"check", "--report-onyl", "a"}), "Did you mean '--report-only'?"));
  EXPECT_TRUE(contains(error_for({"check", "--last", "0", "a"}), "--last: Value 0 not in range"));
}

TEST(ExportLine, NeedsAFormatAndAFile) {
  const auto line = parse({"export", "--to", "gha-benchmark", "a", "-o", "b"});
  EXPECT_EQ(line.action, Action::export_);
  EXPECT_EQ(line.export_.file + line.export_.to + line.export_.output, "agha-benchmarkb");
  EXPECT_EQ(parse({"export", "--to", "gha-benchmark", "a"}, {"SCOPE_PROFILER_OUTPUT=trace.json"}).export_.output, "-")
      << "what run writes must not become what export overwrites";
  EXPECT_TRUE(contains(error_for({"export", "a"}), "--to"));
  EXPECT_TRUE(contains(error_for({"export", "--to", "xml", "a"}), "--to: xml not in {chrome-trace,csv,gha-benchmark,profile-json,speedscope}"));
}

TEST(RunLine, Repetitions) {
  const auto line = parse({"run", "--repeat", "5", "--warmup", "1", "--versus", "./b c", "./a"}).run;
  EXPECT_EQ(line.repeat, 5);
  EXPECT_EQ(line.warmup, 1);
  EXPECT_EQ(line.versus, "./b c");
  EXPECT_EQ(parse({"run", "./a"}).run.repeat, std::nullopt);
  EXPECT_TRUE(contains(error_for({"run", "--warmup", "1", "./a"}), "--warmup says how many runs come before those of --repeat"));
  EXPECT_TRUE(contains(error_for({"run", "--repeat", "0", "./a"}), "--repeat: Value 0 not in range"));
}

}  // namespace
