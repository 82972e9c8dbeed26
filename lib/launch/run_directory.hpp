#pragma once
// The private directory of one run, where ranks leave their files. Everything throws support::Error with exit code 125.

#include <cstdint>
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
  std::string host;              ///< of the process that made the run; "" and 0 where it is not known
  std::int64_t pid = 0;
  std::uint64_t start_time = 0;  ///< field 22 of /proc/PID/stat
  std::string boot_id = {};      ///< of that host
  std::map<std::string, std::string> batch = {};  ///< metadata.batch
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

/// Whether `file` was written after this run's description (by the clock of the file system).
bool written_since(const std::filesystem::path &directory, const std::filesystem::path &file);

/// Makes `target` and finds out whether files can be written there.
void prepare_directory(const std::filesystem::path &target, const std::string &option);

/// The ranks' files (dumps and live blocks) of a directory, by name.
std::vector<std::filesystem::path> rank_files(const std::filesystem::path &directory);

/// The timelines that ranks left there (run --trace), by name.
std::vector<std::filesystem::path> trace_files(const std::filesystem::path &directory);
bool is_trace_file(const std::filesystem::path &file);

/// A process that could not make its live block, or not make it larger: why. It leaves this as a link (wire::refusal_prefix).
struct Refusal {
  std::string host;
  std::int64_t pid = 0;
  int error = 0;  ///< errno
};
std::vector<Refusal> refused_processes(const std::filesystem::path &directory);

/// A node whose ranks leave their data in a directory of its own (run --collect).
struct AwayHost {
  std::string host, boot_id;
  std::filesystem::path directory;
  bool stranded = false;  ///< it has data that nobody can hand over
};
/// By host. Hosts are said here by their ranks, over UDP (clock_server.hpp) or over MPI.
std::vector<AwayHost> away_hosts(const std::filesystem::path &directory);
/// As a pattern for a shell.
std::string away_file_names(const std::filesystem::path &directory);
/// Leaves it in the run directory. No error: a hint is lost.
void note_away_host(const std::filesystem::path &directory, const AwayHost &host);

/// The name of such a directory.
std::string local_directory_name(const std::string &run_id);

/// Why ranks could not record: errno values, ascending, and how many ranks met each.
std::map<int, int> refusals(const std::filesystem::path &directory);

/// The run directories in `place`, by name, those that this user may read: `place` itself where it is one.
std::vector<std::filesystem::path> run_directories_in(const std::filesystem::path &place);

/// Whether its run goes on: the process that made it lives, or one of its ranks does. What another host's processes do can't be
/// seen: a rank of another host that left no dump counts as alive.
bool is_running(const std::filesystem::path &directory);

/// Copies the ranks' files and the run's description.
void copy_rank_files(const std::filesystem::path &directory, const std::filesystem::path &target);

/// Removes the directory and its links. No error: what can't be removed stays.
void remove_run_directory(const RunDirectory &directory);
/// Removes only what lies outside the run directory.
void remove_links(const RunDirectory &directory);

}  // namespace scope::launch
