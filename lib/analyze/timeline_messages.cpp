// Sends with receives.

#include <algorithm>
#include <tuple>

#include "analyze/timeline_matching.hpp"

namespace scope::analyze {
namespace {

using timeline::Event;
using timeline::Signature;

/// One end of a message, of one destination.
struct End {
  std::uint64_t channel = 0;  ///< communicator and tag
  std::uint32_t source = 0;   ///< index of the rank
  std::uint32_t order = 0;    ///< place in the list of the sender, or of the receiver: of what posted it
  std::uint32_t event = 0;    ///< number
  bool probe = false;         ///< sees the message that the next receive takes
  auto key() const { return std::tie(channel, source); }
  bool operator<(const End &other) const {
    return std::tie(channel, source, order, event) < std::tie(other.channel, other.source, other.order, other.event);
  }
};

/// Messages of partitioned communication match only such (MPI 4.1, 4.2).
std::uint64_t channel_of(const Signature &signature) {
  const bool partitioned = is_partitioned(wire::info(operation_of(signature)));
  return (static_cast<std::uint64_t>(partitioned) << 63) |
         (static_cast<std::uint64_t>(static_cast<std::uint32_t>(signature.comm)) << 32) | static_cast<std::uint32_t>(signature.tag);
}

/// Places of each rank's sends, by destination: a counting sort, so that one destination is looked at at a time.
class Sends {
 public:
  explicit Sends(const Recording &recording) : recording_(recording), begins_(recording.ranks() + 1) {
    visit([this](std::uint32_t to, std::uint32_t) { ++begins_[to + 1]; });
    for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
    events_.resize(begins_.back());
    std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
    visit([&](std::uint32_t to, std::uint32_t event) { events_[next[to]++] = event; });
  }

  void to(std::uint32_t destination, std::vector<End> &ends) const {
    std::uint32_t source = 0;
    for (std::uint32_t i = begins_[destination]; i < begins_[destination + 1]; ++i) {
      while (events_[i] >= recording_.first[source + 1]) ++source;
      const Signature &what = recording_.signature(recording_.event(source, events_[i]));
      ends.push_back({channel_of(what), source, events_[i] - recording_.first[source], events_[i], false});
    }
  }

 private:
  template <class Function>
  void visit(Function fn) const {
    for (std::uint32_t rank = 0; rank < recording_.ranks(); ++rank) {
      std::uint32_t number = recording_.first[rank];
      for (const Event &event : recording_.timeline.events[rank]) {
        if (recording_.act(event) == Act::send) {
          const std::uint32_t to = recording_.find(recording_.rank(rank).world, recording_.signature(event).peer);
          if (to != none) fn(to, number);
        }
        ++number;
      }
    }
  }

  const Recording &recording_;
  std::vector<std::uint32_t> begins_, events_;
};

class Matcher {
 public:
  Matcher(const Recording &recording, Matches &matches) : recording_(recording), matches_(matches), sends_(recording) {}

  void at(std::uint32_t destination) {
    sent_.clear();
    received_.clear();
    sends_.to(destination, sent_);
    receives_at(destination);
    std::sort(sent_.begin(), sent_.end());
    std::sort(received_.begin(), received_.end());
    auto send = sent_.begin();
    for (auto receive = received_.begin(); receive != received_.end();) {
      for (; send != sent_.end() && send->key() < receive->key(); ++send) leave(*send, destination, true);
      auto end = std::find_if(receive, received_.end(), [&](const End &other) { return other.key() != receive->key(); });
      for (; receive != end; ++receive) {
        const bool found = send != sent_.end() && send->key() == receive->key();
        if (found) take(*send, *receive, destination);
        else if (!receive->probe) leave(*receive, destination, false);
        if (found && !receive->probe) ++send;
      }
    }
    for (; send != sent_.end(); ++send) leave(*send, destination, true);
  }

