#include "compare/metric.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "model/repeats.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace scope::compare {
namespace {

using Value = std::optional<double>;
using Getter = Value (*)(const model::Repeat &);

double real(std::int64_t number) { return static_cast<double>(number); }

std::size_t position(const std::vector<std::string> &names, const std::string &name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

double call_time(const model::Repeat &repeat, const std::string &name) {
  const std::size_t at = position(repeat.calls.name, name);
  return at < repeat.calls.name.size() ? real(repeat.calls.total_ns[at]) : 0;
}

/// Rank time outside MPI; nothing where no rank reported.
Value compute_time(const model::Repeat &repeat) {
  if (repeat.totals.wall_sum_ns <= 0) return std::nullopt;
  return std::max(0.0, real(repeat.totals.wall_sum_ns) - real(repeat.totals.mpi_ns));
}

Value inner_time(const model::Repeat &repeat) {
  if (repeat.totals.wall_sum_ns <= 0) return std::nullopt;
  double startup = 0;
  for (const char *name : {"MPI_Init", "MPI_Init_thread", "MPI_Finalize"}) startup += call_time(repeat, name);
  return std::max(0.0, real(repeat.totals.wall_sum_ns) - startup);
}

template <std::int64_t model::Totals::*member>
Value total(const model::Repeat &repeat) {
  if (repeat.totals.wall_sum_ns <= 0) return std::nullopt;
  return real(repeat.totals.*member);
}

struct Description {
  const char *name;
  Unit unit;
  bool lower_is_better;
  Getter get;
};

const Description descriptions[] = {
    {"wall", Unit::ns, true,
     [](const model::Repeat &r) -> Value {
       const auto wall = model::wall_ns_of(r);
       return wall > 0 ? Value(real(wall)) : std::nullopt;
     }},
    {"compute_time", Unit::ns, true, compute_time},
    {"mpi_time", Unit::ns, true, total<&model::Totals::mpi_ns>},
    {"inner_time", Unit::ns, true, inner_time},
    {"mpi_share", Unit::ratio, true,
     [](const model::Repeat &r) -> Value { return r.totals.wall_sum_ns > 0 ? Value(r.totals.mpi_share) : std::nullopt; }},
    {"parallel_efficiency", Unit::ratio, false, [](const model::Repeat &r) { return r.efficiency.parallel; }},
    {"load_balance", Unit::ratio, false, [](const model::Repeat &r) { return r.efficiency.load_balance; }},
    {"communication_efficiency", Unit::ratio, false, [](const model::Repeat &r) { return r.efficiency.communication; }},
    {"imbalance", Unit::ratio, true,
     [](const model::Repeat &r) -> Value {
       return r.efficiency.load_balance ? Value(1 - *r.efficiency.load_balance) : std::nullopt;
     }},
    {"calls", Unit::count, true, total<&model::Totals::calls>},
    {"bytes", Unit::bytes, true,
     [](const model::Repeat &r) -> Value {
       if (r.totals.wall_sum_ns <= 0) return std::nullopt;
       return real(r.totals.bytes_sent) + real(r.totals.bytes_received);
     }},
    {"bytes_sent", Unit::bytes, true, total<&model::Totals::bytes_sent>},
    {"bytes_received", Unit::bytes, true, total<&model::Totals::bytes_received>},
    {"messages", Unit::count, true,
     [](const model::Repeat &r) -> Value { return r.totals.wall_sum_ns > 0 ? Value(real(r.messages)) : std::nullopt; }},
};

const Description *description(const std::string &name) {
  for (const Description &known : descriptions)
    if (name == known.name) return &known;
  return nullptr;
}

Value call_value(const model::Repeat &repeat, const Metric &metric) {
  if (repeat.totals.wall_sum_ns <= 0) return std::nullopt;
  const model::RepeatCalls &calls = repeat.calls;
  const std::size_t at = position(calls.name, metric.subject);
  const bool there = at < calls.name.size();
  if (metric.stat == "calls") return there ? real(calls.calls[at]) : 0;
  if (metric.stat == "bytes") return there ? real(calls.bytes_sent[at]) + real(calls.bytes_received[at]) : 0;
  if (metric.stat == "total") return there ? real(calls.total_ns[at]) : 0;
  if (!there) return std::nullopt;
  if (metric.stat == "avg") return calls.calls[at] > 0 ? Value(real(calls.total_ns[at]) / real(calls.calls[at])) : std::nullopt;
  if (metric.stat == "p50") return real(calls.p50_ns[at]);
  if (metric.stat == "p95") return real(calls.p95_ns[at]);
  if (metric.stat == "p99") return real(calls.p99_ns[at]);
  if (metric.stat == "max") return real(calls.max_ns[at]);
  return calls.imbalance[at];
}

Value region_value(const model::Repeat &repeat, const Metric &metric) {
  const model::RepeatRegions &regions = repeat.regions;
  const std::size_t at = position(regions.path, metric.subject);
  if (at >= regions.path.size()) return std::nullopt;
  if (metric.stat == "calls") return real(regions.calls[at]);
  if (metric.stat == "total") return real(regions.total_ns[at]);
  if (metric.stat == "max") return real(regions.max_ns[at]);
  return regions.calls[at] > 0 ? Value(real(regions.total_ns[at]) / real(regions.calls[at])) : std::nullopt;
}

[[noreturn]] void refuse(const std::string &what, const std::string &word, const std::vector<std::string> &known) {
  const auto near = support::nearest(word, known);
  std::string all;
  for (const std::string &name : known) all += (all.empty() ? "" : ", ") + name;
  throw support::Error(what + (near.empty() ? "" : " Did you mean '" + near + "'?") + " There are: " + all + ".");
}

/// "calls.MPI_Send.total": what stands between the first and the last dot, and behind the last.
Metric parse_member(const std::string &name, Scope scope, std::size_t prefix, const std::vector<std::string> &stats) {
  const auto dot = name.rfind('.');
  if (dot == std::string::npos || dot <= prefix)
    throw support::Error("'" + support::shortened(name) + "' lacks what of it is meant: " + support::shortened(name) +
                         ".total, for example.");
  Metric metric{scope, name.substr(prefix, dot - prefix), name.substr(dot + 1)};
  if (std::find(stats.begin(), stats.end(), metric.stat) == stats.end())
    refuse("'" + support::shortened(metric.stat) + "' in '" + support::shortened(name) + "' is no figure of " +
               (scope == Scope::call ? "a call." : "a region."),
           metric.stat, stats);
  return metric;
}

}  // namespace

std::string Metric::name() const {
  switch (scope) {
    case Scope::call: return "calls." + subject + "." + stat;
    case Scope::region: return "regions." + subject + "." + stat;
    case Scope::finding: return "findings." + subject;
    case Scope::whole: break;
  }
  return stat;
}

Unit Metric::unit() const {
  if (scope == Scope::whole) return description(stat)->unit;
  if (stat == "calls") return Unit::count;
  if (stat == "bytes") return Unit::bytes;
  return stat == "imbalance" ? Unit::ratio : Unit::ns;
}

bool Metric::lower_is_better() const { return scope != Scope::whole || description(stat)->lower_is_better; }

const std::vector<std::string> &whole_metrics() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const Description &known : descriptions) result.emplace_back(known.name);
    return result;
  }();
  return names;
}

