#include "compare/exact.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "model/repeats.hpp"

namespace scope::compare {
namespace {

using Counted = std::map<std::string, std::pair<double, double>>;  // by stable name: calls or messages, bytes

Verdict count_verdict(const std::string &metric, Unit unit, double base, double now) {
  Verdict verdict;
  verdict.metric = metric;
  verdict.group = Group::count;
  verdict.unit = unit;
  verdict.base = base;
  verdict.now = now;
  verdict.base_repeats = verdict.now_repeats = 1;
  if (base > 0) verdict.ratio = now / base;
  if (now > base) {
    verdict.outcome = Outcome::fail;
    verdict.reason = base == 0 ? Reason::new_cost : Reason::grew;
  } else if (now < base) {
    verdict.reason = Reason::fell;
  }
  return verdict;
}

Verdict note(const std::string &metric, Unit unit, Reason reason, const std::vector<double> &base, const std::vector<double> &now) {
  Verdict verdict;
  verdict.metric = metric;
  verdict.group = Group::count;
  verdict.unit = unit;
  verdict.outcome = Outcome::note;
  verdict.reason = reason;
  verdict.base_repeats = base.size();
  verdict.now_repeats = now.size();
  if (!base.empty()) verdict.base = median(base);
  if (!now.empty()) verdict.now = median(now);
  return verdict;
}

bool constant(const std::vector<double> &values) {
  return std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); });
}

class Exact {
 public:
  Exact(const Measurements &base, const Measurements &now, const CheckOptions &options, const std::vector<Metric> &loosened)
      : base_(base), now_(now), options_(options), loosened_(loosened) {
    for (const Measurements *side : {&base, &now})
      for (const std::string &name : model::varying_calls(side->repeats)) varying_.insert(name);
  }

  ExactResult check() {
    check_calls();
    check_whole();
    if (digests_agree(&model::Repeat::peers_digest)) compare(peers(base_), peers(now_), "messages");
    else result_.verdicts.push_back(note("peers", Unit::count, Reason::varies, {}, {}));
    if (digests_agree(&model::Repeat::communicators_digest) || only_polling_varies())
      compare(communicators(base_), communicators(now_), "calls");
    else result_.verdicts.push_back(note("communicators", Unit::count, Reason::varies, {}, {}));
    return std::move(result_);
  }

 private:
  bool is_loosened(const Metric &metric) const {
    return std::find(loosened_.begin(), loosened_.end(), metric) != loosened_.end();
  }
  bool is_left_out(const std::string &call) const { return varying_.contains(call) || is_polling(call); }
  bool only_polling_varies() const { return std::all_of(varying_.begin(), varying_.end(), is_polling); }

  bool digests_agree(std::string model::Repeat::*digest) const {
    for (const Measurements *side : {&base_, &now_})
      for (const model::Repeat &repeat : side->repeats)
        if (repeat.*digest != side->repeats.front().*digest) return false;
    return true;
  }

  void check_calls() {
    std::set<std::string> names;
    for (const Measurements *side : {&base_, &now_})
      for (const std::string &name : subjects_of(*side, Scope::call)) names.insert(name);
    for (const std::string &name : names)
      for (const char *stat : {"calls", "bytes"}) check_call({Scope::call, name, stat});
  }

  void check_call(const Metric &metric) {
    const auto base = values_of(base_, metric), now = values_of(now_, metric);
    if (is_loosened(metric) || base.empty() || now.empty()) return;
    if (metric.stat == "bytes" && median(base) == 0 && median(now) == 0) return;
    if (is_polling(metric.subject)) {
      result_.verdicts.push_back(note(metric.name(), metric.unit(), Reason::polling, base, now));
    } else if (varying_.contains(metric.subject)) {
      result_.verdicts.push_back(note(metric.name(), metric.unit(), Reason::varies, base, now));
      result_.varying.push_back(metric);
    } else {
      Verdict verdict = count_verdict(metric.name(), metric.unit(), median(base), median(now));
      const bool vanished = metric.stat == "calls" && *verdict.now == 0 && options_.fail_on_missing;
      if (vanished) {
        verdict.outcome = Outcome::fail;
        verdict.reason = Reason::vanished;
      }
      result_.verdicts.push_back(std::move(verdict));
    }
  }

