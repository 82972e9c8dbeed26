// `merge`: a profile from the files that ranks left, also where the launcher itself did not survive.

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "commands.hpp"
#include "finish.hpp"
#include "gathered.hpp"
#include "launch/run_directory.hpp"
#include "messages.hpp"
#include "model/node_file.hpp"
#include "progress_line.hpp"
#include "rank_ends.hpp"
#include "support/error.hpp"

namespace scope::app {

namespace fs = std::filesystem;
using support::Error;

namespace {

/// The files of the arguments, and the description that the first directory holds.
struct Inputs {
  std::vector<fs::path> files, traces;
  launch::RunInfo info;
};

Inputs find_inputs(const std::vector<std::string> &arguments) {
  Inputs inputs;
  for (const auto &argument : arguments) {
    std::error_code error;
    auto status = fs::status(argument, error);
    if (!fs::exists(status))
      throw Error("cannot read '" + argument + "': " + support::errno_text(error ? error.value() : ENOENT) + ".");
    if (!fs::is_directory(status)) {
      (launch::is_trace_file(argument) ? inputs.traces : inputs.files).push_back(argument);
      continue;
    }
    auto traces = launch::trace_files(argument);
    inputs.traces.insert(inputs.traces.end(), traces.begin(), traces.end());
    auto files = launch::rank_files(argument);
    inputs.files.insert(inputs.files.end(), files.begin(), files.end());
    if (inputs.info.run_id.empty()) inputs.info = launch::read_run_info(argument);
  }
  if (inputs.files.empty()) throw Error("there are no files of ranks in '" + arguments.front() + "'.");
  return inputs;
}

/// Where the blocks of node files go: what is merged may be somebody else's, or read-only. Removed at the end.
struct Unpacked {
  fs::path directory;
  explicit Unpacked(const std::vector<fs::path> &files) {
    if (std::none_of(files.begin(), files.end(), model::is_node_file)) return;
    std::string name = (fs::temp_directory_path() / "scope-profiler-merge-XXXXXX").string();
    if (!mkdtemp(name.data())) throw Error("cannot make a directory for what node files hold, '" + name + "': " + support::errno_text(errno) + ". Set TMPDIR.");
    directory = name;
  }
  ~Unpacked() {
    std::error_code error;
    if (!directory.empty()) fs::remove_all(directory, error);
  }
  Unpacked(const Unpacked &) = delete;
  Unpacked &operator=(const Unpacked &) = delete;
};

}  // namespace

int merge_command(const cli::CommandLine &line) {
  const auto &command = line.merge;
  auto inputs = find_inputs(command.inputs);
  const Unpacked unpacked(inputs.files);
  if (!unpacked.directory.empty()) unpack_node_files(inputs.files, inputs.traces, unpacked.directory);
  ProgressLine progress;
  auto collected = model::collect_files(inputs.files, inputs.info.run_id, progress.of("read", "files"));
  if (collected.records.empty()) {
    for (const auto &warning : collected.warnings) warn(warning.text);
    throw Error("none of " + std::to_string(inputs.files.size()) + " files could be read, so there is nothing to merge.");
  }
  cli::refine_recovered(collected.records, boot_id());
  model::Metadata metadata;
  metadata.command = inputs.info.command;
  metadata.label = inputs.info.label;
  metadata.tags = inputs.info.tags;
  metadata.batch = inputs.info.batch;
  metadata.started = inputs.info.started;
  metadata.launcher = inputs.info.launcher.empty() ? launch::to_string(launch::LauncherKind::none) : inputs.info.launcher;
  metadata.cpu = cpu_model();
  metadata.exporter = exporter();
  metadata.run_id = inputs.info.run_id.empty() ? collected.records.front().run_id : inputs.info.run_id;
  const std::string &boot = inputs.info.boot_id;
  auto profile = merged_profile(collected, std::move(metadata), {}, {}, {inputs.traces, command.output, boot}, progress.of("merged", "ranks"));
  progress.clear();
  model::write_profile(profile, command.output, per_rank_form(command.per_rank));
  show_summary(profile, command.output, line.common);
  return 0;
}

}  // namespace scope::app
