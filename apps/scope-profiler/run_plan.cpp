#include "run_plan.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "commands.hpp"
#include "finish.hpp"
#include "launch/clock_server.hpp"
#include "launch/process.hpp"
#include "messages.hpp"
#include "render/escape.hpp"
#include "support/error.hpp"

namespace scope::app {

namespace fs = std::filesystem;
using launch::LauncherKind;
using support::Error;

namespace {

std::string version_of(const fs::path &program) { return launch::output_of(program, {"--version"}); }

/// `mpiexec -n 4 scope-profiler run ./sim` makes four runs that overwrite each other's profile.
void warn_inside_launcher(const RunPlan &plan) {
  if (plan.launcher != LauncherKind::none) return;
  for (const char *name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    auto text = launch::value_of(plan.base, name).value_or("");
    int size = 0;
    std::from_chars(text.data(), text.data() + text.size(), size);
    if (size < 2) continue;
    warn("this is one of " + text +
         " processes that a launcher started, and each profiles its own. "
         "Put 'scope-profiler run' in front of the launcher.");
    return;
  }
}

/// Its loader would take the shim and then fail on functions that only glibc has.
void refuse_musl(const std::vector<launch::ProgramFile> &programs) {
  for (const auto &program : programs) {
    if (program.is_musl())
      throw Error("'" + program.path.string() + "' is built for the C library musl (its loader is " + program.interpreter +
                      "), and the shim for glibc: it would not start with it. Build it for glibc, or run it without --mpi-calls.",
                  tool_fault);
  }
}

std::string installed_hint(const fs::path &file) {
  return "'" + file.string() + "' is missing. Build or install the tool again.";
}

/// `carriable`: path to path that LD_PRELOAD can carry. Without --mpi-calls nothing is preloaded; programs that mark regions find the
/// recorder of those through the environment. `clock_port`: as in the environment, "" for no clock server.
template <class Carriable>
launch::Injection injection(const RunPlan &plan, const cli::RunOptions &options, const fs::path &run_dir, const std::string &run_id,
                            std::string_view clock_port, Carriable carriable) {
  const bool asan = std::any_of(plan.programs.begin(), plan.programs.end(), [](const auto &program) { return program.needs_asan; });
  const auto clock_server = clock_port.empty() ? "" : launch::clock_server_value(launch::host_addresses(), clock_port);
  return {options.mpi_calls ? carriable(plan.shim.shim).string() : "", carriable(plan.shim.agent).string(), run_dir.string(), run_id,
          options.callsites, plan.shim.region.string(), options.trace ? options.trace_limit : 0, options.mpi_calls && asan, clock_server,
          boot_id(), options.mpi_calls ? options.collect : ""};
}

}  // namespace

RunPlan make_plan(const cli::RunOptions &options) {
  RunPlan plan;
  plan.base = launch::current_environment();
  plan.command = launch::plan_command(options.command, options.ranks, options.mpiexec);
  auto search_path = launch::value_of(plan.base, "PATH");
  plan.program = launch::require_program(plan.command.front(), search_path);
  plan.launcher = launch::recognise(plan.program, version_of);
  if (options.ranks) {
    auto users = launch::require_program(options.command.front(), search_path);
    if (launch::recognise(users, version_of) != LauncherKind::none) {
      throw Error("-n puts a launcher in front of the command; '" + options.command.front() + "' is one. Leave one of them out.",
                  tool_fault);
    }
    // Whatever its name is: it was asked for as a launcher.
    if (plan.launcher == LauncherKind::none) plan.launcher = LauncherKind::other;
  }
  plan.shim = launch::shim_paths(launch::own_executable());
  std::error_code ignored;
  if (options.mpi_calls && !fs::exists(plan.shim.shim, ignored))
    throw Error("the shim " + installed_hint(plan.shim.shim), tool_fault);
  if (!fs::exists(plan.shim.agent, ignored)) throw Error("the agent " + installed_hint(plan.shim.agent), tool_fault);
  if (!fs::exists(plan.shim.region, ignored)) throw Error("the recorder of regions " + installed_hint(plan.shim.region), tool_fault);
  plan.programs = launch::programs_of(plan.command, search_path);
  if (options.mpi_calls) refuse_musl(plan.programs);
  warn_inside_launcher(plan);
  return plan;
}

bool asks_for_clock(const cli::RunOptions &options) { return options.trace && options.mpi_calls; }
bool listens(const cli::RunOptions &options) { return asks_for_clock(options) || (options.mpi_calls && options.collect != "files"); }

std::vector<launch::Variable> environment_changes(const RunPlan &plan, const cli::RunOptions &options,
                                                  launch::RunDirectory &directory, std::uint16_t clock_port) {
  if (launch::agent_is_taken(plan.base, plan.command)) {
    debug(
        "Open MPI's fork agent is left to the user: ranks on other hosts are reached only if the user's own passes LD_PRELOAD "
        "on");
  }
  auto carriable = [&](const fs::path &file) { return launch::carriable_path(directory, file); };
  const auto port = clock_port ? std::to_string(clock_port) : "";
  return launch::plan_changes(plan.base, plan.command, injection(plan, options, directory.path, directory.run_id, port, carriable));
}

std::string dry_run_text(const RunPlan &plan, const cli::RunOptions &options) {
  auto directory = launch::run_directory_template(options.output);
  auto planned = [&](const fs::path &file) { return launch::planned_carriable_path(directory, file); };
  const auto port = listens(options) ? launch::planned_clock_port : "";
  auto changes =
      launch::plan_changes(plan.base, plan.command, injection(plan, options, directory, launch::make_run_id(), port, planned));
  std::string text;
  for (const auto &change : changes) text += change.name + '=' + render::shell_quote(change.value) + " \\\n";
  return text + render::shell_line(plan.command) + '\n';
}

}  // namespace scope::app
