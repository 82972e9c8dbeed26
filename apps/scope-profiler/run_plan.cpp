#include "run_plan.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "commands.hpp"
#include "finish.hpp"
#include "launch/batch.hpp"
#include "launch/clock_server.hpp"
#include "launch/process.hpp"
#include "launch/srun_line.hpp"
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
/// The first of them says so.
void warn_inside_launcher(const RunPlan &plan) {
  if (plan.launcher != LauncherKind::none) return;
  for (const char *name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    const auto rank = launch::value_of(plan.base, name);
    if (rank && *rank != "0") return;
    if (rank) break;
  }
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

/// They return at once, and the job starts elsewhere, later.
void refuse_submission(const std::vector<std::string> &command) {
  const auto name = fs::path(command.front()).filename();
  if (name == "sbatch" || name == "qsub")
    throw Error("'" + name.string() + "' only puts the job into the queue, so there would be nothing to profile. Put 'scope-profiler run' in front of "
                "srun or mpiexec in the job's script.",
                tool_fault);
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
  refuse_submission(plan.command);
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

Launch make_launch(const RunPlan &plan, const std::vector<launch::Variable> &changes, bool aloud) {
  Launch result{plan.command, launch::apply_changes(plan.base, changes)};
  const auto line = plan.launcher == LauncherKind::srun ? plan.command : std::vector<std::string>{};
  auto change = launch::export_to_tasks(line, plan.base, changes);
  if (!line.empty()) result.words = change.words;
  if (change.variable) result.environment = launch::apply_changes(std::move(result.environment), {{"SLURM_EXPORT_ENV", *change.variable}});
  if (!aloud || change.told.empty()) return result;
  if (change.problem.empty())
    info(change.told + " keeps the environment from the ranks: the variables of the profiler were added to it, and no others. --dry-run shows them.");
  else
    warn(change.told + " keeps the profiler from the ranks, and it can't be added: " + change.problem + ". Use --export=ALL.");
  return result;
}

void expand_names(cli::RunOptions &options) {
  const auto parts = launch::name_parts(launch::batch_job(launch::current_environment()));
  options.output = launch::expand_name(options.output, parts, "-o");
  options.keep_dumps = launch::expand_name(options.keep_dumps, parts, "--keep-dumps");
}

std::string dry_run_text(const RunPlan &plan, const cli::RunOptions &options) {
  auto directory = launch::run_directory_template(options.output);
  auto planned = [&](const fs::path &file) { return launch::planned_carriable_path(directory, file); };
  const auto port = listens(options) ? launch::planned_clock_port : "";
  auto changes =
      launch::plan_changes(plan.base, plan.command, injection(plan, options, directory, launch::make_run_id(), port, planned));
  const auto launch = make_launch(plan, changes, false);
  std::string text;
  for (auto &change : changes) text += change.name + '=' + render::shell_quote(change.value) + " \\\n";
  if (auto list = launch::value_of(launch.environment, "SLURM_EXPORT_ENV"); list != launch::value_of(plan.base, "SLURM_EXPORT_ENV"))
    text += "SLURM_EXPORT_ENV=" + render::shell_quote(*list) + " \\\n";
  return text + render::shell_line(launch.words) + '\n';
}

}  // namespace scope::app
