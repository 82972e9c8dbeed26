#include "analyze/stall_graph.hpp"

#include <algorithm>
#include <deque>

namespace scope::analyze {

using model::Awaits;
using model::Doing;
using model::LiveRank;

namespace {

constexpr int any = -1;

bool in(const LiveRank &rank, Awaits awaits) { return rank.doing == Doing::in_call && rank.awaits == awaits; }

/// Whether `receiver` waits for just what `sender` is sending.
bool fit(const LiveRank &sender, const LiveRank &receiver) {
  return in(sender, Awaits::receiver) && in(receiver, Awaits::message) && sender.peer == receiver.rank &&
         (receiver.peer == sender.rank || receiver.peer == any) && sender.comm == receiver.comm &&
         (receiver.tag == sender.tag || receiver.tag == any);
}

/// Calls of nonblocking collectives that a wait's own request belongs to.
std::int64_t begun(const LiveRank &rank, const std::string &procedure, int comm) {
  auto found = rank.begun.find({procedure, comm});
  return found == rank.begun.end() ? 0 : found->second;
}

std::int64_t collectives(const LiveRank &rank, int comm) {
  auto found = rank.collectives.find(comm);
  return found == rank.collectives.end() ? 0 : found->second;
}

}  // namespace

WaitGraph::WaitGraph(const model::LiveWorld &world) : world_(world) {
  for (const LiveRank &rank : world.ranks) ranks_[rank.rank] = &rank;
  for (const LiveRank &rank : world.ranks) waits_[rank.rank] = wait_of(rank);
}

const LiveRank *WaitGraph::rank(int number) const {
  auto found = ranks_.find(number);
  return found == ranks_.end() ? nullptr : found->second;
}

const Wait &WaitGraph::wait(int number) const {
  static const Wait none;
  auto found = waits_.find(number);
  return found == waits_.end() ? none : found->second;
}

const model::LiveCommunicator *WaitGraph::communicator(int id) const {
  for (const auto &comm : world_.communicators)
    if (comm.id == id) return &comm;
  return nullptr;
}

Wait WaitGraph::wait_of(const LiveRank &rank) const {
  Wait wait;
  // Who is in MPI_Finalize takes part in nothing any more: what others want of it is what is wrong.
  if (!world_.initialised || rank.doing != Doing::in_call || rank.finalizing || !rank.certain) return wait;
  if (rank.awaits == Awaits::message) wait_for_message(rank, wait);
  if (rank.awaits == Awaits::receiver) wait_for_receiver(rank, wait);
  if (rank.awaits == Awaits::members) wait_for_members(rank, wait);
  return wait;
}

/// Messages sent and not received; `any` tag: of all tags. Negative counts come from ranks that were read at different instants.
std::int64_t WaitGraph::unreceived(const LiveRank &receiver, int source, int comm, int tag) const {
  std::int64_t count = 0;
  for (const auto &[key, sent] : rank(source)->messages.sent)
    if (key.comm == comm && key.peer == receiver.rank && (tag == any || key.tag == tag)) count += sent;
  for (const auto &[key, received] : receiver.messages.received)
    if (key.comm == comm && key.peer == source && (tag == any || key.tag == tag)) count -= received;
  return count;
}

void WaitGraph::wait_for_message(const LiveRank &receiver, Wait &wait) const {
  std::vector<int> sources;
  if (receiver.peer != any)
    sources.push_back(receiver.peer);
  else if (const auto *comm = communicator(receiver.comm); comm && static_cast<int>(comm->members.size()) == comm->size)
    sources = comm->members;
  bool known = receiver.messages.exact && !sources.empty(), there = false;
  std::vector<Unreceived> other;
  for (int source : sources) {
    const LiveRank *sender = rank(source);
    known = known && sender && sender->messages.exact;
    if (!sender) continue;
    there = there || fit(*sender, receiver) || (known && unreceived(receiver, source, receiver.comm, receiver.tag) > 0);
    if (!known) continue;
    std::map<int, std::int64_t> tags;
    for (const auto &[key, sent] : sender->messages.sent)
      if (key.comm == receiver.comm && key.peer == receiver.rank && key.tag != receiver.tag)
        tags[key.tag] = unreceived(receiver, source, receiver.comm, key.tag);
    for (const auto &[tag, count] : tags)
      if (count > 0) other.push_back({source, tag, count});
  }
  if (there) return;
  if (receiver.peer != any) wait.on.push_back(receiver.peer);
  wait.unsent = known;
  // Receives that were begun may have taken the other messages already. Its own request is one of them while it waits for it.
  bool own = !receiver.request.empty();
  if (known && receiver.messages.open_receives <= (own ? 1 : 0)) wait.other = std::move(other);
}

void WaitGraph::wait_for_receiver(const LiveRank &sender, Wait &wait) const {
  if (sender.peer == any) return;
  const LiveRank *receiver = rank(sender.peer);
  if (!receiver || !fit(sender, *receiver)) wait.on.push_back(sender.peer);
}

void WaitGraph::wait_for_members(const LiveRank &rank_in, Wait &wait) const {
  const auto *comm = communicator(rank_in.comm);
  if (!comm || comm->between) return;
  for (int number : comm->members) {
    const LiveRank *member = rank(number);
    if (number == rank_in.rank) continue;
    bool counted = member && rank_in.counts_all && member->counts_all;
    if (!member) {
      wait.on.push_back(number);  // it did not report
    } else if (!rank_in.request.empty()) {
      if (counted && begun(*member, rank_in.request, comm->id) < begun(rank_in, rank_in.request, comm->id))
        wait.on.push_back(number);
    } else {
      std::int64_t ahead = counted ? collectives(*member, comm->id) - collectives(rank_in, comm->id) : 0;
      bool there = in(*member, Awaits::members) && member->request.empty() && member->comm == comm->id && !member->finalizing;
      if (ahead > 0 || (there && ahead == 0 && member->call == rank_in.call)) continue;
      if (there && ahead == 0 && counted)
        wait.elsewhere.push_back(number);
      else
        wait.on.push_back(number);
    }
  }
}

std::vector<int> WaitGraph::path_back(int start) const {
  std::map<int, int> came_from;
  std::deque<int> queue{start};
  while (!queue.empty()) {
    int at = queue.front();
    queue.pop_front();
    for (int next : wait(at).on) {
      if (next == start) {
        std::vector<int> path{at};
        while (path.back() != start) path.push_back(came_from.at(path.back()));
        std::reverse(path.begin(), path.end());
        return path;
      }
      if (came_from.try_emplace(next, at).second) queue.push_back(next);
    }
  }
  return {};
}

std::vector<int> WaitGraph::shortest_cycle(const std::vector<int> &starts) const {
  std::vector<int> best;
  for (int start : starts) {
    std::vector<int> path = path_back(start);
    if (!path.empty() && (best.empty() || path.size() < best.size())) best = std::move(path);
  }
  return best;
}

bool WaitGraph::anyone_free() const {
  if (static_cast<int>(ranks_.size()) < world_.size) return true;
  for (const auto &[number, rank] : ranks_) {
    if (rank->doing == Doing::gone || rank->finalizing) continue;
    const Wait &own = wait(number);
    if (own.on.empty() && own.elsewhere.empty() && !own.unsent) return true;
  }
  return false;
}

}  // namespace scope::analyze
