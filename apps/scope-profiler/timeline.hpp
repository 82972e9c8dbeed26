#pragma once
// The timeline of a run (run --trace): from what ranks left to the side file beside the profile, and what it explains.

#include <filesystem>
#include <string>
#include <vector>

#include "model/merge.hpp"
#include "model/profile.hpp"

namespace scope::app {

/// What a merge needs to make a timeline; no files: there is none.
struct TimelineFiles {
  std::vector<std::filesystem::path> blocks;  ///< that ranks left
  std::filesystem::path profile;              ///< beside it the side file will stand
  std::string launcher_boot_id;               ///< "" unknown
};

/// "out/trace.timeline" of "out/trace.json.gz".
std::filesystem::path timeline_path(const std::filesystem::path &profile);

/// Writes the side file, an earlier one of the name becoming NAME.old, and fills profile.timeline_results. What goes wrong is a warning of
/// the profile, which is exact without it.
void add_timeline(const std::vector<model::Placement> &placements, const TimelineFiles &files, model::Profile &profile);

}  // namespace scope::app
