#include "compare/growth.hpp"

#include <algorithm>
#include <cmath>

#include "compare/paired.hpp"

namespace scope::compare {
namespace {

/// A gate on the way to its verdict. `base` and `now` are costs: what grows when it gets worse.
struct Trial {
  std::vector<double> base, now;
  double base_cost = 0, now_cost = 0;  ///< medians
  double floor = 0;
  bool above = false;   ///< threshold and floor
  bool tested = false;
  bool paired = false;
  double rank_p = 1, t_p = 1;
};

/// 1/x for what should be high: twice as good is half the cost.
std::vector<double> costs(const std::vector<double> &values, bool lower_is_better) {
  if (lower_is_better) return values;
  std::vector<double> result;
  for (double value : values) result.push_back(1 / std::max(value, 1e-9));
  return result;
}

/// A call's mean and quantiles are compared with the floor times the number of calls: that is what they cost the run.
double floor_of(const Metric &metric, const Measurements &now, double floor_ns) {
  if (metric.unit() == Unit::ratio) return ratio_floor;
  if (metric.unit() != Unit::ns) return 0;
  if (!metric.is_per_call()) return floor_ns;
  const double calls = median(values_of(now, {metric.scope, metric.subject, "calls"}));
  return calls > 1 ? floor_ns / calls : floor_ns;
}

/// Whether any relabelling of the values could fail: if not, the metric need not be in the family. Looks at both samples
/// together only, so that the choice says nothing about their difference.
bool can_exceed(const std::vector<double> &base, const std::vector<double> &now, double floor) {
  std::vector<double> all = base;
  all.insert(all.end(), now.begin(), now.end());
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  return *high - *low > floor;
}

Verdict describe(const GrowthGate &gate, const std::vector<double> &base, const std::vector<double> &now) {
  Verdict verdict;
  verdict.metric = gate.metric.name();
  verdict.unit = gate.metric.unit();
  verdict.group = verdict.unit == Unit::count || verdict.unit == Unit::bytes ? Group::count : Group::time;
  verdict.lower_is_better = gate.metric.lower_is_better();
  verdict.threshold = gate.threshold;
  verdict.source = gate.source;
  verdict.base_repeats = base.size();
  verdict.now_repeats = now.size();
  if (!base.empty()) verdict.base = median(base);
  if (!now.empty()) verdict.now = median(now);
  return verdict;
}

void set(Verdict &verdict, Outcome outcome, Reason reason) {
  verdict.outcome = outcome;
  verdict.reason = reason;
}

/// What needs no statistics: a side without values, a base of 0.
bool decide_absence(Verdict &verdict, const GrowthGate &gate) {
  if (!verdict.now) {
    if (verdict.base) set(verdict, Outcome::fail, Reason::vanished);
    else set(verdict, gate.named ? Outcome::fail : Outcome::note, Reason::not_measured);
    return true;
  }
  const bool from_nothing = !verdict.base || (verdict.lower_is_better && *verdict.base == 0);
  if (!from_nothing) return false;
  if (*verdict.now <= verdict.floor) set(verdict, Outcome::pass, Reason::unchanged);
  else set(verdict, Outcome::fail, Reason::new_cost);
  return true;
}

void decide_untested(Verdict &verdict, const Trial &trial) {
  const bool single = trial.base.size() == 1 && trial.now.size() == 1;
  const bool apart = *std::min_element(trial.now.begin(), trial.now.end()) > *std::max_element(trial.base.begin(), trial.base.end());
  if (single || apart) {
    set(verdict, Outcome::fail, Reason::untested);
    return;
  }
  set(verdict, Outcome::inconclusive, Reason::too_few_repeats);
  verdict.more_repeats = fewest_tested - std::min({trial.base.size(), trial.now.size(), fewest_tested});
}

void decide_tested(Verdict &verdict, const Trial &trial, double rank_p, double t_p, std::size_t family) {
  verdict.p_value = rank_p;
  if (!trial.above) return;
  if (rank_p <= rank_level && std::min(rank_p, t_p) <= alarm_level) {
    set(verdict, Outcome::fail, Reason::significant);
    return;
  }
  const std::size_t fewest = std::min(trial.base.size(), trial.now.size());
  const std::size_t provable = trial.paired ? pairs_for_level(rank_level, family) : repeats_for_level(rank_level, family);
  if (trial.paired ? fewest < provable : smallest_p(trial.base.size(), trial.now.size()) * static_cast<double>(family) > rank_level) {
    set(verdict, Outcome::inconclusive, Reason::too_few_for_family);
    verdict.more_repeats = provable - std::min(fewest, provable);
    return;
  }
  set(verdict, Outcome::inconclusive, Reason::not_significant);
  const double level = alarm_level / static_cast<double>(family);
  const std::size_t needed = trial.paired ? pairs_for_power(*verdict.superiority, level) : repeats_for_power(*verdict.superiority, level);
  verdict.more_repeats = needed > fewest ? needed - fewest : needed > 0 ? 1 : 0;
}

/// What is known of two programs that ran in turn. Costs, not values: what grows when it gets worse.
void compare_pairs(Verdict &verdict, Trial &trial, bool intervals) {
  trial.paired = verdict.paired = true;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < trial.base.size(); ++i) {
    const double from = verdict.lower_is_better ? trial.base[i] : trial.now[i], to = verdict.lower_is_better ? trial.now[i] : trial.base[i];
    ratios.push_back(to / from);
  }
  verdict.ratio = median(ratios);
  if (intervals) verdict.interval = pair_interval(ratios);
  const auto differences = pair_differences(trial.base, trial.now);
  verdict.superiority = walsh_superiority(differences);
  trial.rank_p = signed_rank(differences);
  trial.t_p = trimmed_t(differences);
}

bool all_positive(const std::vector<double> &values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
}

Trial try_gate(Verdict &verdict, const GrowthGate &gate, const Measurements &base, const Measurements &now, bool in_turn, bool intervals) {
  Trial trial;
  trial.base = costs(values_of(base, gate.metric), verdict.lower_is_better);
  trial.now = costs(values_of(now, gate.metric), verdict.lower_is_better);
  trial.floor = verdict.floor;
  trial.base_cost = median(trial.base);
  trial.now_cost = median(trial.now);
  if (in_turn && trial.base.size() == base.repeats.size() && trial.now.size() == now.repeats.size() && all_positive(trial.base) &&
      all_positive(trial.now)) {
    compare_pairs(verdict, trial, intervals);
  } else {
    if (*verdict.base != 0) verdict.ratio = *verdict.now / *verdict.base;
    if (intervals) verdict.interval = ratio_interval(values_of(base, gate.metric), values_of(now, gate.metric));
    verdict.superiority = superiority(trial.base, trial.now);
  }
  const double cost_ratio = !trial.paired               ? trial.now_cost / trial.base_cost
                            : verdict.lower_is_better ? *verdict.ratio
                                                        : 1 / *verdict.ratio;
  const double difference = trial.paired ? std::abs(*verdict.ratio - 1) * *verdict.base : std::abs(*verdict.now - *verdict.base);
  trial.above = cost_ratio > 1 + gate.threshold && difference > trial.floor;
  if (cost_ratio < 1 / (1 + gate.threshold) && difference > trial.floor) verdict.reason = Reason::improved;
  trial.tested = trial.base.size() >= fewest_tested && trial.now.size() >= fewest_tested &&
                 can_exceed(values_of(base, gate.metric), values_of(now, gate.metric), trial.floor);
  if (!trial.tested || trial.paired) return trial;
  trial.rank_p = mann_whitney(trial.base, trial.now);
  trial.t_p = welch_on_logs(trial.base, trial.now);
  return trial;
}

}  // namespace

