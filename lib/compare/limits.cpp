#include "compare/limits.hpp"

namespace scope::compare {
namespace {

Verdict check_limit(const Limit &limit, const Metric &metric, const Measurements &now, bool fail_on_missing) {
  const std::vector<double> values = values_of(now, metric);
  Verdict verdict;
  verdict.metric = metric.name();
  verdict.group = metric.scope == Scope::finding ? Group::finding : Group::limit;
  verdict.unit = metric.unit();
  verdict.lower_is_better = limit.kind != Limit::Kind::at_least;
  verdict.source = limit.source;
  verdict.now_repeats = values.size();
  verdict.reason = Reason::within_limit;
  if (limit.kind != Limit::Kind::forbidden) verdict.limit = limit.value;
  verdict.limit_is_minimum = limit.kind == Limit::Kind::at_least;
  if (values.empty()) {
    const bool missing = metric.scope != Scope::finding && fail_on_missing;
    verdict.outcome = missing ? Outcome::fail : metric.scope == Scope::finding ? Outcome::pass : Outcome::note;
    if (metric.scope != Scope::finding) verdict.reason = Reason::not_measured;
    return verdict;
  }
  verdict.now = median(values);
  const bool holds = limit.kind == Limit::Kind::at_most    ? *verdict.now <= limit.value
                     : limit.kind == Limit::Kind::at_least ? *verdict.now >= limit.value
                                                           : false;
  if (holds) return verdict;
  verdict.outcome = Outcome::fail;
  verdict.reason = limit.kind == Limit::Kind::forbidden ? Reason::forbidden : Reason::beyond_limit;
  return verdict;
}

}  // namespace

std::vector<Verdict> check_limits(const CheckOptions &options, const Measurements &now) {
  std::vector<Verdict> verdicts;
  for (const Limit &limit : options.limits) {
    if (limit.kind == Limit::Kind::growth) continue;
    for (const Metric &metric : expand(limit.metric, nullptr, now))
      verdicts.push_back(check_limit(limit, metric, now, options.fail_on_missing));
  }
  return verdicts;
}

}  // namespace scope::compare
