// `check`: a gate for CI.

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "commands.hpp"
#include "compare/allow.hpp"
#include "compare/budget.hpp"
#include "compare/check.hpp"
#include "compare/history.hpp"
#include "compare/quantity.hpp"
#include "messages.hpp"
#include "render/check_formats.hpp"
#include "render/check_text.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "terminal.hpp"

namespace scope::app {

namespace fs = std::filesystem;
using support::Error;

namespace {

compare::Measurements read_measurements(const std::string &file) { return compare::measurements_of(model::read_profile(file)); }

compare::CheckOptions options_of(const cli::CheckCommand &command) {
  compare::CheckOptions options;
  for (const auto &text : command.max) options.limits.push_back(compare::parse_limit_option(text, "--max"));
  for (const auto &text : command.min) options.limits.push_back(compare::parse_limit_option(text, "--min"));
  if (!command.max_regression.empty()) options.max_regression = compare::parse_max_regression(command.max_regression);
  if (!command.floor.empty()) options.floor_ns = compare::parse_floor(command.floor);
  if (!command.allow.empty()) options.allowances = compare::parse_allowances(support::read_file(command.allow), command.allow);
  if (!command.budget.empty())
    for (auto &limit : compare::parse_budget(support::read_file(command.budget), command.budget)) options.limits.push_back(limit);
  options.fail_on_new = command.fail_on_new;
  options.fail_on_missing = command.fail_on_missing;
  options.allow_different = command.allow_different;
  return options;
}

void print(const std::string &text) {
  bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written && errno != EPIPE) throw Error("cannot write to standard output: " + support::errno_text(errno) + ".");
}

/// A file, or "-": standard output, which then holds nothing else.
void write(const std::string &file, const std::string &text) {
  if (file.empty()) return;
  if (file == "-") print(text);
  else support::write_file_atomically(file, text, false, false);
}

void refuse_input_as_output(const cli::CheckCommand &command) {
  std::error_code ignored;
  for (const auto &output : {command.junit, command.markdown, command.json, command.gitlab_metrics, command.code_quality})
    for (const auto &input : command.files)
      if (output == input || (!output.empty() && output != "-" && fs::equivalent(output, input, ignored)))
        throw Error("'" + output + "' is a profile that is checked. Choose another name for the output.");
}

/// GitHub adds what steps leave in this file to the run's page.
void add_step_summary(const compare::CheckResult &result) {
  const char *file = std::getenv("GITHUB_STEP_SUMMARY");
  if (!file || !*file) return;
  std::ofstream out(file, std::ios::app);
  out << render::check_markdown(result) << '\n';
  if (!out.flush()) warn("cannot write the step summary '" + std::string(file) + "'.");
}

void write_outputs(const compare::CheckResult &result, const cli::CommandLine &line) {
  const auto &command = line.check;
  bool to_stdout = false;
  for (const auto &file : {command.junit, command.markdown, command.json, command.gitlab_metrics, command.code_quality})
    to_stdout = to_stdout || file == "-";
  if (!to_stdout && !line.common.quiet)
    print(render::check_text(result, style_for_descriptor(1, line.common.color), line.common.verbose));
  write(command.junit, render::junit(result));
  write(command.markdown, render::check_markdown(result));
  write(command.json, render::check_json(result));
  write(command.gitlab_metrics, render::gitlab_metrics(result));
  write(command.code_quality, render::code_quality_json(result));
  if (!command.github) return;
  if (!to_stdout) print(render::github_annotations(result));
  add_step_summary(result);
}

compare::CheckResult check_with_history(const cli::CheckCommand &command, const compare::CheckOptions &options) {
  auto now = read_measurements(command.files[0]);
  auto history = compare::read_history(command.history, static_cast<std::size_t>(command.last));
  auto result = compare::check_history(history, now, options);
  result.check.now_name = command.files[0];
  result.check.base_name = command.history;
  if (result.check.refused) return result.check;
  auto limits = options;
  std::erase_if(limits.limits, [](const auto &limit) { return limit.kind == compare::Limit::Kind::growth; });
  if (!limits.limits.empty()) {
    auto budget = compare::check_budget(now, limits);
    result.check.verdicts.insert(result.check.verdicts.end(), budget.verdicts.begin(), budget.verdicts.end());
    compare::conclude(result.check, {});
  }
  bool stored = command.accept && (result.check.overall != compare::Outcome::fail || command.report_only);
  if (stored) info("accepted: " + compare::accept(command.history, now.profile).string());
  if (command.accept && !stored) warn("the profile is not stored: the check failed. With --report-only it is stored all the same.");
  if (!result.trends.empty()) {
    support::write_file_atomically(fs::path(command.history) / "trend.html", render::trend_page(result), false, false);
    support::write_file_atomically(fs::path(command.history) / "badge.svg", render::badge(result.check), false, false);
  }
  return result.check;
}

compare::CheckResult check_files(const cli::CheckCommand &command, const compare::CheckOptions &options) {
  auto now = read_measurements(command.files.back());
  if (command.files.size() == 1) {
    auto result = compare::check_budget(now, options);
    result.now_name = command.files[0];
    return result;
  }
  auto result = compare::check(read_measurements(command.files[0]), now, options);
  result.base_name = command.files[0];
  result.now_name = command.files[1];
  return result;
}

/// What the options ask for must fit together.
void check_usage(const cli::CheckCommand &command) {
  const auto count = command.files.size();
  const bool alone = command.init || !command.history.empty();
  if (command.init && !command.history.empty()) throw Error("--init makes a budget and checks nothing, so --history has no meaning with it.");
  if (command.accept && command.history.empty()) throw Error("--accept stores the profile in a history: give --history DIR.");
  if (count == 0) throw Error("check needs a profile: scope-profiler check BASE NEW.");
  if (count > 2) throw Error("check compares two profiles, and " + std::to_string(count) + " were given.");
  if (alone && count != 1) throw Error(std::string(command.init ? "--init" : "--history") + " takes one profile, and two were given.");
  if (count == 1 && !command.max_regression.empty() && command.history.empty())
    throw Error("--max-regression is a limit on growth, so it needs a base: scope-profiler check BASE NEW.");
  if (!alone && count == 1 && command.budget.empty() && command.max.empty() && command.min.empty())
    throw Error("check needs two profiles (scope-profiler check BASE NEW), or limits for one: --budget, --max, --min, --history.");
}

}  // namespace

int check_command(const cli::CommandLine &line) {
  const auto &command = line.check;
  check_usage(command);
  if (command.init) {
    print(compare::first_budget(read_measurements(command.files[0]), command.files[0]));
    return 0;
  }
  refuse_input_as_output(command);
  auto options = options_of(command);
  auto result = command.history.empty() ? check_files(command, options) : check_with_history(command, options);
  write_outputs(result, line);
  if (result.refused) error("the profiles can't be compared; --allow-different does it all the same.");
  return compare::exit_code(result, command.strict, command.report_only);
}

}  // namespace scope::app
