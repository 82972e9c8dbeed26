#include "render/headline_text.hpp"

#include "render/escape.hpp"
#include "render/tables.hpp"
#include "render/timeline_tables.hpp"
#include "support/text.hpp"

namespace scope::render {
namespace {

constexpr std::size_t unfinished_named = 3;
constexpr double startup_worth_a_line = 0.05;  ///< of rank time
constexpr double smallest_share = 0.0005;  ///< below, "0.0 %" would claim that it costs nothing

std::string time(std::int64_t ns) { return support::format_ns(static_cast<double>(ns)); }
std::string bytes(std::int64_t count) { return support::format_bytes(static_cast<double>(count)); }

/// "1 rank", "4 ranks".
std::string counted(std::int64_t count, const std::string &one, const std::string &many) {
  return support::format_count(count) + " " + (count == 1 ? one : many);
}
std::string counted(std::int64_t count, const std::string &noun) { return counted(count, noun, noun + "s"); }

/// "Open MPI v4.1.4" of "Open MPI v4.1.4, package: ...", "MPICH Version: 4.0.2" of a text with tabs.
std::string short_library(const std::string &library) {
  std::string out;
  for (char c : library.substr(0, library.find_first_of(",\n"))) {
    if (c != ' ' && c != '\t') out += c;
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  return out;
}

std::string facts(const model::Profile &profile, const analyze::Headline &line) {
  const auto &whole = line.denominators;
  std::string text;
  if (whole.ranks != whole.all_ranks) text += support::format_count(static_cast<std::int64_t>(whole.ranks)) + " of ";
  if (line.worlds == 0 && line.processes > 0) text += counted(static_cast<std::int64_t>(whole.all_ranks), "process without MPI", "processes without MPI");
  else text += counted(static_cast<std::int64_t>(whole.all_ranks), "rank");
  if (line.worlds > 0 && line.processes > 0) text += ", " + support::format_count(line.processes) + " of them without MPI,";
  if (line.worlds > 1) text += " in " + counted(static_cast<std::int64_t>(line.worlds), "MPI world");
  text += " on " + counted(static_cast<std::int64_t>(line.hosts), "host");
  if (const std::string library = short_library(profile.metadata.mpi_library); !library.empty()) text += ", " + library;
  text += ", wall time " + time(line.wall_ns);
  if (profile.metadata.exit_status) text += ", exit status " + std::to_string(profile.metadata.exit_status);
  if (!profile.metadata.label.empty()) text += ", label " + profile.metadata.label;
  return text;
}

std::string incomplete(const model::Profile &profile, const analyze::Headline &line) {
  if (line.reported_ranks >= line.expected_ranks) {
    if (profile.complete) return "";
    return "Incomplete: what some rank recorded could not be read in full.";
  }
  std::string text = "Incomplete: " + support::format_count(line.reported_ranks) + " of " +
                     counted(line.expected_ranks, "rank") + " reported; missing:";
  bool first = true;
  for (const model::World &world : profile.worlds) {
    if (world.missing.empty()) continue;
    text += first ? " " : "; ";
    first = false;
    text += analyze::format_ranks(world.missing);
    if (line.worlds > 1) text += " of world " + std::to_string(world.id);
  }
  return text;
}

std::string unfinished(const analyze::Headline &line) {
  std::string text;
  for (std::size_t i = 0; i < line.unfinished.size() && i < unfinished_named; ++i) {
    const analyze::RankView &rank = line.unfinished[i];
    if (i == 0) text += line.worlds > 0 ? "Did not finish MPI: " : "Did not end by itself: ";
    text += (i ? ", rank " : "rank ") + std::to_string(rank.rank);
    if (line.worlds > 1) text += " of world " + std::to_string(rank.world);
    text += " " + status_text(rank);
    if (!rank.in_call.empty()) text += " in " + rank.in_call;
  }
  if (line.unfinished.size() > unfinished_named)
    text += ", and " + std::to_string(line.unfinished.size() - unfinished_named) + " more";
  return text;
}

std::string startup(const analyze::BetweenInitAndFinalize &between) {
  if (!between.startup_share || *between.startup_share < startup_worth_a_line || !between.mpi_share || !between.parallel) return "";
  return "of which MPI_Init and MPI_Finalize " + time(between.startup_ns) + "; without them MPI is " +
         support::format_percent(*between.mpi_share) + ", parallel efficiency " + support::format_percent(*between.parallel);
}

std::string messages(const analyze::Headline &line) {
  std::string text;
  if (line.p2p_messages) text = "Point-to-point: " + counted(line.p2p_messages, "message") + ", " + bytes(line.p2p_bytes);
  if (line.rma_messages)
    text += (text.empty() ? "One-sided: " : "; one-sided: ") + counted(line.rma_messages, "operation") + ", " +
            bytes(line.rma_bytes);
  if (line.inside_share) text += "; " + support::format_percent(*line.inside_share) + " within a host";
  return text;
}

std::string cost(const analyze::Headline &line) {
  if (line.overhead_ns <= 0) return "";
  std::string text = "Cost of the profiler: " + time(line.overhead_ns);
  if (line.overhead_share && *line.overhead_share < smallest_share) text += ", less than 0.1 % of MPI time";
  else if (line.overhead_share) text += ", " + support::format_percent(*line.overhead_share) + " of MPI time";
  text += " (" + counted(line.calls, "call");
  if (line.regions > 0) text += " and " + counted(line.regions, "region");
  return text + " x calibrated cost)";
}

/// "Slurm job 42 'sim', array index 3, partition short, nodes n[1-2], tasks per node 4(x2), binding cores".
std::string batch_text(const std::map<std::string, std::string> &batch) {
  auto value = [&](const char *key) {
    auto found = batch.find(key);
    return found == batch.end() ? std::string() : found->second;
  };
  if (batch.empty()) return "";
  const std::string system = value("system");
  std::string text = (system == "slurm" ? "Slurm" : system == "pbs" ? "PBS" : system == "lsf" ? "LSF" : system == "flux" ? "Flux" : "Batch") + (" job " + value("id"));
  if (const auto name = value("name"); !name.empty()) text += " '" + name + "'";
  for (auto [key, words] : {std::pair{"array_index", ", array index "}, {"partition", ", partition "}, {"nodes", ", nodes "},
                            {"tasks_per_node", ", tasks per node "}, {"binding", ", binding "}})
    if (const auto fact = value(key); !fact.empty()) text += words + fact;
  return text;
}

}  // namespace

HeadlineText headline_text(const model::Profile &profile, const analyze::Headline &line) {
  HeadlineText text;
  text.command = shell_line(profile.metadata.command);
  text.facts = facts(profile, line);
  text.batch = batch_text(profile.metadata.batch);
  text.incomplete = incomplete(profile, line);
  text.unfinished = unfinished(line);
  if (const auto &e = line.efficiency; e.parallel && e.load_balance && e.communication) {
    text.efficiency = "Parallel efficiency " + support::format_percent(*e.parallel) + " = load balance " +
                      support::format_percent(*e.load_balance) + " x communication " + support::format_percent(*e.communication);
    text.explanation = "(load balance: mean / max of time outside MPI; communication: max time outside MPI / max wall time)";
  }
  if (line.mpi_share && line.worlds > 0)
    text.mpi = "MPI time " + time(line.denominators.mpi_ns) + ": " + support::format_percent(*line.mpi_share) + " of " +
               rank_time_text(line.denominators);
  text.startup = startup(line.between);
  text.waiting = waiting_text(profile);
  text.estimate = estimate_text(profile);
  text.messages = messages(line);
  text.cost = cost(line);
  return text;
}

std::string no_mpi_text(const model::Profile &profile) {
  const std::string status = "exit status " + std::to_string(profile.metadata.exit_status);
  if (profile.worlds.empty() && profile.warnings.empty())
    return "No MPI calls: the program never called MPI_Init (" + status + ").";
  return "No MPI calls were recorded (" + status + ").";
}

}  // namespace scope::render
