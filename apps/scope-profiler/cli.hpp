#pragma once
// The command line as plain structs. Options come from flags, else from the environment (SCOPE_PROFILER_<OPTION>), else from
// the file of --config.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launch/environment.hpp"
#include "render/report.hpp"

namespace scope::cli {

enum class Action { help, version, run, report, merge, doctor };

struct CommonOptions {
  bool verbose = false, quiet = false;
  std::string color = "auto";
  std::string config;  ///< "": ./.scope-profiler.toml if it is there
};

struct RunOptions {
  bool mpi_calls = false, dry_run = false, strict = false;
  std::optional<int> ranks;  ///< -n
  std::string mpiexec;       ///< "": found on PATH
  std::string output = "trace.json";
  std::string label;
  std::map<std::string, std::string> tags;
  std::string keep_dumps;  ///< "": not kept
  double stall_timeout = 0;  ///< seconds, 0: none
  std::string stall_action = "report";
  std::vector<std::string> command;
};

struct ReportCommand {
  std::string file;
  std::vector<std::string> outputs;  ///< "-" is standard output; empty: there
  bool format_given = false;
  render::ReportOptions options;
};

struct MergeCommand {
  std::vector<std::string> inputs;
  std::string output = "trace.json";
};

struct DoctorCommand {
  bool coverage = false;
  std::string format = "text";
};

struct CommandLine {
  Action action = Action::help;
  CommonOptions common;
  RunOptions run;
  ReportCommand report;
  MergeCommand merge;
  DoctorCommand doctor;
  std::string text;  ///< of the help
};

/// Arguments without the program's name. Throws support::Error: code 125 for `run`, 2 otherwise.
CommandLine parse_command_line(const std::vector<std::string> &arguments, const launch::Environment &environment);

/// "SCOPE_PROFILER_MPI_CALLS" of "mpi-calls".
std::string environment_twin(const std::string &option);

/// The option names of a command ("run", "report", "merge", "doctor") that have a twin, without hyphens in front.
std::vector<std::string> option_names(const std::string &command);

}  // namespace scope::cli
