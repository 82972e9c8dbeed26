// `doctor`: does profiling work here? Runs two ranks of a probe under every launcher, by the same way as `run`.

#include <unistd.h>

#include <cstdio>
#include <sstream>

#include "commands.hpp"
#include "doctor_findings.hpp"
#include "finish.hpp"
#include "launch/supervise.hpp"
#include "messages.hpp"
#include "render/coverage.hpp"
#include "run_plan.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "terminal.hpp"

namespace scope::app {

namespace fs = std::filesystem;
using launch::LauncherKind;
using support::Error;

namespace {

constexpr std::uint64_t limit_ns = cli::proof_seconds * std::uint64_t{1'000'000'000};

/// A run directory in the temporary directory, gone at the end.
struct Room {
  launch::RunDirectory directory;
  explicit Room(const fs::path &temporary) : directory(launch::make_run_directory(temporary / "doctor.json")) {}
  ~Room() { launch::remove_run_directory(directory); }
  Room(const Room &) = delete;
  Room &operator=(const Room &) = delete;
  fs::path output() const { return directory.path / "output"; }
};

/// Runs apart and reads what was written.
launch::Outcome run_apart(launch::Command command, const Room &room, bool watch, const launch::SignalGate &gate,
                          std::string *output) {
  command.apart = launch::Apart{room.output(), limit_ns};
  auto outcome = launch::supervise(command, watch ? room.directory.path : fs::path(), gate);
  if (outcome.signal) throw Error("interrupted.", 128 + outcome.signal);
  *output = support::read_file(room.output());
  return outcome;
}

/// What ld.so says when a program starts with the shim; "" is good.
std::string preload_fault(const fs::path &shim, const fs::path &temporary, const launch::SignalGate &gate) {
  auto base = launch::current_environment();
  auto harmless = launch::find_program("true", launch::value_of(base, "PATH"));
  if (harmless.path.empty() || harmless.error) return "";
  Room room(temporary);
  auto path = launch::carriable_path(room.directory, shim);
  launch::Command command{harmless.path, {"true"}, launch::apply_changes(base, {{"LD_PRELOAD", path.string()}})};
  std::string output;
  auto outcome = run_apart(std::move(command), room, false, gate, &output);
  auto code = launch::exit_code_of(outcome.wait_status);
  if (code == 0 && output.empty()) return "";
  output.erase(output.find_last_not_of('\n') + 1);
  return "can't be preloaded (exit code " + std::to_string(code) + " of '" + harmless.path.string() + "'): " + output;
}

cli::FileFinding look_at(const std::string &what, const fs::path &path) {
  std::error_code ignored;
  return {what, path, fs::exists(path, ignored) ? "" : "is missing. Build or install the tool again."};
}

/// The library that the probe finds for the launcher, "" for none.
std::string library_of(const launch::DistinctLauncher &launcher, const fs::path &probe) {
  std::vector<std::string> words{"--which", launch::to_string(launcher.kind)};
  for (auto &candidate : launch::library_candidates(launcher.kind, launcher.file)) words.push_back(candidate);
  std::istringstream output(launch::output_of(probe, words));
  for (std::string line; std::getline(output, line);) {
    if (line.starts_with('/')) return line;
  }
  return "";
}

/// As `run --mpi-calls LAUNCHER -n 2 PROBE` up to the merge.
cli::ProofFacts prove(const launch::DistinctLauncher &launcher, const std::string &library, const fs::path &probe,
                      const fs::path &temporary, const launch::SignalGate &gate) {
  cli::RunOptions options;
  options.mpi_calls = true;
  options.collect = "files";  // its directory has no description by which ranks would know it
  options.command = {launcher.path.string(), "-n", std::to_string(cli::proof_ranks), probe.string(), "--run",
                     launch::to_string(launcher.kind), library};
  auto plan = make_plan(options);
  Room room(temporary);
  auto changes = environment_changes(plan, options, room.directory);
  launch::Command command{plan.program, plan.command, launch::apply_changes(plan.base, changes)};
  cli::ProofFacts facts;
  auto outcome = run_apart(std::move(command), room, true, gate, &facts.output);
  facts.exit_code = launch::exit_code_of(outcome.wait_status);
  facts.timed_out = outcome.timed_out;
  facts.refusals = launch::refusals(room.directory.path);
  model::Metadata metadata;
  metadata.command = plan.command;
  metadata.run_id = room.directory.run_id;
  facts.profile = model::merge(model::collect(room.directory.path, room.directory.run_id), std::move(metadata));
  return facts;
}

void debug_lines(const std::string &launcher, const std::string &output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) debug(launcher + ": " + line);
}

cli::Verdict try_launcher(const cli::LauncherFinding &finding, const fs::path &probe, const fs::path &temporary,
                          const launch::SignalGate &gate) {
  if (finding.library.empty()) {
    return {false, "no-library", "its MPI library was not found",
            "Is it installed? LD_LIBRARY_PATH says where else than beside the launcher it is looked for."};
  }
  auto facts = prove(finding.launcher, finding.library, probe, temporary, gate);
  auto verdict = cli::judge(facts);
  if (!verdict.proven) debug_lines(finding.launcher.path.string(), facts.output);
  return verdict;
}

/// Launchers with their libraries, before any of them is tried.
std::vector<cli::LauncherFinding> find_launchers(const launch::Environment &environment, const fs::path &probe) {
  auto version_of = [](const fs::path &program) { return launch::output_of(program, {"--version"}); };
  std::vector<cli::LauncherFinding> findings;
  for (auto &launcher : launch::distinct(launch::find_launchers(launch::value_of(environment, "PATH"), version_of))) {
    auto library = library_of(launcher, probe);
    findings.push_back({std::move(launcher), std::move(library), std::nullopt});
  }
  return findings;
}

/// What needs a place to write to; an Error says why there is none.
void try_all(cli::DoctorFindings &findings, const launch::ShimPaths &paths) {
  const auto &temporary = findings.surroundings.temporary;
  std::error_code error;
  if (!fs::is_directory(temporary, error))
    throw Error("the temporary directory '" + temporary.string() + "' is not there. Set TMPDIR to a directory.");
  launch::prepare_directory(temporary, "TMPDIR");
  launch::SignalGate gate;
  auto &shim = findings.files.front();
  if (shim.fault.empty()) shim.fault = preload_fault(paths.shim, temporary, gate);
  for (const auto &file : findings.files) {
    if (!file.fault.empty()) return;
  }
  for (auto &finding : findings.launchers) {
    auto kind = finding.launcher.kind;
    if (kind != LauncherKind::openmpi && kind != LauncherKind::hydra) continue;
    try {
      finding.verdict = try_launcher(finding, paths.probe, temporary, gate);
    } catch (const Error &failure) {
      if (failure.exit_code() > 128) throw;
      finding.verdict = cli::Verdict{false, "not-started", failure.what(), ""};
    }
  }
}

cli::DoctorFindings examine() {
  cli::DoctorFindings findings;
  auto environment = launch::current_environment();
  auto paths = launch::shim_paths(launch::own_executable());
  findings.version = SCOPE_VERSION;
  findings.surroundings = launch::look_around(environment);
  findings.files = {look_at("shim", paths.shim), look_at("agent", paths.agent), look_at("probe", paths.probe), look_at("region-recorder", paths.region)};
  findings.launchers = find_launchers(environment, paths.probe);
  try {
    try_all(findings, paths);
  } catch (const Error &failure) {
    if (failure.exit_code() > 128) throw;
    findings.faults.push_back({"temporary-directory", failure.what()});
  }
  return findings;
}

void print(const render::Document &document, const cli::CommandLine &line) {
  auto style = style_for_descriptor(1, line.common.color);
  // A log and grep want lines in full, and of the coverage every word counts.
  if (!isatty(1) || line.doctor.coverage) style.width = 0;
  auto text = render::document(document, line.doctor.format, style);
  bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (!written && errno != EPIPE) throw Error("cannot write to standard output: " + support::errno_text(errno) + ".");
}

}  // namespace

int doctor_command(const cli::CommandLine &line) {
  if (line.doctor.coverage) {
    print(render::coverage_document(model::coverage()), line);
    return 0;
  }
  if (line.doctor.format == "csv") throw Error("--format csv holds one table, and doctor has two; use json, or --coverage.");
  auto findings = examine();
  bool alone = line.common.quiet && line.doctor.format == "text";
  print(alone ? cli::problems_document(findings) : cli::doctor_document(findings), line);
  return cli::works(findings) ? 0 : 1;
}

}  // namespace scope::app