 private:
  void receives_at(std::uint32_t rank) {
    const std::vector<Event> &events = recording_.timeline.events[rank];
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      const Act act = recording_.act(events[i]);
      if (act != Act::receive && act != Act::probe) continue;
      const Signature &what = recording_.signature(events[i]);
      const std::uint32_t source = recording_.find(recording_.rank(rank).world, what.peer);
      if (source == none) continue;
      const std::uint32_t order = act == Act::probe ? i : found_at(rank, i);
      received_.push_back({channel_of(what), source, order, recording_.first[rank] + i, act == Act::probe});
    }
  }

  /// Where a receive took its place in the order: when it was posted, or when a probe found its message.
  std::uint32_t found_at(std::uint32_t rank, std::uint32_t place) const {
    const std::uint32_t posted = posting_of(recording_, rank, place);
    const Event &event = recording_.timeline.events[rank][posted];
    const wire::CallInfo *call = recording_.call(event);
    return call && call->rule == wire::Rule::MRECV && event.start < posted ? event.start : posted;
  }

  void take(const End &send, const End &receive, std::uint32_t destination) {
    matches_.partner[receive.event] = send.event;
    if (receive.probe) return;
    matches_.partner[send.event] = receive.event;
    const std::uint32_t seen = recording_.first[destination] + receive.order;
    const Event &found = recording_.event(destination, seen);
    const wire::CallInfo *call = recording_.call(found);
    if (call && call->rule == wire::Rule::MPROBE) matches_.partner[seen] = send.event;
    ++matches_.notes.messages;
  }

  void leave(const End &end, std::uint32_t destination, bool is_send) {
    const timeline::RankInfo &other = recording_.rank(is_send ? destination : end.source);
    if (other.to < other.end || other.from > other.begin) {
      ++matches_.notes.beyond_window;
      return;
    }
    ++(is_send ? matches_.notes.unmatched_sends : matches_.notes.unmatched_receives);
    const Signature &what = recording_.signature(recording_.event(end.event));
    const timeline::RankInfo &to = recording_.rank(destination);
    model::UnmatchedRow row{to.world, what.comm, recording_.rank(end.source).rank, to.rank, what.tag, 0, 0};
    auto same = [&row](const model::UnmatchedRow &old) {
      return old.world == row.world && old.comm == row.comm && old.source == row.source && old.destination == row.destination &&
             old.tag == row.tag;
    };
    if (matches_.unmatched.empty() || !same(matches_.unmatched.back())) matches_.unmatched.push_back(row);
    ++(is_send ? matches_.unmatched.back().sends : matches_.unmatched.back().receives);
  }

  const Recording &recording_;
  Matches &matches_;
  Sends sends_;
  std::vector<End> sent_, received_;
};

}  // namespace

std::uint32_t posting_of(const Recording &recording, std::uint32_t rank, std::uint32_t place) {
  const Event &event = recording.timeline.events[rank][place];
  const wire::CallInfo *call = recording.call(event);
  if (call && call->rule == wire::Rule::MRECV) return place;  // Event::start is the probe there
  return event.start < place ? event.start : place;
}

void match_messages(const Recording &recording, Matches &matches) {
  Matcher matcher(recording, matches);
  for (std::uint32_t rank = 0; rank < recording.ranks(); ++rank) matcher.at(rank);
  auto most_first = [](const model::UnmatchedRow &a, const model::UnmatchedRow &b) {
    return std::tuple(-a.sends - a.receives, a.world, a.destination, a.source, a.comm, a.tag) <
           std::tuple(-b.sends - b.receives, b.world, b.destination, b.source, b.comm, b.tag);
  };
  std::sort(matches.unmatched.begin(), matches.unmatched.end(), most_first);
  if (matches.unmatched.size() <= most_unmatched) return;
  matches.notes.folded += static_cast<std::int64_t>(matches.unmatched.size() - most_unmatched);
  matches.unmatched.resize(most_unmatched);
}

}  // namespace scope::analyze
