#include "side_file.hpp"

#include "support/error.hpp"

namespace scope::app {

namespace fs = std::filesystem;
using support::Error;

fs::path side_file_of(const model::Profile &profile, const fs::path &profile_file, const std::string &who) {
  const std::string missing = profile_file.string() + ": " + who + " needs a timeline, and this profile has none";
  if (!profile.timeline_results) throw Error(missing + ". Record one with: scope-profiler run --trace");
  // The name alone: a profile may come from anybody, and must not say which file of this machine is read.
  const fs::path name = fs::path(profile.timeline_results->info.file).filename();
  if (name.empty()) throw Error(missing + ": it was not written then. Record it anew with: scope-profiler run --trace");
  const fs::path file = profile_file.parent_path() / name;
  fs::path old = file;
  old += ".old";
  const std::string &wanted = profile.metadata.run_id;
  std::error_code ignored;
  auto is_of_this_run = [&](const fs::path &one) { return fs::exists(one, ignored) && timeline::Reader(one).header().run_id == wanted; };
  if (!fs::exists(file, ignored) && is_of_this_run(old)) return old;
  const std::string run_id = timeline::Reader(file).header().run_id;
  if (wanted.empty() || run_id.empty() || run_id == wanted) return file;
  if (is_of_this_run(old)) return old;
  throw Error(file.string() + ": is the timeline of another run (" + run_id + ") than the profile " + profile_file.string() + " (" + wanted +
              "). Copy the files of one run together, or record anew with: scope-profiler run --trace");
}

std::unique_ptr<timeline::Reader> open_side_file(const model::Profile &profile, const fs::path &profile_file, std::string &reason) {
  reason.clear();
  if (!profile.timeline_results) return nullptr;
  try {
    return std::make_unique<timeline::Reader>(side_file_of(profile, profile_file, "the page"));
  } catch (const Error &error) {
    reason = std::string("The timeline can't be shown: ") + error.what();
    return nullptr;
  }
}

}  // namespace scope::app
