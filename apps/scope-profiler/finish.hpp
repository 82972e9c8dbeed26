#pragma once
// From what ranks left to a profile on disk: the part that `run` and `merge` share.

#include <filesystem>
#include <string>

#include "cli.hpp"
#include "model/merge.hpp"
#include "model/profile.hpp"
#include "timeline.hpp"

namespace scope::app {

/// Id of the warning of a run without --mpi-calls. It says what was asked for, so -q leaves it out.
inline constexpr const char mpi_calls_off[] = "mpi-calls-off";

/// Id of the warning of --stall-timeout. It was said when it happened, so -q leaves it out.
inline constexpr const char stalled[] = "stalled";

/// What the tool says of itself in every profile: "scope-profiler@0.1.0".
std::string exporter();

/// "model name" of /proc/cpuinfo, "" if there is none (ARM).
std::string cpu_model();

/// Now, as "2024-05-06T07:08:09Z".
std::string utc_now();

std::string boot_id();

/// What --per-rank says.
model::PerRankForm per_rank_form(const std::string &word);

/// Merges and analyses. Hosts come from the records.
model::Profile merged_profile(const model::Collected &collected, model::Metadata metadata, const std::vector<model::Warning> &more,
                              const std::vector<model::Finding> &findings = {}, const TimelineFiles &timeline = {},
                              const model::Progress &progress = {});

/// The summary on standard error, or with -q the warnings alone.
void show_summary(const model::Profile &profile, const std::filesystem::path &output, const cli::CommonOptions &common);

}  // namespace scope::app
