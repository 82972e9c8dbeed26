#include "timeline.hpp"

#include <cstdio>
#include <system_error>

#include "analyze/timeline.hpp"
#include "analyze/timeline_clocks.hpp"
#include "support/error.hpp"
#include "timeline/assemble.hpp"
#include "timeline/file.hpp"

namespace scope::app {

namespace fs = std::filesystem;

namespace {

/// The profile's earlier version is NAME.old, and so is its timeline.
void keep_old(const fs::path &file) {
  std::error_code error;
  if (!fs::exists(file, error)) return;
  fs::path old = file;
  old += ".old";
  fs::rename(file, old, error);
}

/// A second time replaces the first one's.
void write_side_file(timeline::Assembler &assembler, const fs::path &file, bool again) {
  timeline::Writer writer(file, assembler.header());
  for (std::uint32_t rank = 0; rank < assembler.header().ranks.size(); ++rank)
    writer.add(rank, assembler.events_of(rank), assembler.signatures().all());
  if (!again) keep_old(file);
  writer.finish();
}

std::vector<int> numbers_of(const std::vector<model::TimelineRank> &ranks) {
  std::vector<int> numbers;
  for (const model::TimelineRank &rank : ranks) numbers.push_back(rank.rank);
  return numbers;
}

std::string seconds(std::int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f s", static_cast<double>(ns) / 1e9);
  return text;
}

/// What the reader of the results must know about how much of the run they are of.
void warn_of_gaps(model::Profile &profile) {
  const model::TimelineResults &results = *profile.timeline_results;
  const std::string all = " of " + std::to_string(profile.ranks.size()) + " ranks";
  if (!results.notes.cut.empty())
    profile.warnings.push_back({"timeline-cut", "The timelines of " + std::to_string(results.notes.cut.size()) + all + " were full (" +
                                                    model::rank_words(numbers_of(results.notes.cut)) + "): what they explain is about the first " +
                                                    seconds(results.info.to_ns - results.info.from_ns) +
                                                    ". The profile is of the whole run. Record more with --trace-limit."});
  if (!results.notes.without.empty())
    profile.warnings.push_back({"timeline-without", std::to_string(results.notes.without.size()) + all + " have no timeline (" +
                                                        model::rank_words(numbers_of(results.notes.without)) +
                                                        "): nobody is seen to wait for them."});
  if (results.notes.clock_violations > 0)
    profile.warnings.push_back({"clock-violations", std::to_string(results.notes.clock_violations) + " calls ended before what they wait for began, by up to " +
                                                        seconds(results.notes.clock_worst_ns) + ": a clock jumped. They are no waits."});
}

/// What is loaded is what others will read.
timeline::Timeline write_and_load(timeline::Assembler &assembler, const fs::path &file, std::vector<std::string> &damage) {
  write_side_file(assembler, file, false);
  auto whole = timeline::load(file, &damage);
  if (assembler.clocks().all_related()) return whole;
  // A node whose clock nobody could ask for shows it by its messages.
  if (!assembler.relate_by(analyze::messages_between_nodes(whole, assembler.clocks().node_of))) return whole;
  whole = {};
  damage.clear();
  write_side_file(assembler, file, true);
  return timeline::load(file, &damage);
}

}  // namespace

fs::path timeline_path(const fs::path &profile) {
  fs::path name = profile.filename();
  if (name.extension() == ".gz") name = name.stem();
  if (name.extension() == ".json") name = name.stem();
  return profile.parent_path() / (name.string() + ".timeline");
}

void add_timeline(const std::vector<model::Placement> &placements, const TimelineFiles &files, model::Profile &profile) {
  if (files.blocks.empty()) return;
  timeline::Assembler assembler(placements, profile, files.blocks, files.launcher_boot_id);
  auto add_warnings = [&] { profile.warnings.insert(profile.warnings.end(), assembler.warnings().begin(), assembler.warnings().end()); };
  if (!assembler.any()) return add_warnings();
  const fs::path file = timeline_path(files.profile);
  try {
    std::vector<std::string> damage;
    const auto whole = write_and_load(assembler, file, damage);
    add_warnings();
    profile.timeline_results = analyze::analyze_timeline(whole);
    profile.timeline_results->info.file = file.filename().string();
    warn_of_gaps(profile);
    for (std::string &text : damage) profile.warnings.push_back({"timeline-damaged", std::move(text)});
  } catch (const support::Error &error) {
    profile.warnings.push_back({"timeline-missing", std::string("The timeline could not be made: ") + error.what()});
  }
}

}  // namespace scope::app