const std::vector<std::string> &call_stats() {
  static const std::vector<std::string> names{"calls", "bytes", "total", "avg", "p50", "p95", "p99", "max", "imbalance"};
  return names;
}

const std::vector<std::string> &region_stats() {
  static const std::vector<std::string> names{"calls", "total", "avg", "max"};
  return names;
}

Metric parse_metric(const std::string &name) {
  if (name.starts_with("calls.")) return parse_member(name, Scope::call, 6, call_stats());
  if (name.starts_with("regions.")) return parse_member(name, Scope::region, 8, region_stats());
  if (name.starts_with("findings.") && name.size() > 9) return {Scope::finding, name.substr(9), ""};
  if (description(name)) return {Scope::whole, "", name};
  auto known = whole_metrics();
  for (const char *form : {"calls.NAME.FIGURE", "regions.PATH.FIGURE", "findings.ID"}) known.emplace_back(form);
  refuse("'" + support::shortened(name) + "' is no metric.", name, known);
}

std::vector<double> values_of(const Measurements &measurements, const Metric &metric) {
  std::vector<double> values;
  if (metric.scope == Scope::finding) {
    for (const model::Finding &finding : measurements.profile.findings)
      if (finding.id == metric.subject) values.push_back(finding.seconds_lost * 1e9);
    return values;
  }
  for (const model::Repeat &repeat : measurements.repeats) {
    const Value value = metric.scope == Scope::call     ? call_value(repeat, metric)
                        : metric.scope == Scope::region ? region_value(repeat, metric)
                                                        : description(metric.stat)->get(repeat);
    if (value) values.push_back(*value);
  }
  return values;
}

std::vector<std::string> subjects_of(const Measurements &measurements, Scope scope) {
  std::set<std::string> names;
  for (const model::Repeat &repeat : measurements.repeats) {
    if (scope == Scope::call) names.insert(repeat.calls.name.begin(), repeat.calls.name.end());
    if (scope == Scope::region) names.insert(repeat.regions.path.begin(), repeat.regions.path.end());
  }
  if (scope == Scope::finding)
    for (const model::Finding &finding : measurements.profile.findings) names.insert(finding.id);
  return {names.begin(), names.end()};
}

bool matches(const std::string &pattern, const std::string &text) {
  // Greedy with one way back: to the last star (Kirk Krauss 2008). Linear in most cases, never exponential.
  std::size_t p = 0, t = 0, star = std::string::npos, retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == text[t] || pattern[p] == '?') && pattern[p] != '*') {
      ++p;
      ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool is_pattern(const std::string &text) { return text.find_first_of("*?") != std::string::npos; }

std::vector<Metric> expand(const Metric &metric, const Measurements *base, const Measurements &now) {
  if (metric.scope == Scope::whole || !is_pattern(metric.subject)) return {metric};
  std::set<std::string> names;
  for (const Measurements *side : {base, &now}) {
    if (!side) continue;
    for (const std::string &name : subjects_of(*side, metric.scope))
      if (matches(metric.subject, name)) names.insert(name);
  }
  std::vector<Metric> result;
  for (const std::string &name : names) result.push_back({metric.scope, name, metric.stat});
  return result;
}

}  // namespace scope::compare
