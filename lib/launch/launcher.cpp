#include "launch/launcher.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <utility>

#include "support/error.hpp"
#include "support/text.hpp"

namespace scope::launch {

namespace fs = std::filesystem;
using support::Error;

namespace {

constexpr int not_executable = 126, not_found = 127;

constexpr std::array kind_words{"none", "openmpi", "hydra", "srun", "other"};

std::optional<LauncherKind> kind_of_name(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, LauncherKind>, 19> names{{
      {"orterun", LauncherKind::openmpi},
      {"oshrun", LauncherKind::openmpi},
      {"mpiexec.openmpi", LauncherKind::openmpi},
      {"mpirun.openmpi", LauncherKind::openmpi},
      {"prterun", LauncherKind::openmpi},
      {"mpiexec.mpich", LauncherKind::hydra},
      {"mpirun.mpich", LauncherKind::hydra},
      {"mpiexec.hydra", LauncherKind::hydra},
      {"mpirun.hydra", LauncherKind::hydra},
      {"srun", LauncherKind::srun},
      {"salloc", LauncherKind::other},
      {"prun", LauncherKind::other},
      {"aprun", LauncherKind::other},
      {"jsrun", LauncherKind::other},
      {"ibrun", LauncherKind::other},
      {"mpirun_rsh", LauncherKind::other},
      {"mpiexec.slurm", LauncherKind::other},
      {"mpiexec.mpd", LauncherKind::other},
      {"mpiexec.gforker", LauncherKind::other},
  }};
  auto found = std::find_if(names.begin(), names.end(), [&](const auto &entry) { return entry.first == name; });
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

LauncherKind kind_of_version(std::string_view text) {
  auto says = [&](std::string_view words) { return text.find(words) != std::string_view::npos; };
  if (says("OpenRTE") || says("Open MPI") || says("PRRTE")) return LauncherKind::openmpi;
  if (says("HYDRA") || says("Intel(R) MPI")) return LauncherKind::hydra;
  return LauncherKind::other;
}

/// 0 if the file can be executed, else the errno that execve gives.
int execution_error(const fs::path &file) {
  struct stat status {};
  if (stat(file.c_str(), &status)) return errno;
  if (!S_ISREG(status.st_mode) || access(file.c_str(), X_OK)) return EACCES;
  return 0;
}

std::vector<fs::path> directories_of(const std::optional<std::string> &search_path) {
  std::string text = search_path.value_or("/bin:/usr/bin");
  std::vector<fs::path> result;
  for (std::size_t begin = 0; begin <= text.size();) {
    auto end = std::min(text.find(':', begin), text.size());
    result.emplace_back(end == begin ? "." : text.substr(begin, end - begin));  // an empty entry is the current directory
    begin = end + 1;
  }
  return result;
}

/// The nearest executable: beside a path, else on PATH; a file of the name in the current directory before all.
std::string suggestion(const std::string &word, const std::optional<std::string> &search_path) {
  bool is_path = word.find('/') != std::string::npos;
  if (!is_path && execution_error(fs::path(".") / word) == 0) return "./" + word;
  auto directory = fs::path(word).parent_path();
  std::vector<std::string> names;
  for (const auto &place : is_path ? std::vector{directory} : directories_of(search_path)) {
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(place, error)) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  auto near = support::nearest(fs::path(word).filename().string(), names);
  return near.empty() || !is_path ? near : (directory / near).string();
}

}  // namespace

const char *to_string(LauncherKind kind) { return kind_words[static_cast<std::size_t>(kind)]; }

LauncherKind launcher_kind_of(std::string_view word) {
  auto found = std::find(kind_words.begin(), kind_words.end(), word);
  return found == kind_words.end() ? LauncherKind::none : static_cast<LauncherKind>(found - kind_words.begin());
}

const std::vector<std::string> &launcher_names() {
  static const std::vector<std::string> names{"mpiexec",        "mpirun",        "mpiexec.openmpi",
                                              "mpirun.openmpi", "orterun",       "mpiexec.mpich",
                                              "mpirun.mpich",   "mpiexec.hydra", "srun"};
  return names;
}

LauncherKind recognise(const fs::path &program, const VersionOf &version_of) {
  auto name = program.filename().string();
  if (auto kind = kind_of_name(name)) return *kind;
  if (name != "mpiexec" && name != "mpirun") return LauncherKind::none;
  std::error_code error;
  auto target = fs::canonical(program, error);  // mpiexec -> /etc/alternatives/mpiexec -> mpiexec.openmpi -> orterun
  if (!error) {
    if (auto kind = kind_of_name(target.filename().string())) return *kind;
  }
  return kind_of_version(version_of(program));
}

FoundProgram find_program(const std::string &word, const std::optional<std::string> &search_path) {
  if (word.empty()) return {{}, ENOENT};
  if (word.find('/') != std::string::npos) {
    int error = execution_error(word);
    return {error == 0 || error == EACCES ? fs::path(word) : fs::path(), error};
  }
  FoundProgram refused{{}, ENOENT};
  for (const auto &directory : directories_of(search_path)) {
    auto candidate = directory / word;
    int error = execution_error(candidate);
    if (error == 0) return {candidate, 0};
    // A directory that may not be searched says nothing of the program; and directories are no programs.
    std::error_code ignored;
    if (error == EACCES && refused.path.empty() && fs::is_regular_file(candidate, ignored)) refused = {candidate, error};
  }
  return refused;
}

fs::path require_program(const std::string &word, const std::optional<std::string> &search_path) {
  auto found = find_program(word, search_path);
  if (!found.path.empty() && found.error == 0) return found.path;
  if (!found.path.empty()) {
    std::error_code ignored;
    bool directory = fs::is_directory(found.path, ignored);
    throw Error("cannot execute '" + found.path.string() + "': " + support::errno_text(directory ? EISDIR : found.error) +
                    (directory ? "" : ". Is it executable (chmod +x)?"),
                not_executable);
  }
  auto near = suggestion(word, search_path);
  bool on_path = word.find('/') == std::string::npos;
  throw Error("cannot find the program '" + word + "'" + (on_path ? " on PATH" : ": " + support::errno_text(found.error)) + "." +
                  (near.empty() ? "" : " Did you mean '" + near + "'?"),
              not_found);
}

std::vector<std::string> plan_command(const std::vector<std::string> &command, std::optional<int> ranks,
                                      const std::string &mpiexec) {
  if (!ranks) return command;
  std::vector<std::string> result{mpiexec.empty() ? "mpiexec" : mpiexec, "-n", std::to_string(*ranks)};
  result.insert(result.end(), command.begin(), command.end());
  return result;
}

}  // namespace scope::launch
