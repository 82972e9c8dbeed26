// JUnit, GitHub's workflow commands, OpenMetrics, the badge.

#include <cstdio>

#include "render/check_formats.hpp"
#include "render/check_text.hpp"
#include "render/escape.hpp"
#include "support/text.hpp"

namespace scope::render {
namespace {

using compare::CheckResult;
using compare::Group;
using compare::Metric;
using compare::Outcome;
using compare::Unit;
using compare::Verdict;

const char *group_class(Group group) {
  switch (group) {
    case Group::time: return "scope-profiler.time";
    case Group::count: return "scope-profiler.count";
    case Group::limit: return "scope-profiler.limit";
    case Group::finding: return "scope-profiler.finding";
    case Group::history: break;
  }
  return "scope-profiler.history";
}

std::string attribute(const char *name, const std::string &value) { return std::string(" ") + name + "=\"" + escape_xml(value) + "\""; }

std::string test_case(const Verdict &verdict) {
  std::string out = "    <testcase" + attribute("name", verdict.metric) + attribute("classname", group_class(verdict.group)) +
                    attribute("time", "0");
  const std::string message = attribute("message", reason_text(verdict));
  switch (verdict.outcome) {
    case Outcome::fail:
      return out + ">\n      <failure" + message + attribute("type", "regression") + ">" + escape_xml(reason_text(verdict)) +
             "</failure>\n    </testcase>\n";
    case Outcome::inconclusive:
    case Outcome::allowed: return out + ">\n      <skipped" + message + "/>\n    </testcase>\n";
    default: return out + "/>\n";
  }
}

/// ISO 8601 without a zone, as the schema wants it.
std::string timestamp(const CheckResult &result) {
  std::string text = result.started;
  if (text.ends_with('Z')) text.pop_back();
  return text.empty() ? "1970-01-01T00:00:00" : text;
}

std::string annotation(const char *level, const std::string &title, const std::string &text, const std::string &source) {
  std::string properties = "title=" + escape_github_property(title);
  const auto colon = source.rfind(':');
  const bool place = colon != std::string::npos && colon + 1 < source.size() &&
                     source.find_first_not_of("0123456789", colon + 1) == std::string::npos;
  if (place)
    properties = "file=" + escape_github_property(source.substr(0, colon)) + ",line=" + source.substr(colon + 1) + "," + properties;
  return std::string("::") + level + " " + properties + "::" + escape_github_data(text) + "\n";
}

std::string openmetrics_line(const std::string &name, const std::string &labels, double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.9g", value);
  return "scope_profiler_" + name + labels + " " + text + "\n";
}

std::string openmetrics_of(const Verdict &verdict, const Metric &metric) {
  const char *suffix = metric.unit() == Unit::ns      ? "_seconds"
                       : metric.unit() == Unit::bytes && !metric.stat.starts_with("bytes") ? "_bytes"
                       : metric.unit() == Unit::ratio ? "_ratio"
                                                      : "";
  const double value = metric.unit() == Unit::ns ? *verdict.now * 1e-9 : *verdict.now;
  if (metric.scope == compare::Scope::whole) return openmetrics_line(metric.stat + suffix, "", value);
  const char *label = metric.scope == compare::Scope::call ? "call" : metric.scope == compare::Scope::region ? "region" : "finding";
  const std::string name = std::string(label) + "_" + (metric.stat.empty() ? "lost" : metric.stat) + suffix;
  return openmetrics_line(name, "{" + std::string(label) + "=\"" + escape_openmetrics(metric.subject) + "\"}", value);
}

/// The names of peers and communicators are none of parse_metric's.
bool is_metric(const std::string &name) { return !name.starts_with("peers") && !name.starts_with("communicators"); }

}  // namespace

std::string junit(const CheckResult &result) {
  std::string cases;
  for (const Verdict &verdict : result.verdicts)
    if (verdict.outcome != Outcome::note) cases += test_case(verdict);
  std::size_t errors = 0;
  if (result.refused) {
    std::string reasons;
    for (const auto &difference : result.differences) reasons += (reasons.empty() ? "" : " ") + difference_text(difference);
    cases = "    <testcase name=\"comparable\" classname=\"scope-profiler\" time=\"0\">\n      <error" +
            attribute("message", reasons) + attribute("type", "not-comparable") + ">" + escape_xml(reasons) + "</error>\n    </testcase>\n";
    errors = 1;
  }
  const auto &counts = result.counts;
  const std::size_t all = counts.pass + counts.fail + counts.inconclusive + counts.allowed + errors;
  std::string totals = attribute("name", "scope-profiler") + attribute("tests", std::to_string(all)) +
                       attribute("failures", std::to_string(counts.fail)) + attribute("errors", std::to_string(errors));
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite" + totals +
         attribute("skipped", std::to_string(counts.inconclusive + counts.allowed)) + attribute("time", "0") +
         attribute("timestamp", timestamp(result)) + attribute("hostname", "localhost") + attribute("id", "0") +
         attribute("package", "scope-profiler") + ">\n    <properties>\n      <property" + attribute("name", "command") +
         attribute("value", result.command) + "/>\n    </properties>\n" + cases + "    <system-out>" + escape_xml(check_headline(result)) +
         "</system-out>\n    <system-err></system-err>\n  </testsuite>\n</testsuites>\n";
}

std::string github_annotations(const CheckResult &result) {
  // GitHub shows ten annotations of a kind and a step.
  constexpr std::size_t most = 9;
  std::string out;
  if (result.refused) {
    for (const auto &difference : result.differences) out += annotation("error", "profiles not comparable", difference_text(difference), "");
    return out;
  }
  std::size_t errors = 0, warnings = 0;
  for (const Verdict &verdict : result.verdicts) {
    if (verdict.outcome == Outcome::fail && ++errors <= most)
      out += annotation("error", "performance: " + verdict.metric, reason_text(verdict), verdict.source);
    if (verdict.outcome == Outcome::inconclusive && ++warnings <= most)
      out += annotation("warning", "performance: " + verdict.metric, reason_text(verdict), verdict.source);
  }
  return out + annotation(errors ? "error" : "notice", "performance", check_headline(result), "");
}

std::string gitlab_metrics(const CheckResult &result) {
  std::string out;
  for (const Verdict &verdict : result.verdicts)
    if (verdict.now && is_metric(verdict.metric)) out += openmetrics_of(verdict, compare::parse_metric(verdict.metric));
  return out + "# EOF\n";
}

std::string badge(const CheckResult &result) {
  const bool failed = result.refused || result.overall == Outcome::fail;
  const bool unsure = !failed && result.overall == Outcome::inconclusive;
  const std::string word = result.refused ? "not comparable" : failed ? "worse" : unsure ? "inconclusive" : "pass";
  const std::string color = failed ? "#b3261e" : unsure ? "#8a5a00" : "#1b6e2d";
  const int left = 90, right = 14 + 7 * static_cast<int>(word.size()), width = left + right;
  const auto text = [](int x, const std::string &content) {
    return "<text x=\"" + std::to_string(x) + "\" y=\"14\">" + content + "</text>";
  };
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(width) + "\" height=\"20\" role=\"img\" "
         "aria-label=\"performance: " + word + "\"><title>performance: " + word + "</title>"
         "<rect width=\"" + std::to_string(width) + "\" height=\"20\" rx=\"3\" fill=\"#444\"/>"
         "<path d=\"M" + std::to_string(left) + " 0h" + std::to_string(right - 3) + "a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3h-" +
         std::to_string(right - 3) + "z\" fill=\"" + color + "\"/>"
         "<g fill=\"#fff\" text-anchor=\"middle\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">" +
         text(left / 2, "performance") + text(left + right / 2, word) + "</g></svg>\n";
}

}  // namespace scope::render
