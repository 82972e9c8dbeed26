#include "compare/check.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "compare/comparable.hpp"
#include "compare/exact.hpp"
#include "compare/growth.hpp"
#include "compare/limits.hpp"
#include "support/error.hpp"

namespace scope::compare {
namespace {

const char *const default_gates[] = {"wall", "compute_time", "mpi_time"};

bool is_exact(const Metric &metric) {
  if (metric.scope == Scope::call) return metric.stat == "calls" || metric.stat == "bytes";
  return metric.scope == Scope::whole && metric.unit() != Unit::ns && metric.unit() != Unit::ratio;
}

/// Gates by metric: a later one of the same metric takes the place of an earlier one.
class Gates {
 public:
  void add(const Metric &metric, double threshold, const std::string &source, bool named) {
    for (GrowthGate &gate : gates_) {
      if (gate.metric != metric) continue;
      gate = {metric, threshold, source, named};
      return;
    }
    gates_.push_back({metric, threshold, source, named});
  }
  const std::vector<GrowthGate> &all() const { return gates_; }

 private:
  std::vector<GrowthGate> gates_;
};

bool measured(const Measurements &base, const Measurements &now, const Metric &metric) {
  return !values_of(base, metric).empty() || !values_of(now, metric).empty();
}

/// --max-regression: all times and ratios of the whole, and the time of every call and region.
void add_all(Gates &gates, const Measurements &base, const Measurements &now, double threshold) {
  const std::string source = "--max-regression";
  for (const std::string &name : whole_metrics()) {
    const Metric metric{Scope::whole, "", name};
    // inner_time is wall again, imbalance is load_balance: each again would only make the evidence that is needed stronger.
    if (!is_exact(metric) && name != "inner_time" && name != "imbalance" && measured(base, now, metric))
      gates.add(metric, threshold, source, false);
  }
  for (Scope scope : {Scope::call, Scope::region})
    for (const Metric &metric : expand({scope, "*", "total"}, &base, now)) {
      // Those on one side only are new or vanished, which is said elsewhere.
      if (!values_of(base, metric).empty() && !values_of(now, metric).empty()) gates.add(metric, threshold, source, false);
    }
}

Gates choose_gates(const Measurements &base, const Measurements &now, const CheckOptions &options) {
  Gates gates;
  if (options.max_regression) {
    add_all(gates, base, now, *options.max_regression);
  } else if (options.defaults) {
    for (const char *name : default_gates)
      if (measured(base, now, {Scope::whole, "", name})) gates.add({Scope::whole, "", name}, default_threshold, "", false);
    for (const Metric &metric : expand({Scope::region, "*", "total"}, &base, now))
      if (!values_of(base, metric).empty() && !values_of(now, metric).empty()) gates.add(metric, default_threshold, "", false);
  }
  for (const Limit &limit : options.limits) {
    if (limit.kind != Limit::Kind::growth) continue;
    for (const Metric &metric : expand(limit.metric, &base, now)) gates.add(metric, limit.value, limit.source, true);
  }
  return gates;
}

Verdict presence(const std::string &metric, Outcome outcome, Reason reason, std::optional<double> base, std::optional<double> now) {
  Verdict verdict;
  verdict.metric = metric;
  verdict.outcome = outcome;
  verdict.reason = reason;
  verdict.base = base;
  verdict.now = now;
  return verdict;
}

/// Regions of one side only.
void check_presence(const Measurements &base, const Measurements &now, const CheckOptions &options, const Gates &gates,
                    std::vector<Verdict> &verdicts) {
  for (const Metric &metric : expand({Scope::region, "*", "total"}, &base, now)) {
    const bool gated = std::any_of(gates.all().begin(), gates.all().end(), [&](const auto &gate) { return gate.metric == metric; });
    const auto before = values_of(base, metric), after = values_of(now, metric);
    if (gated || before.empty() == after.empty()) continue;
    if (after.empty())
      verdicts.push_back(presence(metric.name(), options.fail_on_missing ? Outcome::fail : Outcome::note, Reason::vanished,
                                  median(before), std::nullopt));
    else
      verdicts.push_back(presence(metric.name(), options.fail_on_new ? Outcome::fail : Outcome::note,
                                  options.fail_on_new ? Reason::new_cost : Reason::appeared, std::nullopt, median(after)));
  }
}

/// Findings that the base did not have.
void check_new_findings(const Measurements &base, const Measurements &now, const CheckOptions &options,
                        std::vector<Verdict> &verdicts) {
  const auto before = subjects_of(base, Scope::finding);
  for (const std::string &id : subjects_of(now, Scope::finding)) {
    if (std::find(before.begin(), before.end(), id) != before.end()) continue;
    const Metric metric{Scope::finding, id, ""};
    Verdict verdict = presence(metric.name(), options.fail_on_new ? Outcome::fail : Outcome::note,
                               options.fail_on_new ? Reason::new_cost : Reason::appeared, std::nullopt, median(values_of(now, metric)));
    verdict.group = Group::finding;
    verdicts.push_back(std::move(verdict));
  }
}

void add_counts(const Measurements &base, const Measurements &now, const CheckOptions &options, Gates &gates,
                std::vector<Verdict> &verdicts) {
  std::vector<Metric> loosened;
  for (const GrowthGate &gate : gates.all()) loosened.push_back(gate.metric);
  for (const Limit &limit : options.limits)
    if (limit.kind == Limit::Kind::at_most)
      for (const Metric &metric : expand(limit.metric, &base, now)) loosened.push_back(metric);
  ExactResult exact = check_exact(base, now, options, loosened);
  // What varies is a statistic: where there are repetitions enough it is gated like one.
  const bool testable = base.repeats.size() >= fewest_tested && now.repeats.size() >= fewest_tested;
  for (const Metric &metric : exact.varying) {
    if (!testable) continue;
    gates.add(metric, options.max_regression.value_or(default_threshold), "", false);
    std::erase_if(exact.verdicts, [&](const Verdict &verdict) { return verdict.metric == metric.name(); });
  }
  verdicts.insert(verdicts.end(), exact.verdicts.begin(), exact.verdicts.end());
}

void apply_allowances(CheckResult &result, const CheckOptions &options) {
  for (const Allowance &allowance : options.allowances) {
    bool used = false;
    for (Verdict &verdict : result.verdicts) {
      if (!matches(allowance.pattern, verdict.metric)) continue;
      if (verdict.outcome != Outcome::fail && verdict.outcome != Outcome::allowed) continue;
      used = true;
      verdict.outcome = Outcome::allowed;
      if (verdict.allowed_by.empty()) verdict.allowed_by = allowance.source;
    }
    if (!used) result.unused_allowances.push_back(allowance.source + ": " + allowance.pattern);
  }
}

int order_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::fail: return 0;
    case Outcome::inconclusive: return 1;
    case Outcome::allowed: return 2;
    case Outcome::pass: return 3;
    case Outcome::note: break;
  }
  return 4;
}

