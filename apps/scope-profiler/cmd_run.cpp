// `run`: check, start, wait, merge, say what came out.

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>

#include "commands.hpp"
#include "finish.hpp"
#include "gathered.hpp"
#include "launch/batch.hpp"
#include "launch/clock_server.hpp"
#include "launch/rank_watch.hpp"
#include "launch/srun_line.hpp"
#include "launch/supervise.hpp"
#include "messages.hpp"
#include "progress_line.hpp"
#include "rank_ends.hpp"
#include "render/escape.hpp"
#include "run_plan.hpp"
#include "run_series.hpp"
#include "stall_monitor.hpp"
#include "support/error.hpp"

namespace scope::app {

namespace fs = std::filesystem;
using launch::LauncherKind;

namespace {

struct Ended {
  launch::Outcome outcome;
  std::int64_t elapsed_ns = 0;
};

/// The binding that srun's line asks for comes before what the job says.
launch::BatchJob with_binding(launch::BatchJob job, const RunPlan &plan) {
  if (plan.launcher == LauncherKind::srun && !job.system.empty()) {
    if (auto asked = launch::srun_options(plan.command, "--cpu-bind"); !asked.empty()) job.binding = asked.front().text;
  }
  return job;
}

model::Metadata describe(const RunPlan &plan, const cli::RunOptions &options, const launch::RunDirectory &directory) {
  model::Metadata metadata;
  metadata.command = plan.command;
  metadata.label = options.label;
  metadata.tags = options.tags;
  metadata.batch = launch::facts_of(with_binding(launch::batch_job(plan.base), plan));
  metadata.started = utc_now();
  metadata.launcher = launch::to_string(plan.launcher);
  metadata.cpu = cpu_model();
  metadata.exporter = exporter();
  metadata.run_id = directory.run_id;
  return metadata;
}

void leave_description(const launch::RunDirectory &directory, const model::Metadata &metadata) {
  const auto self = launch::own_name();
  launch::write_run_info(directory.path, {metadata.run_id, metadata.label, metadata.started, metadata.launcher, metadata.tags,
                                          metadata.command, self.host, self.pid, self.start_time, boot_id(), metadata.batch});
}

std::string ranks_counted(int count) { return std::to_string(count) + (count == 1 ? " rank" : " ranks"); }

std::string remedy(int error) {
  if (error == EFBIG) return "Raise the limit on file sizes (ulimit -f).";
  if (error == EMFILE || error == ENFILE) return "Raise the limit on open files (ulimit -n).";
  return "Make room there, or write elsewhere with -o.";
}

/// Processes that could not make their live block say why, and so do those that could not make it larger. The latter left a record.
void add_refusals(std::vector<model::Warning> &warnings, const fs::path &directory, model::Collected &collected) {
  std::map<int, int> refused, full;
  for (const auto &refusal : launch::refused_processes(directory)) {
    auto left = [&](const model::RankRecord &record) { return record.pid == refusal.pid && record.host == refusal.host; };
    ++(std::any_of(collected.records.begin(), collected.records.end(), left) ? full : refused)[refusal.error];
  }
  auto why = [&](int error) {
    return support::errno_text(error) + " in " + directory.parent_path().string() + ". " + remedy(error);
  };
  for (auto [error, count] : refused) {
    collected.partial = true;
    warnings.push_back({"ranks-refused", ranks_counted(count) + (count == 1 ? " was" : " were") + " not recorded: " + why(error)});
  }
  for (auto [error, count] : full)
    warnings.push_back({"table-full", ranks_counted(count) + " could not make room for more different calls; their totals are exact: " + why(error)});
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

/// Which of the programs no preloaded library gets into, and what to do; "" where none is known.
std::string unreachable_program(const std::vector<launch::ProgramFile> &programs) {
  for (const auto &program : programs) {
    const auto name = "'" + program.path.string() + "' is ";
    if (program.is_static())
      return name + "statically linked, and the shim can't get into it. Link it dynamically, its MPI library included (no -static).";
    if (program.privileged)
      return name + "set-user-ID or set-group-ID: ld.so preloads nothing into it. Profile a copy without (cp does not keep it).";
  }
  return "";
}

/// Why there are no ranks in the profile. A launcher that ran nothing with MPI is either a user's `mpiexec hostname` or a
/// program that the shim can't get into.
std::vector<model::Warning> no_ranks_warning(const RunPlan &plan, const cli::RunOptions &options,
                                             const model::Collected &collected) {
  if (!options.mpi_calls) return {{mpi_calls_off, "MPI calls were not profiled. With --mpi-calls they are."}};
  auto is_rank = [](const model::RankRecord &record) { return !record.regions_only; };
  if (std::any_of(collected.records.begin(), collected.records.end(), is_rank)) return {};
  if (auto reason = unreachable_program(plan.programs); !reason.empty()) return {{"no-ranks-reported", "No rank reported: " + reason}};
  if (plan.launcher == LauncherKind::none) return {};
  return {{"no-ranks-reported",
           "No rank reported. Likely reasons: no MPI call is made; static or setuid program; env -i; MPI called through dlsym; a "
           "launcher of another MPI ('ldd PROGRAM' names the library); a container or node that does not see '" +
               plan.shim.shim.parent_path().string() + "'."}};
}

/// Nodes of the batch job that no rank reported from, where ranks are missing: a node that failed, or that lacks the tool's folder.
void add_silent_nodes(model::Profile &profile, const RunPlan &plan) {
  const auto nodes = profile.metadata.batch.find("nodes");
  if (profile.complete || nodes == profile.metadata.batch.end()) return;
  auto short_name = [](const std::string &name) { return name.substr(0, name.find('.')); };
  std::set<std::string> heard;
  for (const auto &rank : profile.ranks) heard.insert(short_name(rank.host));
  const auto all = launch::expand_nodes(nodes->second);
  std::string silent;
  std::size_t count = 0;
  for (const auto &node : all) {
    if (heard.contains(short_name(node))) continue;
    if (++count <= 8) silent += (silent.empty() ? "" : ", ") + node;
  }
  if (count == 0 || count == all.size()) return;  // all: the names of hosts are no names of nodes
  if (count > 8) silent += " and " + std::to_string(count - 8) + " more";
  profile.warnings.push_back(
      {"nodes-silent", "No rank reported from " + silent + ". Did the node fail, and does it see '" + plan.shim.shim.parent_path().string() +
                           "' and the directory of the profile? In a container both need a bind path."});
}

/// Runs of a job array, or of two shells. What became NAME.old just now, or since, is younger than this run.
void warn_of_others(const launch::RunDirectory &directory, const std::string &output) {
  if (!launch::written_since(directory.path, output + ".old")) return;
  warn("another run wrote to '" + output + "' at the same time. The last two profiles are kept, as '" + output + "' and '" + output +
       ".old'. Give each run a name of its own with -o (the tasks of a job array: their number in it).");
}

/// Nodes that handed over what they had said of themselves before.
void leave_out_delivered(Gathered &gathered, const model::Collected &collected) {
  std::set<std::string> reported;
  for (const auto &record : collected.records) reported.insert(record.boot_id);
  std::erase_if(gathered.away, [&](const auto &host) { return !host.stranded && reported.count(host.boot_id); });
}

/// Everything after the program's end. The exit code is the program's, whatever becomes of the profile.
bool finish_run(const RunPlan &plan, const cli::RunOptions &options, const launch::RunDirectory &directory, model::Metadata metadata,
                const Ended &ended, const StallMonitor *stalls, const Take &take) {
  const launch::Outcome &outcome = ended.outcome;
  metadata.exit_status = launch::exit_code_of(outcome.wait_status);
  auto gathered = gather(directory.path);
  ProgressLine line;
  auto collected = model::collect_files(gathered.files, directory.run_id, line.of("read", "files"));
  cli::refine_recovered(collected.records, boot_id());
  cli::apply_rank_ends(collected.records, outcome.rank_ends, plan.launcher, metadata.exit_status);
  auto warnings = no_ranks_warning(plan, options, collected);
  if (options.mpi_calls && !warnings.empty()) collected.partial = true;
  add_refusals(warnings, directory.path, collected);
  if (options.mpi_calls) add_mismatch(warnings, plan, collected);
  std::vector<model::Finding> findings;
  if (stalls && stalls->warning()) {
    warnings.insert(warnings.begin(), *stalls->warning());
    findings.push_back(*stalls->finding());
  }
  TimelineFiles timeline{gathered.traces, options.output, boot_id()};
  auto profile = merged_profile(collected, std::move(metadata), warnings, findings, timeline, line.of("merged", "ranks"));
  line.clear();
  if (options.collect == "mpi" && profile.complete) leave_out_delivered(gathered, collected);
  auto elsewhere = data_elsewhere(gathered, directory.path, options.output);
  if (elsewhere) profile.warnings.insert(profile.warnings.begin(), elsewhere->warning);
  if (profile.metadata.batch.empty() && plan.launcher == LauncherKind::srun && !profile.worlds.empty())
    profile.metadata.batch = launch::facts_of(with_binding(launch::batch_job_of_world(profile.worlds.front().key), plan));
  add_silent_nodes(profile, plan);
  bool complete = profile.complete = profile.complete && !elsewhere;
  take(std::move(profile), ended.elapsed_ns);
  if (!options.repeat && options.versus.empty()) warn_of_others(directory, options.output);  // a series writes the file itself again and again
  if (!options.keep_dumps.empty()) {
    launch::copy_rank_files(directory.path, options.keep_dumps);
    for (const auto &local : gathered.local) launch::copy_rank_files(local, options.keep_dumps);
  }
  for (const auto &local : gathered.local) launch::remove_run_directory({local, "", {}});
  if (elsewhere) {
    launch::remove_links(directory);
    for (const auto &line : elsewhere->lines) info("to fetch and merge: " + line);
  } else {
    launch::remove_run_directory(directory);
  }
  return complete;
}

bool finish_or_keep(const RunPlan &plan, const cli::RunOptions &options, const launch::RunDirectory &directory,
                    const model::Metadata &metadata, const Ended &ended, const StallMonitor *stalls, const Take &take) {
  try {
    return finish_run(plan, options, directory, metadata, ended, stalls, take);
  } catch (const std::exception &failure) {
    launch::remove_links(directory);
    warn(failure.what());
    std::error_code error;
    if (!fs::exists(directory.path, error)) warn("the program, or someone else, has removed the run directory: there is no profile");
    else warn("what the ranks left is kept. Next: " +
              render::shell_line({"scope-profiler", "merge", directory.path.string(), "-o", options.output}));
    return false;
  }
}

/// Starts the program; a run directory that it never used is removed.
Ended start(const RunPlan &plan, const cli::RunOptions &options, launch::RunDirectory &directory, const model::Metadata &metadata,
            const launch::SignalGate &gate, StallMonitor *stalls) {
  try {
    leave_description(directory, metadata);
    std::optional<launch::ClockServer> clock;
    if (listens(options)) clock.emplace(directory.run_id, directory.path);
    if (asks_for_clock(options) && clock && !clock->problem().empty())
      warn("ranks of other hosts can't ask for this one's clock (" + clock->problem() + "); their messages must tell");
    auto changes = environment_changes(plan, options, directory, clock ? clock->port() : 0);
    auto [words, environment] = make_launch(plan, changes, true);
    launch::Command command{plan.program, std::move(words), std::move(environment)};
    launch::Timer timer;
    if (stalls) timer = {stalls->period_ns(), [stalls] { return stalls->look(); }};
    auto began = launch::monotonic_ns();
    auto outcome = launch::supervise(command, directory.path, gate, stalls ? &timer : nullptr);
    return {std::move(outcome), static_cast<std::int64_t>(launch::monotonic_ns() - began)};
  } catch (const support::Error &) {
    launch::remove_run_directory(directory);
    throw;
  }
}

}  // namespace

RunEnd run_once(const RunPlan &plan, const cli::RunOptions &options, const launch::SignalGate &gate, const Take &take) {
  auto directory = launch::make_run_directory(options.output);
  auto metadata = describe(plan, options, directory);
  std::optional<StallMonitor> monitor;
  if (options.mpi_calls && options.stall_timeout > 0) monitor.emplace(options, directory);
  StallMonitor *stalls = monitor ? &*monitor : nullptr;
  auto ended = start(plan, options, directory, metadata, gate, stalls);
  // Launchers that are asked to end may say 0 then (hydra does so at times). A job that did not get through must not look good.
  if (stalls && stalls->aborted() && ended.outcome.wait_status == 0) ended.outcome.wait_status = SIGTERM;
  RunEnd end;
  end.code = launch::exit_code_of(ended.outcome.wait_status);
  end.signal = ended.outcome.signal;
  if (stalls) stalls->ended(end.code);
  end.complete = finish_or_keep(plan, options, directory, metadata, ended, stalls, take);
  return end;
}

int run_command(const cli::CommandLine &given) {
  auto line = given;
  expand_names(line.run);
  const auto &options = line.run;
  auto plan = make_plan(options);
  if (options.repeat || !options.versus.empty()) return run_series(plan, line);
  if (options.dry_run) {
    std::fputs(dry_run_text(plan, options).c_str(), stdout);
    return 0;
  }
  if (!options.keep_dumps.empty()) launch::prepare_directory(options.keep_dumps, "--keep-dumps");
  launch::SignalGate gate;
  auto end = run_once(plan, options, gate, [&line, &options](model::Profile profile, std::int64_t) {
    model::write_profile(profile, options.output, per_rank_form(options.per_rank));
    show_summary(profile, options.output, line.common);
  });
  return !end.complete && options.strict && end.code == 0 ? tool_fault : end.code;
}

}  // namespace scope::app
