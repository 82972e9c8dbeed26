#pragma once
// The metrics by name: "wall", "calls.MPI_Allreduce.total", "regions.main/solve.avg", "findings.late-sender".

#include <optional>
#include <string>
#include <vector>

#include "compare/measurements.hpp"

namespace scope::compare {

/// Values of a metric: nanoseconds, bytes, a count, or 0..1.
enum class Unit { ns, bytes, count, ratio };

enum class Scope { whole, call, region, finding };

struct Metric {
  Scope scope = Scope::whole;
  std::string subject;  ///< "MPI_Allreduce", a region's path, a finding's id; "" of the whole
  std::string stat;     ///< "wall"; "total" of a call or region; "" of a finding: the time lost

  std::string name() const;
  Unit unit() const;
  bool lower_is_better() const;
  /// Of a call: its mean and quantiles are of one call, everything else of the run.
  bool is_per_call() const { return stat == "avg" || stat == "p50" || stat == "p95" || stat == "p99"; }
  bool operator==(const Metric &) const = default;
};

/// Names of the whole's metrics, and the stats of calls and of regions.
const std::vector<std::string> &whole_metrics();
const std::vector<std::string> &call_stats();
const std::vector<std::string> &region_stats();

/// Throws support::Error that says what is wrong with the name, with the nearest that exists. The subject may be a pattern
/// with * and ?; whether it occurs in a profile is not asked.
Metric parse_metric(const std::string &name);

/// Of every sound repetition that has it. A call that a repetition never made has 0 calls, bytes and time, and no mean.
std::vector<double> values_of(const Measurements &measurements, const Metric &metric);

/// Names of the calls and paths of the regions, in any repetition, in order; of findings the ids.
std::vector<std::string> subjects_of(const Measurements &measurements, Scope scope);

/// * stands for any characters, ? for one.
bool matches(const std::string &pattern, const std::string &text);
bool is_pattern(const std::string &text);

/// The metrics that a name with a pattern stands for, in either profile (`base` may be null); of a name without one itself.
std::vector<Metric> expand(const Metric &metric, const Measurements *base, const Measurements &now);

}  // namespace scope::compare
