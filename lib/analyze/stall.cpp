#include "analyze/stall.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "analyze/stall_graph.hpp"
#include "model/merge_parts.hpp"
#include "model/site_text.hpp"
#include "support/text.hpp"

namespace scope::analyze {

using model::Awaits;
using model::Doing;
using model::LiveRank;
using model::RankStatus;

namespace {

constexpr std::size_t most_states = 16, most_conclusions = 6;

/// Ranks whose state reads the same.
struct Group {
  std::vector<int> ranks;
  const LiveRank *first = nullptr;
  std::string state;          ///< what stands before "since"
  std::int64_t since_ns = 0;  ///< of the one that came last
};

/// "rank 7", "ranks 0-2".
std::string named(const std::vector<int> &ranks) { return (ranks.size() == 1 ? "rank " : "ranks ") + model::rank_list(ranks); }

std::string sentence(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + ".";
}

std::string times(std::int64_t count) { return count == 1 ? "once" : count == 2 ? "twice" : std::to_string(count) + " times"; }

std::string seconds_text(std::int64_t ns) { return std::to_string(std::max<std::int64_t>(ns, 0) / 1'000'000'000) + " s"; }

std::string tag_text(const LiveRank &rank) { return rank.tag < 0 ? "any tag" : "tag " + std::to_string(rank.tag); }

/// " on comm 3 (rows)". The name is data: whoever shows the text makes it safe. Of messages, MPI_COMM_WORLD goes without saying.
std::string comm_text(const WaitGraph &graph, const LiveRank &rank) {
  if (rank.comm < 0 || rank.finalizing) return "";
  const auto *comm = graph.communicator(rank.comm);
  bool world = comm && comm->world;
  bool message = rank.awaits == Awaits::message || rank.awaits == Awaits::receiver;
  if (message && world) return "";
  std::string name = comm && !comm->name.empty() && !world ? " (" + comm->name + ")" : "";
  return " on comm " + std::to_string(rank.comm) + name;
}

std::string operation_text(const WaitGraph &graph, const LiveRank &rank) {
  std::string on = comm_text(graph, rank);
  std::string peer = "rank " + std::to_string(rank.peer);
  if (rank.awaits == Awaits::message)
    return " from " + (rank.peer < 0 ? "any source" : peer) + ", " + tag_text(rank) + (on.empty() ? "" : "," + on);
  std::string bytes = rank.bytes > 0 ? " of " + support::format_bytes(static_cast<double>(rank.bytes)) : "";
  if (rank.awaits == Awaits::receiver) return bytes + " to " + peer + ", " + tag_text(rank) + (on.empty() ? "" : "," + on);
  if (rank.peer >= 0) return " with " + peer + on;
  return on;
}

std::string call_text(const WaitGraph &graph, const LiveRank &rank) {
  if (rank.request.empty()) return rank.call + operation_text(graph, rank);
  bool one = rank.call == "MPI_Wait";
  return rank.call + (one ? " of " : " (first request: ") + rank.request + operation_text(graph, rank) + (one ? "" : ")");
}

std::string end_text(RankStatus end) {
  switch (end) {
    case RankStatus::finalized: return "has finished";
    case RankStatus::aborted: return "is gone (MPI_Abort)";
    case RankStatus::exited: return "is gone (it exited without MPI_Finalize)";
    default: return "is gone (it ended without MPI_Finalize)";
  }
}

/// Written for one rank; `plural` makes it fit several.
std::string plural(std::string text) {
  auto replace = [&](const std::string &what, const std::string &by) {
    if (text.starts_with(what)) text.replace(0, what.size(), by);
  };
  replace("is ", "are ");
  replace("has ", "have ");
  replace("asks ", "ask ");
  auto it = text.find("(it ");
  if (it != std::string::npos) text.replace(it, 4, "(they ");
  return text;
}

Group describe(const WaitGraph &graph, const LiveRank &rank) {
  Group group{{rank.rank}, &rank, "", rank.since_ns};
  switch (rank.doing) {
    case Doing::gone: group.state = end_text(rank.end); break;
    case Doing::computing: group.state = "is computing (outside MPI)"; break;
    case Doing::asking:
      group.state = "asks " + (rank.call.empty() ? "MPI" : "with " + rank.call) + " again and again, in vain,";
      break;
    case Doing::in_call:
      group.state = "is in " + call_text(graph, rank);
      if (!rank.site.empty()) group.state += " at " + model::stack_text(rank.site);
      break;
  }
  if (graph.wait(rank.rank).unsent) group.state += ", which nobody sent,";
  return group;
}

std::string text_of(const Group &group, const std::string &who) {
  std::string state = group.ranks.size() > 1 ? plural(group.state) : group.state;
  std::string since = group.first->doing == Doing::gone ? "" : " since " + seconds_text(group.since_ns);
  return who + " " + state + since;
}

std::vector<Group> groups_of(const WaitGraph &graph) {
  std::vector<Group> groups;
  for (const LiveRank &rank : graph.world().ranks) {
    Group own = describe(graph, rank);
    auto same = std::find_if(groups.begin(), groups.end(), [&](const Group &group) { return group.state == own.state; });
    if (same == groups.end()) {
      groups.push_back(std::move(own));
      continue;
    }
    same->ranks.push_back(rank.rank);
    same->since_ns = std::min(same->since_ns, rank.since_ns);
  }
  return groups;
}

/// Of ranks that nobody can wait for with success, or whose next step is theirs alone: ", which is gone". "" for others.
std::string why(const WaitGraph &graph, const std::vector<int> &ranks) {
  std::set<std::string> reasons;
  for (int number : ranks) {
    const LiveRank *rank = graph.rank(number);
    if (!rank)
      reasons.insert("is not known: it did not report");
    else if (rank->doing == Doing::gone)
      reasons.insert(rank->end == RankStatus::finalized ? "has finished" : "is gone");
    else if (rank->doing == Doing::computing)
      reasons.insert("is computing");
    else if (rank->doing == Doing::asking)
      reasons.insert("asks in vain");
    else if (rank->finalizing)
      reasons.insert("is in MPI_Finalize");
    else
      reasons.insert("");
  }
  if (reasons.size() != 1 || reasons.begin()->empty()) return "";
  return ", which " + (ranks.size() > 1 ? plural(*reasons.begin()) : *reasons.begin());
}

void add_different_collectives(const WaitGraph &graph, const std::vector<Group> &groups, std::vector<std::string> &conclusions) {
  std::set<int> said;
  for (const Group &group : groups) {
    if (graph.wait(group.ranks.front()).elsewhere.empty() || !said.insert(group.first->comm).second) continue;
    std::string calls;
    for (const Group &other : groups) {
      bool same =
          other.first->comm == group.first->comm && other.first->awaits == Awaits::members && other.first->request.empty();
      if (other.first->doing == Doing::in_call && same && !other.first->finalizing)
        calls += (calls.empty() ? "" : ", ") + other.first->call + " by " + named(other.ranks);
    }
    conclusions.push_back("Different collectives on comm " + std::to_string(group.first->comm) + " at the same time: " + calls +
                          ".");
  }
}

std::vector<int> add_cycle(const WaitGraph &graph, const std::vector<Group> &groups, std::vector<std::string> &conclusions) {
  std::vector<int> starts;
  for (const Group &group : groups) starts.push_back(group.ranks.front());
  std::vector<int> cycle = graph.shortest_cycle(starts);
  if (cycle.empty()) return cycle;
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  std::string text = "Deadlock: ";
  for (std::size_t i = 0; i < cycle.size(); ++i)
    text += (i ? ", " : "") + ("rank " + std::to_string(cycle[i])) + (i ? " for rank " : " waits for rank ") +
            std::to_string(cycle[(i + 1) % cycle.size()]);
  conclusions.push_back(text + ".");
  return cycle;
}

/// "rank 2, which made 4 of the 5 collective calls there": it left one out, or is late.
std::string behind(const WaitGraph &graph, const Group &group, const std::vector<int> &missing) {
  const LiveRank *rank = missing.size() == 1 ? graph.rank(missing.front()) : nullptr;
  if (!rank || !rank->counts_all || !group.first->counts_all || !group.first->request.empty()) return "";
  if (rank->doing != Doing::in_call || rank->call != group.first->call || rank->comm != group.first->comm) return "";
  auto done = [&](const LiveRank &one) {
    auto found = one.collectives.find(group.first->comm);
    return found == one.collectives.end() ? 0 : found->second;
  };
  return ", which made " + std::to_string(done(*rank)) + " collective calls there and not " + std::to_string(done(*group.first));
}

void add_missing(const WaitGraph &graph, const std::vector<Group> &groups, std::vector<std::string> &conclusions) {
  for (const Group &group : groups) {
    if (group.first->doing != Doing::in_call || group.first->awaits != Awaits::members || group.first->finalizing) continue;
    const std::vector<int> &missing = graph.wait(group.ranks.front()).on;
    if (missing.empty()) continue;
    std::string reason = why(graph, missing);
    if (reason.empty()) reason = behind(graph, group, missing);
    std::string call = group.first->request.empty() ? group.first->call : group.first->request;
    conclusions.push_back(call + " on comm " + std::to_string(group.first->comm) + " waits for " + named(missing) + reason + ".");
  }
}

/// Messages: who waits for a rank that is gone, or busy with something else.
void add_peers(const WaitGraph &graph, const std::vector<Group> &groups, std::vector<std::string> &conclusions) {
  for (const Group &group : groups) {
    if (group.first->awaits != Awaits::message && group.first->awaits != Awaits::receiver) continue;
    const std::vector<int> &on = graph.wait(group.ranks.front()).on;
    std::string reason = on.empty() ? "" : why(graph, on);
    if (reason.empty()) continue;
    conclusions.push_back(
        sentence(named(group.ranks) + (group.ranks.size() > 1 ? " wait for " : " waits for ") + named(on) + reason));
  }
}

void add_other_tags(const WaitGraph &graph, std::vector<std::string> &conclusions) {
  for (const LiveRank &rank : graph.world().ranks) {
    const Wait &wait = graph.wait(rank.rank);
    for (const Unreceived &other : wait.other)
      conclusions.push_back("Rank " + std::to_string(other.source) + " sent tag " + std::to_string(other.tag) + " " +
                            times(other.count) + ", which was not received; nobody sent " + tag_text(rank) + ".");
  }
}

void add_nobody_left(const WaitGraph &graph, const std::vector<Group> &groups, std::vector<std::string> &conclusions) {
  if (graph.anyone_free()) return;
  for (const Group &group : groups) {
    if (!graph.wait(group.ranks.front()).unsent || group.first->peer >= 0) continue;
    conclusions.push_back("Nobody is left to send to " + named(group.ranks) + ": all others wait or have ended.");
  }
}

void diagnose_world(const model::LiveWorld &world, bool several, StallReport &report) {
  const WaitGraph graph(world);
  std::string where = several ? " of world " + std::to_string(world.id) : "";
  auto groups = groups_of(graph);
  for (const Group &group : groups) {
    std::string who = named(group.ranks);
    if (!world.initialised) who = std::to_string(group.ranks.size()) + (group.ranks.size() == 1 ? " process" : " processes");
    report.states.push_back(text_of(group, who + where));
  }
  std::vector<std::string> found;
  add_different_collectives(graph, groups, found);
  bool cycle = !add_cycle(graph, groups, found).empty();
  if (found.empty() || !cycle) add_missing(graph, groups, found);
  if (!cycle) add_peers(graph, groups, found);
  add_other_tags(graph, found);
  add_nobody_left(graph, groups, found);
  for (std::string &text : found)
    report.conclusions.push_back(several ? "World " + std::to_string(world.id) + ": " + text : text);
}

void cut(std::vector<std::string> &texts, std::size_t most, const std::string &what) {
  if (texts.size() <= most) return;
  std::size_t rest = texts.size() - most + 1;
  texts.resize(most - 1);
  texts.push_back("and " + std::to_string(rest) + " more " + what);
}

std::string head(double seconds) { return "no rank made progress for " + std::to_string(static_cast<long>(seconds)) + " s"; }

}  // namespace

StallReport diagnose(const std::vector<model::LiveWorld> &worlds) {
  StallReport report;
  for (const model::LiveWorld &world : worlds) diagnose_world(world, worlds.size() > 1, report);
  cut(report.states, most_states, "states");
  cut(report.conclusions, most_conclusions, "remarks");
  return report;
}

std::string stall_sentence(const StallReport &report, double seconds) {
  std::string text = sentence(head(seconds));
  text.back() = ':';
  for (std::size_t i = 0; i < report.states.size(); ++i) text += (i ? "; " : " ") + report.states[i];
  text += ".";
  for (const std::string &conclusion : report.conclusions) text += " " + conclusion;
  return text;
}

std::vector<std::string> stall_lines(const StallReport &report, double seconds) {
  std::vector<std::string> lines{head(seconds) + ":"};
  for (const std::string &state : report.states) lines.push_back("  " + state);
  for (const std::string &conclusion : report.conclusions) lines.push_back("  " + conclusion);
  return lines;
}

}  // namespace scope::analyze