void fill_names(CheckResult &result, const Measurements *base, const Measurements &now) {
  if (base) result.base_label = base->profile.metadata.label;
  result.now_label = now.profile.metadata.label;
  result.started = now.profile.metadata.started;
  for (const std::string &word : now.profile.metadata.command) result.command += (result.command.empty() ? "" : " ") + word;
}

}  // namespace

void conclude(CheckResult &result, const CheckOptions &options) {
  apply_allowances(result, options);
  std::stable_sort(result.verdicts.begin(), result.verdicts.end(),
                   [](const Verdict &a, const Verdict &b) { return order_of(a.outcome) < order_of(b.outcome); });
  result.counts = {};
  for (const Verdict &verdict : result.verdicts) {
    switch (verdict.outcome) {
      case Outcome::pass: ++result.counts.pass; break;
      case Outcome::fail: ++result.counts.fail; break;
      case Outcome::inconclusive: ++result.counts.inconclusive; break;
      case Outcome::allowed: ++result.counts.allowed; break;
      case Outcome::note: ++result.counts.note; break;
    }
  }
  result.overall = result.counts.fail ? Outcome::fail : result.counts.inconclusive ? Outcome::inconclusive : Outcome::pass;
}

CheckResult check(const Measurements &base, const Measurements &now, const CheckOptions &options) {
  CheckResult result;
  fill_names(result, &base, now);
  result.differences = differences(base, now);
  result.refused = !result.differences.empty() && !options.allow_different;
  if (result.refused) return result;
  if (base.profile.metadata.hosts != now.profile.metadata.hosts) result.left_out_hosts = now.profile.metadata.hosts;
  Gates gates = choose_gates(base, now, options);
  if (options.defaults && !ranks_differ(result.differences)) add_counts(base, now, options, gates, result.verdicts);
  auto grown = check_growth(gates.all(), base, now, options.floor_ns);
  if (!options.fail_on_missing)
    for (Verdict &verdict : grown)
      if (verdict.outcome == Outcome::fail && (verdict.reason == Reason::vanished || verdict.reason == Reason::not_measured))
        verdict.outcome = Outcome::note;
  result.verdicts.insert(result.verdicts.begin(), grown.begin(), grown.end());
  const auto limited = check_limits(options, now);
  result.verdicts.insert(result.verdicts.end(), limited.begin(), limited.end());
  if (options.defaults) {
    check_presence(base, now, options, gates, result.verdicts);
    check_new_findings(base, now, options, result.verdicts);
  }
  const bool compared = std::any_of(result.verdicts.begin(), result.verdicts.end(), [](const Verdict &verdict) {
    return verdict.outcome != Outcome::note;
  });
  if (!compared)
    throw support::Error(
        "the profiles have no metric in common that could be compared. Record both with 'run --mpi-calls', or programs without "
        "MPI with 'run --repeat N'.");
  conclude(result, options);
  return result;
}

CheckResult check_budget(const Measurements &now, const CheckOptions &options) {
  CheckResult result;
  fill_names(result, nullptr, now);
  for (const Limit &limit : options.limits)
    if (limit.kind == Limit::Kind::growth)
      throw support::Error(limit.source + ": the limit of " + limit.metric.name() +
                           " is relative, so it needs a base: scope-profiler check --budget FILE BASE NEW.");
  if (options.limits.empty()) throw support::Error("there is no limit to check: the budget is empty.");
  result.differences = defects(now, 1);
  result.refused = !result.differences.empty() && !options.allow_different;
  if (result.refused) return result;
  result.verdicts = check_limits(options, now);
  if (result.verdicts.empty())
    throw support::Error("none of the budget's limits applies: no call, region or finding matches its patterns.");
  conclude(result, options);
  return result;
}

int exit_code(const CheckResult &result, bool strict, bool report_only) {
  if (result.refused) return 2;
  const bool failed = result.overall == Outcome::fail || (strict && result.overall == Outcome::inconclusive);
  return failed && !report_only ? 1 : 0;
}

}  // namespace scope::compare
