#include "run_plan.hpp"

#include <unistd.h>

#include <charconv>

#include "commands.hpp"
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

std::string installed_hint(const fs::path &file) {
  return "'" + file.string() + "' is missing. Build or install the tool again.";
}

launch::Injection injection(const fs::path &shim, const fs::path &agent, const fs::path &run_dir, const std::string &run_id) {
  return {shim.string(), agent.string(), run_dir.string(), run_id};
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
  if (options.mpi_calls && !fs::exists(plan.shim.agent, ignored))
    throw Error("the agent " + installed_hint(plan.shim.agent), tool_fault);
  warn_inside_launcher(plan);
  return plan;
}

std::vector<launch::Variable> environment_changes(const RunPlan &plan, const cli::RunOptions &options,
                                                  launch::RunDirectory &directory) {
  if (!options.mpi_calls) return {};
  auto shim = launch::carriable_path(directory, plan.shim.shim);
  auto agent = launch::carriable_path(directory, plan.shim.agent);
  if (launch::agent_is_taken(plan.base, plan.command)) {
    debug(
        "Open MPI's fork agent is left to the user: ranks on other hosts are reached only if the user's own passes LD_PRELOAD "
        "on");
  }
  return launch::plan_changes(plan.base, plan.command, injection(shim, agent, directory.path, directory.run_id));
}

std::string dry_run_text(const RunPlan &plan, const cli::RunOptions &options) {
  std::vector<launch::Variable> changes;
  if (options.mpi_calls) {
    auto directory = launch::run_directory_template(options.output);
    auto planned = [&](const fs::path &file) { return launch::planned_carriable_path(directory, file); };
    changes = launch::plan_changes(
        plan.base, plan.command, injection(planned(plan.shim.shim), planned(plan.shim.agent), directory, launch::make_run_id()));
  }
  std::string text;
  for (const auto &change : changes) text += change.name + '=' + render::shell_quote(change.value) + " \\\n";
  return text + render::shell_line(plan.command) + '\n';
}

}  // namespace scope::app
