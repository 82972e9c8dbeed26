#include "compare/history.hpp"

#include <algorithm>
#include <system_error>

#include "compare/check.hpp"
#include "compare/comparable.hpp"
#include "compare/exact.hpp"
#include "support/error.hpp"

namespace scope::compare {

namespace fs = std::filesystem;

namespace {

constexpr char ending[] = ".json.gz";
constexpr double deviations = 4;
const char *const history_metrics[] = {"wall", "compute_time", "mpi_time", "parallel_efficiency"};

std::string name_of(const model::Profile &profile) {
  std::string name;
  for (char c : profile.metadata.started)
    if ((c >= '0' && c <= '9') || c == 'T' || c == 'Z') name += c;
  if (name.empty()) name = "undated";
  std::string id;
  for (char c : profile.metadata.run_id.substr(0, 8))
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) id += c;
  return name + "-" + (id.empty() ? "0" : id);
}

Point point_of(const std::string &name, const Measurements &measurements, const std::vector<double> &values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const model::Metadata &metadata = measurements.profile.metadata;
  return {name, metadata.label, metadata.started, median(values), *low, *high};
}

/// The smallest p of all splits with three values a side, both directions, times the number of splits and directions.
Step best_split(const std::vector<double> &values) {
  Step best;
  const std::size_t splits = values.size() >= 2 * fewest_accepted ? values.size() - 2 * fewest_accepted + 1 : 0;
  for (std::size_t at = fewest_accepted; at + fewest_accepted <= values.size(); ++at) {
    const std::vector<double> before(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at));
    const std::vector<double> behind(values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
    const double p = std::min(mann_whitney(before, behind), mann_whitney(behind, before)) * 2 * static_cast<double>(splits);
    if (p >= best.p_value) continue;
    best = {at, median(before) > 0 ? median(behind) / median(before) : 1, p};
  }
  return best;
}

void add_steps(const std::vector<double> &values, std::size_t offset, double threshold, std::vector<Step> &steps) {
  Step step = best_split(values);
  if (step.p_value > rank_level || (step.ratio < 1 + threshold && step.ratio > 1 / (1 + threshold))) return;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(step.at);
  add_steps({values.begin(), middle}, offset, threshold, steps);
  const std::size_t at = step.at;
  step.at += offset;
  steps.push_back(step);
  add_steps({middle, values.end()}, offset + at, threshold, steps);
}

class Check {
 public:
  Check(const Measurements &now, const CheckOptions &options) : now_(now), options_(options) {}

  HistoryResult run(const std::vector<Accepted> &history) {
    for (const Accepted &accepted : history) {
      const auto found = differences(accepted.measurements, now_);
      if (found.empty() || options_.allow_different) comparable_.push_back(&accepted);
      else result_.check.differences = found;  // those of the last one are what people look for
    }
    result_.accepted = comparable_.size();
    result_.skipped = history.size() - comparable_.size();
    result_.check.refused = comparable_.empty() && !history.empty();
    if (history.empty()) {
      result_.check.differences = defects(now_, 1);
      result_.check.refused = !result_.check.differences.empty() && !options_.allow_different;
    }
    if (result_.check.refused) return std::move(result_);
    if (!comparable_.empty()) {
      result_.check.differences.clear();
      const Measurements &last = comparable_.back()->measurements;
      if (!ranks_differ(differences(last, now_))) result_.check.verdicts = check_exact(last, now_, options_, {}).verdicts;
    }
    for (const char *name : history_metrics) add_metric(parse_metric(name));
    if (result_.trends.empty()) throw support::Error("the profile has no metric that a history could follow. Record it with 'run --mpi-calls'.");
    conclude(result_.check, options_);
    return std::move(result_);
  }

 private:
  void add_metric(const Metric &metric) {
    const auto values = values_of(now_, metric);
    if (values.empty()) return;
    Trend trend;
    trend.metric = metric;
    std::vector<double> accepted;
    for (const Accepted *profile : comparable_) {
      const auto theirs = values_of(profile->measurements, metric);
      if (theirs.empty()) continue;
      trend.points.push_back(point_of(profile->name, profile->measurements, theirs));
      accepted.push_back(trend.points.back().value);
    }
    trend.points.push_back(point_of("", now_, values));
    result_.check.verdicts.push_back(judge(metric, accepted, trend.points.back().value, trend));
    std::vector<double> all = accepted;
    all.push_back(trend.points.back().value);
    trend.steps = find_steps(all, threshold());
    result_.trends.push_back(std::move(trend));
  }

