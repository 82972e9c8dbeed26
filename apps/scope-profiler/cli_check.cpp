// The options of `check` and `export`.

#include <CLI/CLI.hpp>

#include "cli_check.hpp"

namespace scope::cli {

void add_check_options(CLI::App &app, CheckCommand &check) {
  app.description("Compares a profile with a base, a budget or a history. The exit code is 1 when it got worse.");
  app.add_option("files", check.files, "the base's profile and the new one, or the new one alone");
  app.add_option("--max", check.max, "how much a metric may grow (wall=5%), or be (mpi_share=0.25); may be repeated")
      ->type_name("NAME=LIMIT");
  app.add_option("--min", check.min, "what a metric must be at least (parallel_efficiency=0.8); may be repeated")
      ->type_name("NAME=LIMIT");
  app.add_option("--max-regression", check.max_regression, "gate all times and ratios, also of every call and region")
      ->type_name("PCT");
  app.add_option("--budget", check.budget, "limits in a file; with BASE also limits on growth")->type_name("FILE");
  app.add_flag("--init", check.init, "print a first budget made from the profile, and check nothing");
  app.add_option("--floor", check.floor, "time differences below are never failures (default: 10ms)")->type_name("TIME");
  app.add_flag("--fail-on-new", check.fail_on_new, "regions and findings that the base does not have are failures");
  app.add_flag("--fail-on-missing", check.fail_on_missing,
               "calls and regions that only the base has are failures (default; =false for not)")
      ->default_str("true");
  app.add_option("--allow", check.allow, "patterns of metrics whose failures are accepted, one a line")->type_name("FILE");
  app.add_flag("--allow-different", check.allow_different, "compare what differs in ranks, MPI, command or processor, or failed");
  app.add_flag("--report-only", check.report_only, "exit with 0 where 1 would be");
  app.add_flag("--strict", check.strict, "inconclusive is a failure");
  app.add_option("--history", check.history,
                 "compare with the accepted profiles of this directory; writes trend.html and badge.svg there")
      ->type_name("DIR");
  app.add_option("--last", check.last, "how many accepted profiles count (default: 10)")
      ->check(CLI::Range(1, 1000).description(""))
      ->type_name("K");
  app.add_flag("--accept", check.accept, "store the profile in the history, unless the check failed");
  app.add_option("--junit", check.junit, "write JUnit XML")->type_name("FILE");
  app.add_option("--markdown", check.markdown, "write Markdown, for a comment of a pull request")->type_name("FILE");
  app.add_option("--json", check.json, "write all that is known")->type_name("FILE");
  app.add_option("--gitlab-metrics", check.gitlab_metrics, "write OpenMetrics text for GitLab's metrics report")->type_name("FILE");
  app.add_option("--code-quality", check.code_quality, "write GitLab's Code Quality report")->type_name("FILE");
  app.add_flag("--github", check.github,
               "print GitHub annotations, and add to the step summary (default where GITHUB_ACTIONS=true)");
}

void add_export_options(CLI::App &app, ExportCommand &command) {
  app.description("Writes a profile in the format of another tool.");
  app.add_option("file", command.file, "a profile that run wrote")->required();
  app.add_option("--to", command.to,
                 "chrome-trace, speedscope: the timeline of run --trace, for Perfetto's UI and speedscope; csv: its messages; "
                 "gha-benchmark: github-action-benchmark's customSmallerIsBetter; profile-json: the Python package's format")
      ->check(CLI::IsMember({"chrome-trace", "csv", "gha-benchmark", "profile-json", "speedscope"}).description(""))
      ->required()
      ->type_name("FORMAT");
  // Not "output" in the environment: what `run` writes must not become what `export` overwrites.
  app.add_option("-o,--output,--export-output", command.output, "write to this file; '-' is standard output (default)")
      ->type_name("OUT");
}

}  // namespace scope::cli
