#pragma once
// What `run` is going to do, found out and checked before anything starts.

#include <filesystem>
#include <string>
#include <vector>

#include "cli.hpp"
#include "launch/environment.hpp"
#include "launch/inventory.hpp"
#include "launch/launcher.hpp"
#include "launch/run_directory.hpp"

namespace scope::app {

struct RunPlan {
  std::vector<std::string> command;  ///< with the launcher of -n
  std::filesystem::path program;     ///< where its first word was found
  launch::LauncherKind launcher = launch::LauncherKind::none;
  launch::Environment base;  ///< our own environment
  launch::ShimPaths shim;
};

/// Throws support::Error: 127 or 126 for the program, 125 for the rest.
RunPlan make_plan(const cli::RunOptions &options);

/// The changes to the environment, with paths of a run directory that was made.
std::vector<launch::Variable> environment_changes(const RunPlan &plan, const cli::RunOptions &options,
                                                  launch::RunDirectory &directory);

/// --dry-run: as text for a shell. Makes nothing; names of directories that a run would make end with XXXXXX.
std::string dry_run_text(const RunPlan &plan, const cli::RunOptions &options);

}  // namespace scope::app
