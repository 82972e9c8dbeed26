#pragma once
// The command line as plain structs. Options come from flags, else from the environment (SCOPE_PROFILER_<OPTION>), else from
// the file of --config.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "launch/environment.hpp"
#include "render/report.hpp"

namespace scope::cli {

enum class Action { help, version, run, report, merge, watch, doctor, check, export_ };

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
  std::string per_rank = "auto";
  std::string collect = "auto";  ///< or files, node, mpi
  int callsites = 0;         ///< frames of a call site, 0: not recorded
  bool trace = false;        ///< record a timeline
  std::uint64_t trace_limit = launch::default_trace_limit;  ///< bytes a rank
  double stall_timeout = 0;  ///< seconds, 0: none
  std::string stall_action = "report";
  std::optional<int> repeat;  ///< repetitions; nothing: one run, without repeats[] in its profile
  int warmup = 0;             ///< runs before them that are not kept
  std::string versus;         ///< a second command, as one text
  std::vector<std::string> command;
};

struct ReportCommand {
  std::vector<std::string> files;    ///< several: a comparison, the first is the base
  std::string scaling;               ///< "", "strong", "weak"
  std::vector<std::string> outputs;  ///< "-" is standard output; empty: there
  bool format_given = false;
  render::ReportOptions options;
};

struct MergeCommand {
  std::vector<std::string> inputs;
  std::string output = "trace.json";
  std::string per_rank = "auto";  ///< or "all"
};

struct DoctorCommand {
  bool coverage = false;
  std::string format = "text";
};

struct WatchCommand {
  std::string directory;  ///< "": the current one
  double interval = 1;    ///< seconds
  bool once = false;
  std::string format = "text";  ///< or "json"
  std::string rows = "auto", order = "since";
  int top = 0;                ///< rows, 0: as many as have room
  double stall_timeout = 10;  ///< seconds
};

struct CheckCommand {
  std::vector<std::string> files;
  std::vector<std::string> max, min;  ///< NAME=LIMIT
  std::string max_regression, floor;  ///< "": not given
  std::string allow;
  std::string budget, history;               ///< "": none
  int last = 10;                             ///< accepted profiles that --history looks at
  std::string junit, markdown, json, gitlab_metrics, code_quality;  ///< files; "-" is standard output
  bool github = false, init = false, accept = false;
  bool fail_on_new = false, fail_on_missing = true, allow_different = false, report_only = false, strict = false;
};

struct ExportCommand {
  std::string file, to, output = "-";
};

/// An option's value in force, for --verbose.
struct Setting {
  std::string option;  ///< its longest name, with hyphens
  std::string value;   ///< several: with ", " between; "" for none
  std::string source;  ///< "flag", "environment SCOPE_PROFILER_N", "FILE:3", "default"
  bool operator==(const Setting &) const = default;
};

struct CommandLine {
  Action action = Action::help;
  CommonOptions common;
  RunOptions run;
  ReportCommand report;
  MergeCommand merge;
  WatchCommand watch;
  DoctorCommand doctor;
  CheckCommand check;
  ExportCommand export_;
  std::string text;  ///< of the help
  std::vector<Setting> settings;  ///< with --verbose only: every option of the command that has a twin, as --help orders them
};

/// Arguments without the program's name. Throws support::Error: code 125 for `run`, 2 otherwise.
CommandLine parse_command_line(const std::vector<std::string> &arguments, const launch::Environment &environment);

/// "SCOPE_PROFILER_MPI_CALLS" of "mpi-calls".
std::string environment_twin(const std::string &option);

/// The option names of a command ("run", "report", "check", "export", "merge", "watch", "doctor") that have a twin, without hyphens
/// in front.
std::vector<std::string> option_names(const std::string &command);

}  // namespace scope::cli
