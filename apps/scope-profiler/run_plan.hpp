#pragma once
// What `run` is going to do, found out and checked before anything starts.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli.hpp"
#include "launch/environment.hpp"
#include "launch/inventory.hpp"
#include "launch/launcher.hpp"
#include "launch/program_file.hpp"
#include "launch/run_directory.hpp"

namespace scope::app {

struct RunPlan {
  std::vector<std::string> command;  ///< with the launcher of -n
  std::filesystem::path program;     ///< where its first word was found
  launch::LauncherKind launcher = launch::LauncherKind::none;
  launch::Environment base;  ///< our own environment
  launch::ShimPaths shim;
  std::vector<launch::ProgramFile> programs;  ///< words of the command that are programs
};

/// Throws support::Error: 127 or 126 for the program, 125 for the rest.
RunPlan make_plan(const cli::RunOptions &options);

/// Whether ranks of other nodes ask for this one's clock, before MPI and after it.
bool asks_for_clock(const cli::RunOptions &options);

/// Whether a launch::ClockServer runs: for that, or for nodes that say where their data are.
bool listens(const cli::RunOptions &options);

/// The changes to the environment, with paths of a run directory that was made. `clock_port` is where the launch::ClockServer of the
/// run answers, 0 for none.
std::vector<launch::Variable> environment_changes(const RunPlan &plan, const cli::RunOptions &options,
                                                  launch::RunDirectory &directory, std::uint16_t clock_port = 0);

/// What is started: the line, where srun's own options had to be changed for the ranks to be reached, and the environment. Says so
/// where `aloud`.
struct Launch {
  std::vector<std::string> words;
  launch::Environment environment;
};
Launch make_launch(const RunPlan &plan, const std::vector<launch::Variable> &changes, bool aloud);

/// The patterns in the names of -o and --keep-dumps replaced.
void expand_names(cli::RunOptions &options);

/// --dry-run: as text for a shell. Makes nothing; names of directories that a run would make end with XXXXXX.
std::string dry_run_text(const RunPlan &plan, const cli::RunOptions &options);

}  // namespace scope::app
