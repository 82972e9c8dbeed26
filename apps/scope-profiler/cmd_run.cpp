// `run`: check, start, wait, merge, say what came out.

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "commands.hpp"
#include "finish.hpp"
#include "launch/supervise.hpp"
#include "messages.hpp"
#include "rank_ends.hpp"
#include "render/escape.hpp"
#include "run_plan.hpp"
#include "stall_monitor.hpp"
#include "support/error.hpp"

namespace scope::app {

namespace fs = std::filesystem;
using launch::LauncherKind;

namespace {

model::Metadata describe(const RunPlan &plan, const cli::RunOptions &options, const launch::RunDirectory &directory) {
  model::Metadata metadata;
  metadata.command = plan.command;
  metadata.label = options.label;
  metadata.tags = options.tags;
  metadata.started = utc_now();
  metadata.launcher = launch::to_string(plan.launcher);
  metadata.cpu = cpu_model();
  metadata.exporter = exporter();
  metadata.run_id = directory.run_id;
  return metadata;
}

void leave_description(const launch::RunDirectory &directory, const model::Metadata &metadata) {
  launch::write_run_info(directory.path,
                         {metadata.run_id, metadata.label, metadata.started, metadata.launcher, metadata.tags, metadata.command});
}

/// Processes that could not make their live block say why.
void add_refusals(std::vector<model::Warning> &warnings, const fs::path &directory) {
  for (auto [error, count] : launch::refusals(directory)) {
    warnings.push_back({"ranks-refused", std::to_string(count) + (count == 1 ? " rank was" : " ranks were") + " not recorded: " +
                                             support::errno_text(error) + " in " + directory.parent_path().string() +
                                             ". Make room there, or write elsewhere with -o."});
  }
}

/// Ranks of another MPI than the launcher's start as worlds of one rank each, without an error message of anyone.
void add_mismatch(std::vector<model::Warning> &warnings, const RunPlan &plan, const model::Collected &collected) {
  std::string expected = plan.launcher == LauncherKind::openmpi ? "openmpi" : plan.launcher == LauncherKind::hydra ? "mpich" : "";
  if (expected.empty()) return;
  int strangers = 0;
  std::string library;
  for (const auto &record : collected.records) {
    if (record.size != 1 || record.family == expected || record.family == "unknown") continue;
    ++strangers;
    library = record.library;
  }
  if (strangers < 2) return;
  warnings.push_back({"launcher-mismatch", "Launcher and library don't belong together: " + plan.program.filename().string() +
                                               " started " + std::to_string(strangers) + " processes that use " + library +
                                               ", and each became a world of its own. Use the launcher of that MPI."});
}

/// Why there are no ranks in the profile. A launcher that ran nothing with MPI is either a user's `mpiexec hostname` or a
/// program that the shim can't get into.
std::vector<model::Warning> no_ranks_warning(const RunPlan &plan, const cli::RunOptions &options,
                                             const model::Collected &collected) {
  if (!options.mpi_calls) return {{mpi_calls_off, "MPI calls were not profiled. With --mpi-calls they are."}};
  if (plan.launcher == LauncherKind::none || !collected.records.empty()) return {};
  return {{"no-ranks-reported",
           "No rank reported. Likely reasons: no MPI call is made; static or setuid program; env -i; MPI called through dlsym; a "
           "launcher of another MPI ('ldd PROGRAM' names the library)."}};
}

/// Everything after the program's end. The exit code is the program's, whatever becomes of the profile.
bool finish_run(const RunPlan &plan, const cli::CommandLine &line, const launch::RunDirectory &directory,
                model::Metadata metadata, const launch::Outcome &outcome, const StallMonitor *stalls) {
  const auto &options = line.run;
  metadata.exit_status = launch::exit_code_of(outcome.wait_status);
  auto collected = model::collect(directory.path, directory.run_id);
  cli::refine_recovered(collected.records, boot_id());
  cli::apply_rank_ends(collected.records, outcome.rank_ends, plan.launcher, metadata.exit_status);
  auto warnings = no_ranks_warning(plan, options, collected);
  if (options.mpi_calls) add_refusals(warnings, directory.path);
  if (options.mpi_calls && !warnings.empty()) collected.partial = true;
  if (options.mpi_calls) add_mismatch(warnings, plan, collected);
  std::vector<model::Finding> findings;
  if (stalls && stalls->warning()) {
    warnings.insert(warnings.begin(), *stalls->warning());
    findings.push_back(*stalls->finding());
  }
  auto profile = write_merged(collected, std::move(metadata), warnings, options.output, findings);
  show_summary(profile, options.output, line.common);
  if (!options.keep_dumps.empty()) launch::copy_rank_files(directory.path, options.keep_dumps);
  launch::remove_run_directory(directory);
  return profile.complete;
}

bool finish_or_keep(const RunPlan &plan, const cli::CommandLine &line, const launch::RunDirectory &directory,
                    const model::Metadata &metadata, const launch::Outcome &outcome, const StallMonitor *stalls) {
  try {
    return finish_run(plan, line, directory, metadata, outcome, stalls);
  } catch (const std::exception &failure) {
    launch::remove_links(directory);
    warn(failure.what());
    warn("what the ranks left is kept. Next: " +
         render::shell_line({"scope-profiler", "merge", directory.path.string(), "-o", line.run.output}));
    return false;
  }
}

/// Starts the program; a run directory that it never used is removed.
launch::Outcome start(const RunPlan &plan, const cli::RunOptions &options, launch::RunDirectory &directory,
                      const model::Metadata &metadata, const launch::SignalGate &gate, StallMonitor *stalls) {
  try {
    leave_description(directory, metadata);
    auto changes = environment_changes(plan, options, directory);
    launch::Command command{plan.program, plan.command, launch::apply_changes(plan.base, changes)};
    launch::Timer timer;
    if (stalls) timer = {stalls->period_ns(), [stalls] { return stalls->look(); }};
    return launch::supervise(command, options.mpi_calls ? directory.path : fs::path(), gate, stalls ? &timer : nullptr);
  } catch (const support::Error &) {
    launch::remove_run_directory(directory);
    throw;
  }
}

}  // namespace

int run_command(const cli::CommandLine &line) {
  const auto &options = line.run;
  auto plan = make_plan(options);
  if (options.dry_run) {
    std::fputs(dry_run_text(plan, options).c_str(), stdout);
    return 0;
  }
  if (!options.keep_dumps.empty()) launch::prepare_directory(options.keep_dumps, "--keep-dumps");
  auto directory = launch::make_run_directory(options.output);
  auto metadata = describe(plan, options, directory);
  launch::SignalGate gate;
  std::optional<StallMonitor> monitor;
  if (options.mpi_calls && options.stall_timeout > 0) monitor.emplace(options, directory);
  StallMonitor *stalls = monitor ? &*monitor : nullptr;
  auto outcome = start(plan, options, directory, metadata, gate, stalls);
  // Launchers that are asked to end may say 0 then (hydra does so at times). A job that did not get through must not look good.
  if (stalls && stalls->aborted() && outcome.wait_status == 0) outcome.wait_status = SIGTERM;
  int code = launch::exit_code_of(outcome.wait_status);
  if (stalls) stalls->ended(code);
  bool complete = finish_or_keep(plan, line, directory, metadata, outcome, stalls);
  return !complete && options.strict && code == 0 ? tool_fault : code;
}

}  // namespace scope::app
