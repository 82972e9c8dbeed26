#pragma once
// The private directory of one run, where ranks leave their files. Everything throws support::Error with exit code 125.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace scope::launch {

/// What the run directory says about its run, for a merge after the launcher was killed.
struct RunInfo {
  std::string run_id, label, started, launcher;
  std::map<std::string, std::string> tags;
  std::vector<std::string> command;
  bool operator==(const RunInfo &) const = default;
};

struct RunDirectory {
  std::filesystem::path path;   ///< absolute, 0700
  std::string run_id;           ///< 32 hexadecimal digits
  std::filesystem::path links;  ///< where links with carriable paths are: `path` itself, or a directory under /tmp
};

/// 128 random bits in hexadecimal.
std::string make_run_id();

/// The name that make_run_directory's path is made from: ".scope-profiler-XXXXXX" beside `output`, absolute.
std::filesystem::path run_directory_template(const std::filesystem::path &output);

/// Makes the directory of `output` where it is missing, and the run directory in it.
RunDirectory make_run_directory(const std::filesystem::path &output);

/// The path of `target` as LD_PRELOAD can carry it: itself, or a link of the same file name, made in directory.links
/// (which is set here, when it is needed).
std::filesystem::path carriable_path(RunDirectory &directory, const std::filesystem::path &target);

/// What carriable_path would give, for a dry run. Makes nothing.
std::filesystem::path planned_carriable_path(const std::filesystem::path &directory, const std::filesystem::path &target);

void write_run_info(const std::filesystem::path &directory, const RunInfo &info);
/// An empty RunInfo when there is none or it can't be read.
RunInfo read_run_info(const std::filesystem::path &directory);

/// Makes `target` and finds out whether files can be written there.
void prepare_directory(const std::filesystem::path &target, const std::string &option);

/// The ranks' files (dumps and live blocks) of a directory, by name.
std::vector<std::filesystem::path> rank_files(const std::filesystem::path &directory);

/// Why ranks could not record: errno values, ascending, and how many ranks met each. A rank leaves it as a link
/// (wire::refusal_prefix).
std::map<int, int> refusals(const std::filesystem::path &directory);

/// Copies the ranks' files and the run's description.
void copy_rank_files(const std::filesystem::path &directory, const std::filesystem::path &target);

/// Removes the directory and its links. No error: what can't be removed stays.
void remove_run_directory(const RunDirectory &directory);
/// Removes only what lies outside the run directory.
void remove_links(const RunDirectory &directory);

}  // namespace scope::launch
