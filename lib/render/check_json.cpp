#include <cstdio>

#include <nlohmann/json.hpp>

#include "render/check_formats.hpp"
#include "render/check_text.hpp"

namespace scope::render {
namespace {

using nlohmann::ordered_json;
using compare::Group;
using compare::Outcome;
using compare::Unit;
using compare::Verdict;

template <class Number>
ordered_json number(const std::optional<Number> &value) {
  return value ? ordered_json(*value) : ordered_json();
}

const char *group_word(Group group) {
  switch (group) {
    case Group::time: return "time";
    case Group::count: return "count";
    case Group::limit: return "limit";
    case Group::finding: return "finding";
    case Group::history: break;
  }
  return "history";
}

const char *unit_word(Unit unit) {
  switch (unit) {
    case Unit::ns: return "ns";
    case Unit::bytes: return "bytes";
    case Unit::count: return "count";
    case Unit::ratio: break;
  }
  return "ratio";
}

std::string json_outcome(Outcome outcome) {
  switch (outcome) {
    case Outcome::fail: return "fail";
    case Outcome::inconclusive: return "inconclusive";
    case Outcome::allowed: return "allowed";
    case Outcome::pass: return "pass";
    case Outcome::note: break;
  }
  return "note";
}

const char *reason_id(compare::Reason reason) {
  using compare::Reason;
  switch (reason) {
    case Reason::unchanged: return "unchanged";
    case Reason::improved: return "improved";
    case Reason::fell: return "fell";
    case Reason::within_limit: return "within-limit";
    case Reason::significant: return "significant";
    case Reason::untested: return "untested";
    case Reason::grew: return "grew";
    case Reason::new_cost: return "new-cost";
    case Reason::vanished: return "vanished";
    case Reason::beyond_limit: return "beyond-limit";
    case Reason::forbidden: return "forbidden";
    case Reason::not_measured: return "not-measured";
    case Reason::step: return "step";
    case Reason::not_significant: return "not-significant";
    case Reason::too_few_for_family: return "too-few-for-family";
    case Reason::too_few_repeats: return "too-few-repeats";
    case Reason::short_history: return "short-history";
    case Reason::varies: return "varies";
    case Reason::polling: return "polling";
    case Reason::appeared: break;
  }
  return "appeared";
}

ordered_json json_of(const Verdict &verdict) {
  ordered_json interval;
  if (verdict.interval) interval = {verdict.interval->low, verdict.interval->high};
  return {{"metric", verdict.metric},
          {"group", group_word(verdict.group)},
          {"unit", unit_word(verdict.unit)},
          {"verdict", json_outcome(verdict.outcome)},
          {"reason", reason_id(verdict.reason)},
          {"base", number(verdict.base)},
          {"new", number(verdict.now)},
          {"base_repeats", verdict.base_repeats},
          {"new_repeats", verdict.now_repeats},
          {"paired", verdict.paired},
          {"ratio", number(verdict.ratio)},
          {"interval", interval},
          {"p", number(verdict.p_value)},
          {"superiority", number(verdict.superiority)},
          {"threshold", number(verdict.threshold)},
          {"limit", number(verdict.limit)},
          {"floor", verdict.floor},
          {"more_repeats", verdict.more_repeats},
          {"allowed_by", verdict.allowed_by.empty() ? ordered_json() : ordered_json(verdict.allowed_by)},
          {"source", verdict.source.empty() ? ordered_json() : ordered_json(verdict.source)},
          {"text", reason_text(verdict)}};
}

std::string dumped(const ordered_json &value) {
  return value.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

/// FNV-1a: the same for the same check, which is all that a fingerprint must be.
std::string fingerprint(const std::string &text) {
  std::uint64_t state = 0xcbf29ce484222325ull;
  for (char c : text) state = (state ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  std::string out;
  for (int shift = 60; shift >= 0; shift -= 4) out += "0123456789abcdef"[(state >> shift) & 15];
  return out;
}

/// "budget.toml:3" as file and line; what is no place becomes the profile's first line.
std::pair<std::string, int> location(const Verdict &verdict, const std::string &profile) {
  const auto colon = verdict.source.rfind(':');
  if (colon == std::string::npos || colon + 1 == verdict.source.size()) return {profile, 1};
  int line = 0;
  for (char c : verdict.source.substr(colon + 1)) {
    if (c < '0' || c > '9' || line > 100'000'000) return {profile, 1};
    line = line * 10 + (c - '0');
  }
  return {verdict.source.substr(0, colon), line};
}

}  // namespace

std::string check_json(const compare::CheckResult &result) {
  ordered_json differences = ordered_json::array(), verdicts = ordered_json::array();
  for (const auto &difference : result.differences) differences.push_back(difference_text(difference));
  for (const Verdict &verdict : result.verdicts) verdicts.push_back(json_of(verdict));
  return dumped({{"format", "scope-profiler-check"},
                 {"format_version", 1},
                 {"verdict", result.refused ? "refused" : json_outcome(result.overall)},
                 {"text", check_headline(result)},
                 {"base", result.base_name.empty() ? ordered_json() : ordered_json(result.base_name)},
                 {"new", result.now_name},
                 {"counts",
                  {{"pass", result.counts.pass},
                   {"fail", result.counts.fail},
                   {"inconclusive", result.counts.inconclusive},
                   {"allowed", result.counts.allowed},
                   {"note", result.counts.note}}},
                 {"differences", differences},
                 {"unused_allowances", result.unused_allowances},
                 {"checks", verdicts}});
}

std::string code_quality_json(const compare::CheckResult &result) {
  ordered_json issues = ordered_json::array();
  const auto add = [&](const std::string &text, const std::string &name, const char *severity, const std::string &path, int line) {
    issues.push_back({{"description", text},
                      {"check_name", name},
                      {"fingerprint", fingerprint(name)},
                      {"severity", severity},
                      {"location", {{"path", path}, {"lines", {{"begin", line}}}}}});
  };
  for (const auto &difference : result.differences)
    if (result.refused) add(difference_text(difference), "not-comparable", "blocker", result.now_name, 1);
  for (const Verdict &verdict : result.verdicts) {
    if (verdict.outcome != Outcome::fail && verdict.outcome != Outcome::inconclusive) continue;
    const auto [path, line] = location(verdict, result.now_name);
    add(verdict.metric + ": " + reason_text(verdict), verdict.metric, verdict.outcome == Outcome::fail ? "major" : "info", path, line);
  }
  return dumped(issues);
}

std::string gha_benchmark_json(const compare::Measurements &measurements) {
  ordered_json entries = ordered_json::array();
  const auto add = [&](const compare::Metric &metric) {
    const auto values = compare::values_of(measurements, metric);
    if (values.empty()) return;
    const bool time = metric.unit() == Unit::ns;
    const double scale = time ? 1e-9 : 1;
    ordered_json entry = {{"name", metric.name()},
                          {"unit", time ? "s" : metric.unit() == Unit::bytes ? "bytes" : metric.unit() == Unit::count ? "count" : "ratio"},
                          {"value", compare::median(values) * scale}};
    if (values.size() > 1) {
      char spread[48];
      std::snprintf(spread, sizeof spread, "\xc2\xb1 %.6g", compare::robust_deviation(values) * scale);
      entry["range"] = spread;
    }
    entry["extra"] = std::to_string(values.size()) + (values.size() == 1 ? " repetition" : " repetitions");
    entries.push_back(std::move(entry));
  };
  // All of them: smaller is better. Efficiencies are the other way round and have no place in this list.
  for (const char *name : {"wall", "compute_time", "mpi_time", "mpi_share", "calls", "bytes", "messages"}) add(compare::parse_metric(name));
  for (const std::string &call : compare::subjects_of(measurements, compare::Scope::call))
    add({compare::Scope::call, call, "total"});
  for (const std::string &region : compare::subjects_of(measurements, compare::Scope::region))
    add({compare::Scope::region, region, "total"});
  return dumped(entries);
}

}  // namespace scope::render
