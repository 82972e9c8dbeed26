#pragma once
// The result of a check for programs: JSON, and what CI systems read.

#include <string>

#include "compare/history.hpp"
#include "compare/verdict.hpp"

namespace scope::render {

/// All that is known, raw: times in ns, ratios 0..1. "format": "scope-profiler-check", version 1.
std::string check_json(const compare::CheckResult &result);

/// One test case a verdict (notes are left out); class "scope-profiler.<group>", name the metric: stable from run to run.
/// Inconclusive and allowed ones are skipped tests.
std::string junit(const compare::CheckResult &result);

/// Workflow commands, one a line: errors for failures, warnings for what is inconclusive, a notice for the rest.
std::string github_annotations(const compare::CheckResult &result);

/// OpenMetrics text, for GitLab's artifacts:reports:metrics: the new profile's values.
std::string gitlab_metrics(const compare::CheckResult &result);

/// GitLab's Code Quality report: failures and what is inconclusive.
std::string code_quality_json(const compare::CheckResult &result);

/// github-action-benchmark's "customSmallerIsBetter": times of the whole and of the calls, with the spread over repetitions.
std::string gha_benchmark_json(const compare::Measurements &measurements);

/// A page that works offline and without scripts: one chart and one table a metric.
std::string trend_page(const compare::HistoryResult &history);

/// "performance: pass" as SVG.
std::string badge(const compare::CheckResult &result);

}  // namespace scope::render