  /// The sum over the calls that do not vary.
  double exact_calls(const Measurements &side) const {
    double sum = 0;
    const model::RepeatCalls &calls = side.repeats.front().calls;
    for (std::size_t i = 0; i < calls.name.size(); ++i)
      if (!is_left_out(calls.name[i])) sum += static_cast<double>(calls.calls[i]);
    return sum;
  }

  void check_whole() {
    const Metric calls{Scope::whole, "", "calls"};
    if (!is_loosened(calls)) result_.verdicts.push_back(count_verdict("calls", Unit::count, exact_calls(base_), exact_calls(now_)));
    for (const char *stat : {"bytes", "messages"}) {
      const Metric metric{Scope::whole, "", stat};
      const auto base = values_of(base_, metric), now = values_of(now_, metric);
      if (is_loosened(metric) || base.empty() || now.empty()) continue;
      if (constant(base) && constant(now)) {
        result_.verdicts.push_back(count_verdict(stat, metric.unit(), base.front(), now.front()));
      } else {
        result_.verdicts.push_back(note(stat, metric.unit(), Reason::varies, base, now));
        result_.varying.push_back(metric);
      }
    }
  }

  static Counted peers(const Measurements &side) {
    Counted counted;
    const auto add = [&](const char *layer, const model::PeerMatrix &matrix) {
      for (std::size_t i = 0; i < matrix.src.size(); ++i) {
        const std::string world = matrix.world[i] ? "world" + std::to_string(matrix.world[i]) + "." : "";
        auto &cell = counted["peers." + (layer + ("." + world)) + std::to_string(matrix.src[i]) + "." + std::to_string(matrix.dst[i])];
        cell.first += static_cast<double>(matrix.messages[i]);
        cell.second += static_cast<double>(matrix.bytes[i]);
      }
    };
    add("p2p", side.profile.peers.p2p);
    add("rma", side.profile.peers.rma);
    return counted;
  }

  /// From the signatures, without what varies. Names need not be unique: equal ones are added up.
  Counted communicators(const Measurements &side) const {
    Counted counted;
    for (const model::SignatureRow &row : side.profile.signatures) {
      if (row.comm < 0 || is_left_out(row.call)) continue;
      const model::CommunicatorRow &comm = side.profile.communicators[static_cast<std::size_t>(row.comm)];
      const std::string name = comm.name.empty() ? "unnamed-of-" + std::to_string(comm.size) : comm.name;
      auto &cell = counted["communicators." + (comm.world ? "world" + std::to_string(comm.world) + "." : "") + name];
      cell.first += static_cast<double>(row.calls);
      cell.second += static_cast<double>(row.bytes_sent);
    }
    return counted;
  }

  void compare(const Counted &base, const Counted &now, const std::string &counts) {
    std::set<std::string> names;
    for (const Counted *side : {&base, &now})
      for (const auto &[name, cell] : *side) names.insert(name);
    const auto find = [](const Counted &side, const std::string &name) {
      const auto found = side.find(name);
      return found == side.end() ? std::pair(0.0, 0.0) : found->second;
    };
    for (const std::string &name : names) {
      const auto before = find(base, name), after = find(now, name);
      result_.verdicts.push_back(count_verdict(name + "." + counts, Unit::count, before.first, after.first));
      if (before.second > 0 || after.second > 0)
        result_.verdicts.push_back(count_verdict(name + ".bytes", Unit::bytes, before.second, after.second));
    }
  }

  const Measurements &base_, &now_;
  const CheckOptions &options_;
  const std::vector<Metric> &loosened_;
  std::set<std::string> varying_;
  ExactResult result_;
};

}  // namespace

ExactResult check_exact(const Measurements &base, const Measurements &now, const CheckOptions &options,
                        const std::vector<Metric> &loosened) {
  if (base.repeats.empty() || now.repeats.empty()) return {};
  if (base.profile.ranks.empty() || now.profile.ranks.empty()) return {};
  return Exact(base, now, options, loosened).check();
}

}  // namespace scope::compare
