#include "doctor_findings.hpp"

#include <algorithm>
#include <sstream>

#include "support/error.hpp"

namespace scope::cli {

using launch::LauncherKind;
using render::Cell;
using render::Remark;
using render::Table;

namespace {

constexpr char barrier[] = "MPI_Barrier";

bool says(const std::string &text, const char *words) { return text.find(words) != std::string::npos; }

/// The first line that is no frame or blank: launchers draw lines around what they have to say.
std::string first_words(const std::string &output) {
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) {
    bool has_words = std::any_of(line.begin(), line.end(), [](unsigned char c) { return std::isalpha(c); });
    if (has_words) return line.substr(line.find_first_not_of(" \t"));
  }
  return "";
}

/// "N" for one rank after the other: "1, 1".
std::string joined(const std::vector<std::int64_t> &numbers) {
  std::string text;
  for (auto number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

std::vector<std::int64_t> barriers_by_rank(const model::Profile &profile) {
  auto is_barrier = [](const model::CallRow &call) { return call.name == barrier; };
  auto found = std::find_if(profile.calls.begin(), profile.calls.end(), is_barrier);
  std::vector<std::int64_t> calls(profile.ranks.size(), 0);
  if (found == profile.calls.end()) return calls;
  return {found->per_rank.calls.begin(), found->per_rank.calls.end()};
}

std::string sentence(const std::string &text) { return text + (text.ends_with('.') ? "" : "."); }

std::optional<Verdict> launcher_failed(const ProofFacts &facts) {
  if (facts.timed_out) {
    return Verdict{false, "time-limit", "no end after " + std::to_string(proof_seconds) + " s",
                   "Try the launcher by itself: LAUNCHER -n 2 hostname."};
  }
  if (facts.exit_code == 0) return std::nullopt;
  if (says(facts.output, "run as root") || says(facts.output, "RUN_AS_ROOT")) {
    return Verdict{false, "run-as-root", "refused to run as root",
                   "Run doctor as another user; or, in a container, set OMPI_ALLOW_RUN_AS_ROOT=1 and "
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1."};
  }
  if (says(facts.output, "not enough slots")) {
    return Verdict{false, "too-few-slots", "too few slots for 2 ranks",
                   "Ask for 2 slots (a hostfile, an allocation), or set OMPI_MCA_rmaps_base_oversubscribe=1."};
  }
  auto words = first_words(facts.output);
  return Verdict{false, "launcher-failed",
                 "ended with exit code " + std::to_string(facts.exit_code) + (words.empty() ? "" : ": " + words),
                 "Try the launcher by itself: LAUNCHER -n 2 hostname; -v shows all that it said."};
}

std::string launcher_name(const LauncherFinding &finding) { return finding.launcher.path.string(); }

/// The family of MPI libraries that a launcher starts; of launchers that serve several it is not known.
Cell family_cell(LauncherKind kind) {
  if (kind == LauncherKind::openmpi) return {std::string("openmpi"), "Open MPI"};
  if (kind == LauncherKind::hydra) return {std::string("mpich"), "MPICH"};
  return {};
}

Cell text(const std::string &value) { return value.empty() ? Cell{} : Cell{value, ""}; }

Table files_table(const std::vector<FileFinding> &files) {
  Table table{"files", "Files", "", {{"what", "File"}, {"path", "Path"}, {"state", "State"}}, {}, 0};
  for (const auto &file : files) {
    table.rows.push_back({text(file.what), text(file.path.string()), text(file.fault.empty() ? "good" : "bad")});
  }
  return table;
}

Table launchers_table(const std::vector<LauncherFinding> &launchers) {
  using render::Type;
  Table table{"launchers", "MPI launchers on PATH", "", {}, {}, 0};
  table.columns = {{"path", "Launcher", Type::text},         {"names", "Other names", Type::text, true, 3},
                   {"family", "Family", Type::text},         {"version", "Version", Type::text},
                   {"library", "Library", Type::text, true, 2}, {"interception", "Interception", Type::text}};
  for (const auto &finding : launchers) {
    std::string names;
    for (const auto &name : finding.launcher.names) names += (names.empty() ? "" : " ") + name;
    std::string state = !finding.verdict ? "not tried" : finding.verdict->proven ? "proven" : "not proven";
    table.rows.push_back({text(launcher_name(finding)), text(names), family_cell(finding.launcher.kind),
                          text(finding.launcher.version), text(finding.library), text(state)});
  }
  return table;
}

std::string conclusion(const std::vector<Remark> &problems) {
  if (problems.empty()) return "Everything works: two ranks ran, and every MPI call of theirs was seen.";
  return std::to_string(problems.size()) + (problems.size() == 1 ? " problem" : " problems");
}

}  // namespace

Verdict judge(const ProofFacts &facts) {
  if (auto failed = launcher_failed(facts)) return *failed;
  const auto &profile = facts.profile;
  if (!facts.refusals.empty()) {
    return {false, "no-block", "ranks could not record: " + support::errno_text(facts.refusals.begin()->first),
            "Look at the temporary directory (TMPDIR): there must be room, and ranks must be able to write there."};
  }
  if (profile.worlds.empty()) {
    return {false, "not-intercepted", "the ranks ran, and none of their MPI calls was seen",
            "Does the launcher pass LD_PRELOAD on, and do its ranks see the temporary directory (TMPDIR)?"};
  }
  const auto &world = profile.worlds.front();
  if (profile.worlds.size() > 1 || world.size != proof_ranks) {
    auto found = profile.worlds.size() > 1 ? std::to_string(profile.worlds.size()) + " MPI worlds"
                                           : "an MPI world of size " + std::to_string(world.size);
    return {false, "worlds-apart", found + ", where there should be one of size 2",
            "The launcher belongs to another MPI than the library that was found: LD_LIBRARY_PATH decides which that is."};
  }
  if (!world.complete) {
    return {false, "ranks-missing", std::to_string(world.ranks_reported) + " of 2 ranks reported",
            "Do all ranks see the temporary directory (TMPDIR)?"};
  }
  auto barriers = barriers_by_rank(profile);
  if (barriers != std::vector<std::int64_t>(proof_ranks, 1)) {
    return {false, "wrong-counts", "the ranks called MPI_Barrier once each, and " + joined(barriers) + " calls were counted",
            "Another tool may stand between: look at LD_PRELOAD."};
  }
  return {true, "proven", "2 of 2 ranks reported, with one MPI_Barrier each", ""};
}

std::vector<Remark> problems_of(const DoctorFindings &findings) {
  auto problems = findings.faults;
  for (const auto &file : findings.files) {
    if (!file.fault.empty()) problems.push_back({file.what, "The " + file.what + " '" + file.path.string() + "' " + file.fault});
  }
  bool tried = false;
  for (const auto &finding : findings.launchers) {
    tried = tried || finding.verdict;
    if (!finding.verdict || finding.verdict->proven) continue;
    const auto &verdict = *finding.verdict;
    auto advice = verdict.advice.empty() ? "" : ' ' + verdict.advice;
    problems.push_back({verdict.id, launcher_name(finding) + ": " + sentence(verdict.text) + advice});
  }
  if (!tried && problems.empty()) {
    problems.push_back({"no-launcher", "No launcher of Open MPI or MPICH is on PATH, so nothing could be proven. Load or install "
                                       "one, or put its directory in PATH."});
  }
  return problems;
}

std::vector<Remark> hints_of(const launch::Surroundings &surroundings) {
  std::vector<Remark> hints;
  if (!surroundings.preload.empty()) {
    hints.push_back({"preload", "LD_PRELOAD is set (" + surroundings.preload +
                                    "). It is kept, behind the shim: MPI tools in it see every call."});
  }
  if (surroundings.temporary_noexec) {
    hints.push_back({"noexec", "'" + surroundings.temporary.string() +
                                   "' is mounted noexec: programs that are built there can't be started. The shim is not "
                                   "affected."});
  }
  if (!surroundings.hidepid.empty()) {
    hints.push_back({"hidepid", "/proc hides processes of others (hidepid=" + surroundings.hidepid +
                                    "): of ranks that run under another user it is not known how they ended."});
  }
  if (!surroundings.counter_is_good) {
    hints.push_back({"clock", "The CPU does not say constant_tsc and nonstop_tsc, so ranks read the time with clock_gettime: "
                              "recording a call costs about 55 ns, twice as much as with the counter."});
  }
  return hints;
}

bool works(const DoctorFindings &findings) { return problems_of(findings).empty(); }

render::Document doctor_document(const DoctorFindings &findings) {
  auto problems = problems_of(findings);
  render::Document document;
  document.headline = "scope-profiler " + findings.version;
  document.facts = {{"version", findings.version}, {"works", problems.empty()}};
  document.tables = {files_table(findings.files), launchers_table(findings.launchers)};
  document.conclusion = conclusion(problems);
  document.remarks = {{"problems", "Problems", std::move(problems), true},
                      {"hints", "Hints", hints_of(findings.surroundings), false}};
  return document;
}

render::Document problems_document(const DoctorFindings &findings) {
  render::Document document;
  document.remarks = {{"problems", "Problems", problems_of(findings), true}};
  return document;
}

}  // namespace scope::cli