  double threshold() const { return options_.max_regression.value_or(default_threshold); }

  Verdict judge(const Metric &metric, const std::vector<double> &accepted, double now, Trend &trend) const {
    Verdict verdict;
    verdict.metric = metric.name();
    verdict.group = Group::history;
    verdict.unit = metric.unit();
    verdict.lower_is_better = metric.lower_is_better();
    verdict.now = now;
    verdict.base_repeats = accepted.size();
    verdict.now_repeats = values_of(now_, metric).size();
    verdict.threshold = threshold();
    verdict.floor = metric.unit() == Unit::ratio ? ratio_floor : options_.floor_ns;
    if (accepted.empty()) {
      verdict.outcome = Outcome::inconclusive;
      verdict.reason = Reason::short_history;
      verdict.more_repeats = fewest_accepted;
      return verdict;
    }
    const double middle = median(accepted), spread = deviations * robust_deviation(accepted);
    const auto [low, high] = std::minmax_element(accepted.begin(), accepted.end());
    trend.middle = middle;
    verdict.base = middle;
    if (middle != 0) verdict.ratio = now / middle;
    const bool lower = verdict.lower_is_better;
    const double beyond_threshold = lower ? middle * (1 + threshold()) : middle / (1 + threshold());
    trend.limit = lower ? std::max({beyond_threshold, middle + spread, middle + verdict.floor, *high})
                        : std::min({beyond_threshold, middle - spread, middle - verdict.floor, *low});
    verdict.limit = trend.limit;
    verdict.limit_is_minimum = !lower;
    if (lower ? now <= trend.limit : now >= trend.limit) return verdict;
    const bool short_history = accepted.size() < fewest_accepted;
    verdict.outcome = short_history ? Outcome::inconclusive : Outcome::fail;
    verdict.reason = short_history ? Reason::short_history : Reason::step;
    verdict.more_repeats = short_history ? fewest_accepted - accepted.size() : 0;
    return verdict;
  }

  const Measurements &now_;
  const CheckOptions &options_;
  std::vector<const Accepted *> comparable_;
  HistoryResult result_;
};

}  // namespace

std::vector<Accepted> read_history(const fs::path &directory, std::size_t most) {
  std::error_code error;
  if (!fs::exists(directory, error)) return {};
  std::vector<fs::path> files;
  for (const auto &entry : fs::directory_iterator(directory, error))
    if (entry.path().filename().string().ends_with(ending)) files.push_back(entry.path());
  if (error) throw support::Error("cannot read the history '" + directory.string() + "': " + support::errno_text(error.value()) + ".");
  std::sort(files.begin(), files.end());
  if (files.size() > most) files.erase(files.begin(), files.end() - static_cast<std::ptrdiff_t>(most));
  std::vector<Accepted> history;
  for (const fs::path &file : files) {
    auto name = file.filename().string();
    name.resize(name.size() - (sizeof ending - 1));
    history.push_back({std::move(name), measurements_of(model::read_profile(file))});
  }
  return history;
}

fs::path accept(const fs::path &directory, const model::Profile &profile) {
  const fs::path file = directory / (name_of(profile) + ending);
  std::error_code ignored;
  if (!fs::exists(file, ignored)) model::write_profile(profile, file);
  return file;
}

HistoryResult check_history(const std::vector<Accepted> &history, const Measurements &now, const CheckOptions &options) {
  HistoryResult result = Check(now, options).run(history);
  result.check.now_label = now.profile.metadata.label;
  result.check.started = now.profile.metadata.started;
  for (const std::string &word : now.profile.metadata.command) result.check.command += (result.check.command.empty() ? "" : " ") + word;
  return result;
}

std::vector<Step> find_steps(const std::vector<double> &values, double threshold) {
  std::vector<Step> steps;
  add_steps(values, 0, threshold, steps);
  return steps;
}

}  // namespace scope::compare
