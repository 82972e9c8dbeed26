// The sentences of check_text.hpp.

#include <cmath>
#include <cstdio>

#include "compare/options.hpp"
#include "render/check_text.hpp"
#include "support/text.hpp"

namespace scope::render {
namespace {

using compare::Outcome;
using compare::Reason;
using compare::Unit;
using compare::Verdict;

std::string number(const char *format, double value) {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string signed_percent(double share) {
  const double percent = share * 100;
  return number(std::abs(percent) >= 1000 ? "%+.0f %%" : "%+.1f %%", percent);
}

std::string repeats_text(std::size_t count) { return std::to_string(count) + (count == 1 ? " repetition" : " repetitions"); }

std::string p_text(double p) { return p < 0.0005 ? "p < 0.001" : "p = " + number("%.3f", p); }

/// "1.10 s to 1.25 s (+13.6 %, 95 % interval +9.0 to +15.2 %)".
std::string movement(const Verdict &verdict) {
  std::string text = value_text(verdict.base, verdict.unit) + " to " + value_text(verdict.now, verdict.unit);
  if (!verdict.ratio) return text;
  text += " (" + signed_percent(*verdict.ratio - 1);
  if (verdict.interval && verdict.interval->low != verdict.interval->high)
    text += ", 95 % interval " + signed_percent(verdict.interval->low - 1) + " to " + signed_percent(verdict.interval->high - 1);
  return text + ")";
}

std::string threshold_text(const Verdict &verdict) {
  return signed_percent(verdict.threshold.value_or(0)).substr(1) + " are let through";
}

std::string more_text(std::size_t repeats) {
  return repeats_text(repeats).insert(std::to_string(repeats).size(), " more") + " of each";
}

std::string undecided_text(const Verdict &verdict) {
  const std::string found = "Above the threshold: " + movement(verdict) + "; " + threshold_text(verdict) + ". ";
  if (verdict.reason == Reason::too_few_repeats)
    return found + "The samples overlap, and " + std::to_string(verdict.base_repeats) + " against " +
           std::to_string(verdict.now_repeats) + " repetitions are too few for a test: " + more_text(verdict.more_repeats) +
           " would decide.";
  if (verdict.reason == Reason::too_few_for_family)
    return found + "With so many metrics gated together, " + std::to_string(verdict.base_repeats) + " against " +
           std::to_string(verdict.now_repeats) + " repetitions can prove nothing: " + more_text(verdict.more_repeats) +
           " would decide, or fewer metrics.";
  const std::string noise = found + "It may be noise (" + p_text(verdict.p_value.value_or(1)) + "). ";
  if (verdict.more_repeats == 0) return noise + "No number of repetitions is likely to confirm it.";
  return noise + "If it is real, " + more_text(verdict.more_repeats) + " would show it.";
}

std::string failed_text(const Verdict &verdict) {
  switch (verdict.reason) {
    case Reason::significant:
      return movement(verdict) + "; " + threshold_text(verdict) + ". Not noise: " + p_text(verdict.p_value.value_or(0)) + ", " +
             number("%.0f", verdict.superiority.value_or(1) * 100) + (verdict.paired ? " % of the means of two pairs got worse." : " % of the pairs of repetitions got worse.");
    case Reason::untested:
      return movement(verdict) + "; " + threshold_text(verdict) + ". " + std::to_string(verdict.base_repeats) + " against " +
             repeats_text(verdict.now_repeats) + ": no test was possible. With 'run --repeat " +
             std::to_string(compare::fewest_tested + 1) + "' on both sides noise is told from change.";
    case Reason::grew: return movement(verdict) + ". It does not depend on timing, so every increase counts.";
    case Reason::new_cost:
      return "New cost: " + value_text(verdict.now, verdict.unit) + ", nothing in the base.";
    case Reason::vanished:
      return "It is in the base (" + value_text(verdict.base, verdict.unit) +
             ") and no more in the new profile. Where that is meant: --allow, or --fail-on-missing=false.";
    case Reason::beyond_limit:
      return value_text(verdict.now, verdict.unit) + ", and " + (verdict.limit_is_minimum ? "at least " : "at most ") +
             value_text(verdict.limit, verdict.unit) + (verdict.limit_is_minimum ? " is asked for." : " is let through.");
    case Reason::forbidden: return "This finding is forbidden. It costs " + value_text(verdict.now, verdict.unit) + ".";
    case Reason::not_measured: return "It has a limit, and the profile does not have it.";
    case Reason::step:
      return movement(verdict) + ": beyond the spread of the " + std::to_string(verdict.base_repeats) + " accepted profiles, whose " +
             "values may reach " + value_text(verdict.limit, verdict.unit) + ".";
    default: return movement(verdict) + ".";
  }
}

std::string passed_text(const Verdict &verdict) {
  switch (verdict.reason) {
    case Reason::within_limit:
      if (!verdict.now) return "It does not occur.";
      return value_text(verdict.now, verdict.unit) + (verdict.limit_is_minimum ? ", at least " : ", at most ") +
             value_text(verdict.limit, verdict.unit) + ".";
    case Reason::improved: return "Better: " + movement(verdict) + ".";
    case Reason::fell: return "Fewer: " + movement(verdict) + ".";
    default: return movement(verdict) + ".";
  }
}

std::string note_text(const Verdict &verdict) {
  switch (verdict.reason) {
    case Reason::varies: return "It differs between repetitions of the same program, so it is not compared exactly.";
    case Reason::polling: return "How often a program polls depends on timing, so it is not compared.";
    case Reason::appeared: return "New: " + value_text(verdict.now, verdict.unit) + ". With --fail-on-new it fails.";
    case Reason::vanished: return "It is in the base only.";
    default: return "Neither profile has it.";
  }
}

}  // namespace

std::string outcome_word(Outcome outcome) {
  switch (outcome) {
    case Outcome::fail: return "FAIL";
    case Outcome::inconclusive: return "unsure";
    case Outcome::allowed: return "allowed";
    case Outcome::pass: return "ok";
    case Outcome::note: break;
  }
  return "note";
}

std::string value_text(const std::optional<double> &value, Unit unit) {
  if (!value) return "-";
  switch (unit) {
    case Unit::ns: return support::format_ns(*value);
    case Unit::bytes: return support::format_bytes(*value);
    case Unit::ratio: return support::format_percent(*value);
    case Unit::count: break;
  }
  // A median of an even number of counts may lie between two.
  return *value == std::floor(*value) ? support::format_count(static_cast<std::int64_t>(*value)) : number("%.1f", *value);
}

std::string change_text(const Verdict &verdict) {
  if (!verdict.base || !verdict.now) return "-";
  if (verdict.ratio) return *verdict.ratio == 1 ? "0.0 %" : signed_percent(*verdict.ratio - 1);
  return *verdict.now > 0 ? "new cost" : "0.0 %";
}

std::string reason_text(const Verdict &verdict) {
  std::string text;
  switch (verdict.outcome) {
    case Outcome::inconclusive:
      text = verdict.reason == Reason::short_history
                 ? "The history has " + std::to_string(verdict.base_repeats) + " accepted profiles, too few for a spread: " +
                       std::to_string(verdict.more_repeats) + " more would decide."
                 : undecided_text(verdict);
      break;
    case Outcome::pass: text = passed_text(verdict); break;
    case Outcome::note: text = note_text(verdict); break;
    case Outcome::fail:
    case Outcome::allowed: text = failed_text(verdict); break;
  }
  if (!verdict.allowed_by.empty()) text += " Allowed by " + verdict.allowed_by + ".";
  if (!verdict.source.empty() && verdict.outcome == Outcome::fail) text += " Limit: " + verdict.source + ".";
  return text;
}

std::string difference_text(const compare::Difference &difference) {
  using Kind = compare::Difference::Kind;
  const std::string side = difference.side == 0 ? "the base profile" : "the new profile";
  const std::string values = ": '" + difference.base + "' in the base, '" + difference.now + "' in the new profile.";
  switch (difference.kind) {
    case Kind::ranks: return "The number of ranks differs" + values;
    case Kind::mpi: return "The MPI library differs" + values;
    case Kind::command: return "The command differs" + values;
    case Kind::cpu: return "The processor differs" + values;
    case Kind::hosts: return "The number of hosts differs" + values;
    case Kind::failed: return "A run of " + side + " ended with code " + difference.base + ".";
    case Kind::incomplete: return "Ranks are missing in " + side + ".";
    case Kind::no_ranks: break;
  }
  return "In " + side + " no rank reported, in the other one ranks did.";
}

std::string check_headline(const compare::CheckResult &result) {
  if (result.refused) return "REFUSED: the profiles can't be compared.";
  const auto &counts = result.counts;
  const std::size_t all = counts.pass + counts.fail + counts.inconclusive + counts.allowed;
  std::string text = result.overall == Outcome::fail           ? "FAIL: "
                     : result.overall == Outcome::inconclusive ? "INCONCLUSIVE: "
                                                               : "PASS: ";
  if (counts.fail) text += std::to_string(counts.fail) + " of " + std::to_string(all) + " checks failed";
  else text += std::to_string(counts.pass) + " of " + std::to_string(all) + " checks passed";
  if (counts.inconclusive) text += ", " + std::to_string(counts.inconclusive) + (counts.inconclusive == 1 ? " is" : " are") + " inconclusive";
  if (counts.allowed) text += ", " + std::to_string(counts.allowed) + " failed and " + (counts.allowed == 1 ? "is" : "are") + " allowed";
  return text + ".";
}

}  // namespace scope::render
