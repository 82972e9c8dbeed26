#pragma once
// What is installed here: our own files, and the launchers on PATH.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "launch/launcher.hpp"

namespace scope::launch {

struct ShimPaths {
  std::filesystem::path shim, agent, probe, region;
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

/// A launcher under all its names.
struct DistinctLauncher {
  std::filesystem::path path;      ///< where the first of its names was found
  std::filesystem::path file;      ///< what the names lead to
  std::vector<std::string> names;  ///< the others
  LauncherKind kind;
  std::string version;
};
/// One entry for each file that is behind the names, in order of the first name.
std::vector<DistinctLauncher> distinct(const std::vector<InstalledLauncher> &launchers);

/// Where the MPI library of a launcher may be, best first: beside the launcher's file (../lib, ../lib64), then by the names
/// under which the dynamic loader may find it. Nothing for launchers that serve several MPIs.
std::vector<std::string> library_candidates(LauncherKind kind, const std::filesystem::path &launcher_file);

/// The version number in what a launcher says to --version: Open MPI's first line ends with it, hydra has a line "Version:".
std::string version_number(const std::string &text);

}  // namespace scope::launch
