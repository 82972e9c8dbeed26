#pragma once
// Accepted profiles in a directory, oldest first: plain files, no server. What is there may be copied, deleted and put under
// version control.

#include <filesystem>
#include <string>
#include <vector>

#include "compare/options.hpp"
#include "compare/verdict.hpp"

namespace scope::compare {

/// Accepted profiles that a spread needs.
inline constexpr std::size_t fewest_accepted = 3;

struct Accepted {
  std::string name;  ///< of its file, without the ending: the time of the run and the begin of its id
  Measurements measurements;
};

/// The last `most` profiles of the directory, by name. A directory that does not exist has none. Throws support::Error for a
/// file that can't be read.
std::vector<Accepted> read_history(const std::filesystem::path &directory, std::size_t most);

/// Stores a profile, compressed. Returns its path; storing it again changes nothing. Throws support::Error.
std::filesystem::path accept(const std::filesystem::path &directory, const model::Profile &profile);

/// A point of the trend: the median over the repetitions, with their smallest and largest value.
struct Point {
  std::string name, label, started;
  double value = 0, low = 0, high = 0;
};

/// Where a metric changed its level: `at` is the first point of the new one.
struct Step {
  std::size_t at = 0;
  double ratio = 1;  ///< median behind / median before
  double p_value = 1;
};

struct Trend {
  Metric metric;
  std::vector<Point> points;  ///< accepted profiles, then the one that is checked
  double middle = 0;          ///< median of the accepted ones
  double limit = 0;           ///< what the checked one may reach
  std::vector<Step> steps;
};

struct HistoryResult {
  CheckResult check;
  std::vector<Trend> trends;
  std::size_t accepted = 0;  ///< profiles that it was compared with
  std::size_t skipped = 0;   ///< those that can't be compared with it
};

/// The new profile against accepted ones: counts against the last of them exactly; times and efficiency against their median
/// and spread. A metric fails when it is worse than the threshold, than the median by more than four robust standard deviations,
/// than every accepted value, and by more than the floor. Profiles that are not comparable are skipped; where that leaves none
/// the result is refused. An empty history is inconclusive.
HistoryResult check_history(const std::vector<Accepted> &history, const Measurements &now, const CheckOptions &options);

/// Changes of level: the split with the smallest two-sided Mann-Whitney p, corrected for the number of splits, at 0.05; then the
/// same on either side of it. Levels must differ by more than `threshold`.
std::vector<Step> find_steps(const std::vector<double> &values, double threshold);

}  // namespace scope::compare
