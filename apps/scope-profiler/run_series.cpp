// `run --repeat N`: repetitions of one command, or of two in turn.

#include "run_series.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "check_profiles.hpp"
#include "commands.hpp"
#include "finish.hpp"
#include "launch/words.hpp"
#include "messages.hpp"
#include "model/repeats.hpp"
#include "support/files.hpp"
#include "support/text.hpp"

namespace scope::app {

namespace fs = std::filesystem;

namespace {

/// One of the commands that take turns.
struct Side {
  RunPlan plan;
  cli::RunOptions options;
  std::string name;  ///< "A", "B"; "" where there is one
  std::vector<model::Repetition> repetitions;
  bool written = false;
};

/// "out/trace.versus.json.gz" of "out/trace.json.gz".
std::string versus_output(const std::string &output) {
  fs::path path(output);
  auto name = path.filename().string();
  auto dot = name.find('.', 1);
  return (path.parent_path() / (name.substr(0, dot) + ".versus" + (dot == std::string::npos ? "" : name.substr(dot)))).string();
}

std::vector<Side> make_sides(const RunPlan &plan, const cli::RunOptions &options) {
  std::vector<Side> sides{{plan, options, "", {}, false}};
  if (options.versus.empty()) return sides;
  sides.front().name = "A";
  auto other = options;
  other.command = launch::split_words(options.versus, "--versus");
  other.output = versus_output(options.output);
  if (!options.keep_dumps.empty()) {
    sides.front().options.keep_dumps = options.keep_dumps + "/a";
    other.keep_dumps = options.keep_dumps + "/b";
  }
  auto other_plan = make_plan(other);
  sides.push_back({std::move(other_plan), std::move(other), "B", {}, false});
  return sides;
}

class Series {
 public:
  Series(std::vector<Side> sides, const cli::CommandLine &line)
      : sides_(std::move(sides)),
        common_(line.common),
        repeats_(line.run.repeat.value_or(1)),
        warmup_(line.run.warmup),
        show_progress_(isatty(2) && !line.common.quiet) {}

  void run() {
    launch::SignalGate gate;
    for (int number = 1 - warmup_; number <= repeats_; ++number) {
      for (auto &side : sides_) {
        if (launch::end_is_requested(gate)) return;
        if (!run_side(side, number, gate)) return;
      }
    }
  }

  int code() const { return code_; }
  bool complete() const { return complete_; }
  const std::vector<Side> &sides() const { return sides_; }

 private:
  /// False: the series ends here.
  bool run_side(Side &side, int number, const launch::SignalGate &gate) {
    auto options = side.options;
    if (!options.keep_dumps.empty()) {
      options.keep_dumps += number < 1 ? "/warmup-" + std::to_string(number + warmup_) : "/repeat-" + std::to_string(number);
      launch::prepare_directory(options.keep_dumps, "--keep-dumps");
    }
    std::optional<model::Repetition> taken;
    auto end = run_once(side.plan, options, gate, [&](model::Profile profile, std::int64_t elapsed_ns) {
      bool failed = profile.metadata.exit_status != 0;
      taken = model::Repetition{std::move(profile), elapsed_ns};
      if (number >= 1 || failed) keep(side, *taken);
    });
    const bool interrupted = launch::requests_end(end.signal);
    const bool stopped = end.code != 0 || interrupted || !taken;
    complete_ = complete_ && end.complete;
    code_ = end.code;
    if (taken) progress(side, number, taken->elapsed_ns);
    if (!stopped) return true;
    if (interrupted) drop_last(side);
    if (number < repeats_ || &side != &sides_.back()) say_stop(side, number, end);
    return false;
  }

  /// A repetition that was interrupted says nothing about the program; it is kept where there is no other.
  void drop_last(Side &side) {
    if (side.repetitions.size() < 2 || side.repetitions.back().profile.metadata.exit_status == 0) return;
    side.repetitions.pop_back();
    write(side);
  }

  void keep(Side &side, const model::Repetition &repetition) {
    side.repetitions.push_back(repetition);
    write(side);
  }

  /// The profile of all repetitions so far.
  void write(Side &side) {
    auto profile = model::join_repeats(side.repetitions);
    bool compress = fs::path(side.options.output).extension() == ".gz";
    support::write_file_atomically(side.options.output, model::to_json(profile, per_rank_form(side.options.per_rank)), compress, !side.written);
    side.written = true;
  }

  void progress(const Side &side, int number, std::int64_t elapsed_ns) const {
    if (!show_progress_) return;
    std::string which = number < 1 ? "warm-up " + std::to_string(number + warmup_) + " of " + std::to_string(warmup_)
                                   : "repetition " + std::to_string(number) + " of " + std::to_string(repeats_);
    info(which + (side.name.empty() ? "" : " of " + side.name) + ": " + support::format_ns(static_cast<double>(elapsed_ns)));
  }

  void say_stop(const Side &side, int number, const RunEnd &end) const {
    std::string which = number < 1 ? "a warm-up" : "repetition " + std::to_string(number) + " of " + std::to_string(repeats_);
    std::string why = end.signal ? "a signal came (" + std::to_string(end.signal) + ")"
                      : end.code ? "it ended with code " + std::to_string(end.code)
                                 : "its profile could not be kept";
    warn("the series ends with " + which + (side.name.empty() ? "" : " of " + side.name) + ": " + why +
         ". The profile has the repetitions until then.");
  }

  std::vector<Side> sides_;
  const cli::CommonOptions &common_;
  int repeats_, warmup_;
  bool show_progress_;
  int code_ = 0;
  bool complete_ = true;
};

void show(const Side &side, const cli::CommonOptions &common) {
  if (side.repetitions.empty()) return;
  auto profile = model::join_repeats(side.repetitions);
  show_summary(profile, side.options.output, common);
  std::vector<std::int64_t> walls;
  for (const auto &repeat : profile.repeats)
    if (model::is_sound(repeat)) walls.push_back(model::wall_ns_of(repeat));
  if (walls.size() < 2) return;
  std::sort(walls.begin(), walls.end());
  auto text = [](std::int64_t ns) { return support::format_ns(static_cast<double>(ns)); };
  info(std::to_string(walls.size()) + " repetitions: wall time " + text(walls.front()) + " to " + text(walls.back()) +
       "; the figures are those of the median one, " + text(walls[(walls.size() - 1) / 2]) + ".");
}

}  // namespace

int run_series(const RunPlan &plan, const cli::CommandLine &line) {
  const auto &options = line.run;
  auto sides = make_sides(plan, options);
  if (options.dry_run) {
    for (const auto &side : sides) std::fputs(dry_run_text(side.plan, side.options).c_str(), stdout);
    return 0;
  }
  Series series(std::move(sides), line);
  series.run();
  for (const auto &side : series.sides()) show(side, line.common);
  if (series.sides().size() == 2) compare_sides(series.sides()[0].repetitions, series.sides()[1].repetitions, line.common);
  return !series.complete() && options.strict && series.code() == 0 ? tool_fault : series.code();
}

}  // namespace scope::app
