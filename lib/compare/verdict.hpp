#pragma once
// What a check found: data, no texts. lib/render says it in words.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/metric.hpp"
#include "compare/statistics.hpp"

namespace scope::compare {

enum class Outcome {
  pass,
  fail,
  inconclusive,
  allowed,  ///< failed, and the file of --allow accepts it
  note      ///< not gated
};

enum class Reason {
  unchanged,        ///< pass: within threshold or floor, or equal counts
  improved,         ///< pass: better than the threshold
  fell,             ///< pass: a count fell
  within_limit,     ///< pass: an absolute limit holds
  significant,      ///< fail: above threshold and floor, and the tests agree
  untested,         ///< fail: above threshold and floor, single runs or samples that do not overlap: no test was possible
  grew,             ///< fail: an exact count grew
  new_cost,         ///< fail: 0 before, or not there before
  vanished,         ///< fail: in the base only
  beyond_limit,     ///< fail: an absolute limit does not hold
  forbidden,        ///< fail: a finding that the budget forbids
  not_measured,     ///< fail: a metric with a limit is not in the profile
  step,             ///< fail: beyond the history's spread
  not_significant,  ///< inconclusive: above threshold and floor, and it may be noise
  too_few_for_family,  ///< inconclusive: with so many metrics even samples that do not overlap prove nothing
  too_few_repeats,  ///< inconclusive: too few repetitions for a test, and the samples overlap
  short_history,    ///< inconclusive: too few profiles in the history
  varies,           ///< note: differs between repetitions, so it is not compared exactly
  polling,          ///< note: its number depends on timing in any program
  appeared          ///< note: in the new profile only
};

/// What the verdict is about; the first word of the stable name in JUnit.
enum class Group { time, count, limit, finding, history };

struct Verdict {
  std::string metric;  ///< "calls.MPI_Send.total", "peers.p2p.0.1.messages": stable from run to run
  Group group = Group::time;
  Unit unit = Unit::ns;
  bool lower_is_better = true;
  Outcome outcome = Outcome::pass;
  Reason reason = Reason::unchanged;
  std::optional<double> base, now;          ///< medians; nothing where the side has none
  std::size_t base_repeats = 0, now_repeats = 0;
  bool paired = false;                      ///< the two ran in turn: ratio, interval, p and effect size are those of the pairs
  std::optional<double> ratio;              ///< now / base; nothing where base is 0
  std::optional<Interval> interval;         ///< of the ratio, 95 %
  std::optional<double> p_value;            ///< Mann-Whitney, of pairs signed-rank; Holm-corrected
  std::optional<double> superiority;        ///< effect size: 0.5 none, 1 always worse; of pairs walsh_superiority()
  std::optional<double> threshold;          ///< allowed growth: 0.05
  std::optional<double> limit;              ///< absolute, in the metric's unit
  bool limit_is_minimum = false;
  double floor = 0;                         ///< smallest difference that counts, in the metric's unit
  std::size_t more_repeats = 0;             ///< a side, that would decide; 0: none would, or not asked
  std::string allowed_by;                   ///< line of the allow file
  std::string source;                       ///< where the limit was given: "budget.toml:3", "--max"; "" by default
};

/// Why two profiles should not be compared.
struct Difference {
  enum class Kind { ranks, mpi, command, cpu, hosts, failed, incomplete, no_ranks };
  Kind kind = Kind::ranks;
  std::string base, now;  ///< as the profiles say it
  int side = 0;           ///< of failed and incomplete: 0 the base, 1 the new one
};

struct Counts {
  std::size_t pass = 0, fail = 0, inconclusive = 0, allowed = 0, note = 0;
};

struct CheckResult {
  std::vector<Verdict> verdicts;         ///< failures first, then inconclusive, allowed, pass, note
  std::vector<Difference> differences;   ///< all that there are
  bool refused = false;                  ///< there are differences, and they were not allowed: nothing was compared
  std::vector<std::string> unused_allowances;
  std::vector<std::string> left_out_hosts;  ///< host names differ, their number does not: a remark
  Counts counts;
  Outcome overall = Outcome::pass;       ///< fail, inconclusive or pass
  std::string base_name, now_name;       ///< the files, as they were named; base "" without one
  std::string base_label, now_label, started, command;  ///< of the profiles
};

}  // namespace scope::compare
