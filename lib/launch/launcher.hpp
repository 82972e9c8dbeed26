#pragma once
// Programs: where a command is found, which launcher it is, and the command line that is run in the end.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scope::launch {

enum class LauncherKind { none, openmpi, hydra, srun, other };
const char *to_string(LauncherKind kind);              ///< the words of metadata.launcher
LauncherKind launcher_kind_of(std::string_view word);  ///< the reverse; none for any other word

/// What a program says to --version, "" if it says nothing.
using VersionOf = std::function<std::string(const std::filesystem::path &)>;

/// By the name of the file and of what it links to; `version_of` is asked only for a name that several MPIs share
/// (mpiexec, mpirun). `none` for anything that does not have a launcher's name.
LauncherKind recognise(const std::filesystem::path &program, const VersionOf &version_of);

/// Names under which MPI launchers are installed, most general first.
const std::vector<std::string> &launcher_names();

/// Result of the search that execvp does. `path` is empty when nothing was found; `error` says why it can't be executed.
struct FoundProgram {
  std::filesystem::path path;
  int error = 0;
};

/// `search_path` is the value of PATH; nothing stands for the system's default.
FoundProgram find_program(const std::string &word, const std::optional<std::string> &search_path);

/// The path, or an Error with code 127 (not found, with the nearest name that exists) or 126 (found, not executable).
std::filesystem::path require_program(const std::string &word, const std::optional<std::string> &search_path);

/// -n N: `mpiexec -n N` before the command.
std::vector<std::string> plan_command(const std::vector<std::string> &command, std::optional<int> ranks,
                                      const std::string &mpiexec);

}  // namespace scope::launch
