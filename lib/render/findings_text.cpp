#include "render/findings_text.hpp"

#include "analyze/filter.hpp"
#include "support/text.hpp"

namespace scope::render {
namespace {

using analyze::Fact;

double number(const Fact &fact, const char *name) {
  const auto found = fact.evidence.find(name);
  return found == fact.evidence.end() ? 0 : found->second;
}

std::string time(const Fact &fact, const char *name) { return support::format_ns(number(fact, name)); }
std::string count(const Fact &fact, const char *name) { return support::format_count(static_cast<std::int64_t>(number(fact, name))); }
std::string bytes(const Fact &fact, const char *name) { return support::format_bytes(number(fact, name)); }
std::string percent(const Fact &fact, const char *name) { return support::format_percent(number(fact, name)); }

std::string ranks(const Fact &fact) { return (fact.ranks.size() == 1 ? "rank " : "ranks ") + analyze::format_ranks(fact.ranks); }

/// "computation in region solve", "MPI_Recv outside of regions".
std::string origin(const Fact &fact) {
  return (fact.origin.empty() ? "computation" : fact.origin) + (fact.region.empty() ? "" : " in region " + fact.region);
}

std::string imbalance_in_timeline(const Fact &fact, const std::string &lost) {
  const std::string who = fact.ranks.empty() ? "each other" : ranks(fact);
  std::string text = "Ranks wait for " + who + " in collectives, most of all in " + fact.subject + ": " + lost + " on average over all. ";
  if (!fact.ranks.empty()) text += "Most of it is due to " + origin(fact) + (fact.ranks.size() == 1 ? " of that rank" : " of these ranks") + ". ";
  return text + "(From the timeline: who entered last, and what it did before.) Next: report --by delay; share out more evenly what that is, or overlap it with a nonblocking collective.";
}

std::string late_sender_in_timeline(const Fact &fact, const std::string &lost) {
  std::string text = "Receives wait for messages that are not sent yet: " + lost + " a rank on average, most of all in " + fact.subject;
  if (!fact.ranks.empty()) text += ", most of it for those of rank " + analyze::format_ranks(fact.ranks) + " (" + time(fact, "for_that_rank_ns") + ")";
  return text + ". Most delay is due to " + origin(fact) + ". (From the timeline: begin of send and receive.) Next: send earlier, or receive with MPI_Irecv and compute meanwhile; "
                "report --by wait.";
}

std::string imbalance(const Fact &fact, const std::string &lost) {
  if (fact.from_timeline) return imbalance_in_timeline(fact, lost);
  std::string text = "Ranks wait for " + ranks(fact) + " in collectives, most of all in " + fact.subject + ": " + time(fact, "others_wait_ns") +
                     " those that wait, " + lost + " on average over all. ";
  if (number(fact, "from_computation") > 0)
    return text + "It computes " + time(fact, "computes_longer_ns") + " longer than the others do on average (the rank with the least time in a collective came last). Next: see "
                  "what it does more, with --callsites or regions, and share the work out more evenly.";
  return text + "It does not compute longer, so something else keeps it: messages, files, or waits of its own (the rank with the least time in a collective came "
                "last). Next: report --by call --ranks " + analyze::format_ranks(fact.ranks) + ".";
}

std::string late_sender(const Fact &fact, const std::string &lost) {
  if (fact.from_timeline) return late_sender_in_timeline(fact, lost);
  std::string text = "Receives wait for messages: " + lost + " a rank on average, most of it for those of rank " + analyze::format_ranks(fact.ranks) + " (" +
                     time(fact, "for_that_rank_ns") + "). ";
  const double longer = number(fact, "computes_longer_ns");
  if (longer * 2 >= number(fact, "for_that_rank_ns"))
    text += "It computes " + support::format_ns(longer) + " longer than the others. ";
  return text + "(Estimated without a timeline: what receives and waits for receives take beyond 5 us and 1 ns a byte.) Next: send earlier, or receive with "
                "MPI_Irecv and compute meanwhile.";
}

std::string chain(const Fact &fact, const std::string &lost) {
  return "Ranks " + analyze::format_ranks({fact.ranks.front()}) + " to " + analyze::format_ranks({fact.ranks.back()}) +
         " work one after the other: every message goes to the next rank, and each waits longer than the one before it, the last " +
         time(fact, "last_waits_ns") + "; " + lost + " a rank on average. (From who sends to whom, and what receives take beyond a transfer.) Next: split what is passed on "
         "into pieces, so that a rank begins before the one before it has finished, or exchange by a collective.";
}

std::string outlier_node(const Fact &fact) {
  return "All ranks of host " + fact.subject + " (" + ranks(fact) + ") compute longer than every other rank, by " + time(fact, "computes_longer_ns") +
         " on average. (Wall time outside MPI, by host.) Next: compare that host's clock rate, memory and other load; or leave it out of the job.";
}

std::string outlier_rank(const Fact &fact) {
  return "Rank " + analyze::format_ranks(fact.ranks) + " on host " + fact.subject + " computes " + time(fact, "computes_longer_ns") +
         " longer than the others do on average, which differ by " + time(fact, "others_spread_ns") +
         " among themselves. (Wall time outside MPI.) Next: see whether it has more work, or shares its core.";
}

std::string small_messages(const Fact &fact, const std::string &lost) {
  return percent(fact, "messages_share") + " of the messages are small: " + count(fact, "messages") + " of " + bytes(fact, "mean_bytes") +
         " on average, which cost " + lost + " a rank even without waiting. (Calls times the fastest call of each kind, sends and receives of at most " +
         support::format_bytes(static_cast<double>(analyze::small_message_bytes)) + ".) Next: send several in one message, or use a collective.";
}

std::string eager_messages(const Fact &fact, const std::string &lost) {
  return count(fact, "messages") + " messages of " + bytes(fact, "mean_bytes") + " on average have a size that MPI libraries commonly send eagerly, by copying it on both "
         "sides: " + lost + " a rank even without waiting. (Calls times the fastest call of each kind, " +
         support::format_bytes(static_cast<double>(analyze::eager_from_bytes)) + " to " + support::format_bytes(static_cast<double>(analyze::eager_to_bytes)) +
         ".) Next: post receives before the sends arrive, and try the library's eager limit (Open MPI: --mca btl_NAME_eager_limit).";
}

std::string dominant_pair(const Fact &fact, const std::string &lost) {
  return "Ranks " + analyze::format_ranks(fact.ranks) + " exchange " + percent(fact, "bytes_share") + " of all point-to-point bytes (" + bytes(fact, "bytes") +
         "), and spend " + lost + " a rank of the job in messages. (From who sends how much to whom.) Next: share that exchange out over more ranks, and place the "
         "two on one node.";
}

std::string polling(const Fact &fact, const std::string &lost) {
  return "The program asks again and again whether something has come: " + count(fact, "calls") + " calls, most of the time in " + fact.subject + ", " + lost +
         " a rank on average. (Time in MPI_Test*, MPI_Iprobe and their kind.) Next: wait in MPI_Wait* or MPI_Probe where there is nothing else to do, or ask less often.";
}

std::string communicator(const Fact &fact, const std::string &lost) {
  const std::string name = fact.subject.empty() ? "" : " (" + fact.subject + ")";
  return "Communicator " + count(fact, "communicator") + name + " of " + count(fact, "size") + " ranks has " + percent(fact, "mpi_share") +
         " of the time in calls on communicators: " + lost + " a rank of the job, " + count(fact, "calls") + " calls. (Time by communicator.) Next: report --by comm, and who of its ranks "
         "comes late.";
}

std::string file_io(const Fact &fact, const std::string &lost) {
  return "Files take " + lost + " a rank on average, most of it in " + fact.subject + ": " + count(fact, "calls") + " calls, " + bytes(fact, "bytes") +
         ". (Time in MPI_File_* calls.) Next: write less often and more at once, with collective calls (MPI_File_write_all), or while computing (MPI_File_iwrite).";
}

std::string incomplete(const Fact &fact) {
  return count(fact, "ranks_missing") + " of " + count(fact, "ranks") + " ranks did not report (" + ranks(fact) +
         "): whatever is said of balance and totals lacks them. Next: the warnings say why.";
}

std::string overhead(const Fact &fact) {
  return "Recording took " + percent(fact, "overhead_share") + " of the ranks' time: the program makes so many calls (" + count(fact, "calls") +
         ") that times of the shortest ones are inflated. (Calls times the cost of recording one, measured at the start.) Next: trust counts and bytes; compare wall "
         "time with a run without the tool.";
}

std::string negligible(const Fact &fact) {
  return "MPI takes " + percent(fact, "mpi_share") + " of the time between MPI_Init and MPI_Finalize: there is little to gain in it. (MPI time of wall time, all ranks.) "
         "Next: look at what the ranks compute, with a profiler for that (perf), or mark regions.";
}

}  // namespace

std::string fact_text(const Fact &fact, std::int64_t run_ns) {
  std::string lost = support::format_ns(static_cast<double>(fact.lost_ns));
  if (run_ns > 0) lost += " (" + support::format_percent(static_cast<double>(fact.lost_ns) / static_cast<double>(run_ns)) + " of the run)";
  if (fact.id == "load-imbalance") return imbalance(fact, lost);
  if (fact.id == "late-sender") return late_sender(fact, lost);
  if (fact.id == "serialised-chain") return chain(fact, lost);
  if (fact.id == "outlier-node") return outlier_node(fact);
  if (fact.id == "outlier-rank") return outlier_rank(fact);
  if (fact.id == "small-messages") return small_messages(fact, lost);
  if (fact.id == "eager-messages") return eager_messages(fact, lost);
  if (fact.id == "dominant-pair") return dominant_pair(fact, lost);
  if (fact.id == "polling") return polling(fact, lost);
  if (fact.id == "communicator") return communicator(fact, lost);
  if (fact.id == "file-io") return file_io(fact, lost);
  if (fact.id == "incomplete") return incomplete(fact);
  if (fact.id == "tool-overhead") return overhead(fact);
  return negligible(fact);
}

std::vector<model::Finding> findings_of(const model::Profile &profile) {
  std::vector<model::Finding> findings;
  for (const Fact &fact : analyze::find_facts(profile)) {
    const std::int64_t run_ns = analyze::Scene(profile, fact.world).run_ns;
    std::string text = fact_text(fact, run_ns);
    if (profile.worlds.size() > 1) text = "World " + std::to_string(fact.world) + ": " + text;
    findings.push_back({fact.id, fact.severity, std::move(text), fact.evidence, static_cast<double>(fact.lost_ns) * 1e-9});
  }
  return findings;
}

}  // namespace scope::render