std::vector<Verdict> check_growth(const std::vector<GrowthGate> &gates, const Measurements &base, const Measurements &now,
                                  double floor_ns, bool intervals) {
  std::vector<Verdict> verdicts;
  std::vector<Trial> trials;
  std::vector<std::size_t> tested;
  std::vector<double> rank_p, t_p;
  const bool in_turn = ran_in_turn(base, now);
  for (const GrowthGate &gate : gates) {
    Verdict verdict = describe(gate, values_of(base, gate.metric), values_of(now, gate.metric));
    verdict.floor = floor_of(gate.metric, now, floor_ns);
    Trial trial;
    if (!decide_absence(verdict, gate)) {
      trial = try_gate(verdict, gate, base, now, in_turn, intervals);
      if (trial.tested) {
        tested.push_back(verdicts.size());
        rank_p.push_back(trial.rank_p);
        t_p.push_back(trial.t_p);
      } else if (trial.above) {
        decide_untested(verdict, trial);
      }
    }
    verdicts.push_back(std::move(verdict));
    trials.push_back(std::move(trial));
  }
  const std::vector<double> rank_family = holm(rank_p), t_family = holm(t_p);
  for (std::size_t i = 0; i < tested.size(); ++i)
    decide_tested(verdicts[tested[i]], trials[tested[i]], rank_family[i], t_family[i], tested.size());
  return verdicts;
}

}  // namespace scope::compare
