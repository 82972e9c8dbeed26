#pragma once
// What is installed here: our own files, and the launchers on PATH.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launch/launcher.hpp"

namespace scope::launch {

struct ShimPaths {
  std::filesystem::path shim, agent;
};
/// Relative to the tool's own executable: ../lib/scope-profiler, in an installation and in the build tree.
ShimPaths shim_paths(const std::filesystem::path &executable);

/// The path of this process's executable.
std::filesystem::path own_executable();

struct FormatVersion {
  std::string name;
  int version;
};
/// Of every file that the tool reads and writes.
std::vector<FormatVersion> format_versions();

struct InstalledLauncher {
  std::filesystem::path path;
  LauncherKind kind;
  std::string version;  ///< "4.1.4"; "" if not understood
};
/// Every name of launcher_names() that `search_path` finds.
std::vector<InstalledLauncher> find_launchers(const std::optional<std::string> &search_path, const VersionOf &version_of);

/// The version number in what a launcher says to --version: Open MPI's first line ends with it, hydra has a line "Version:".
std::string version_number(const std::string &text);

}  // namespace scope::launch
