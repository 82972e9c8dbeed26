#include "analyze/timeline_ideal.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <utility>

#include "analyze/timeline_waits.hpp"

namespace scope::analyze {
namespace {

using timeline::Event;

/// A rank in the replay.
struct Replayed {
  std::uint32_t place = 0;        ///< of the next event
  std::int64_t now = 0;           ///< on the ideal network
  std::int64_t measured = 0;      ///< until when what was measured is used up
  std::int64_t useful = 0;        ///< outside MPI
  bool entered = false;           ///< it is in the call at `place` already
  bool blocked = false;
};

class Replay {
 public:
  Replay(const Recording &recording, const Matches &matches)
      : recording_(recording),
        matches_(matches),
        ranks_(recording.ranks()),
        begun_(recording.size(), 0),
        waiting_(recording.ranks()),
        arrived_(matches.operations.size(), 0),
        ready_(matches.operations.size(), 0),
        heads_(matches.operations.size(), none),
        next_(recording.ranks(), none),
        awaited_(recording.ranks(), none),
        awaited_operation_(recording.ranks(), none) {
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      if (!recording.rank(rank).recorded) continue;
      ranks_[rank].measured = begin_of(rank);
      queue_.push_back(rank);
    }
  }

  /// Runs all ranks to their end.
  void run() {
    do {
      while (!queue_.empty()) {
        const std::uint32_t rank = queue_.front();
        queue_.pop_front();
        advance(rank);
        wake(rank);
      }
    } while (release_one());
  }

  model::EfficiencySplit result() {
    model::EfficiencySplit split;
    std::int64_t most = 0, sum = 0, count = 0;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
      if (!recording_.rank(rank).recorded || end_of(rank) <= begin_of(rank)) continue;
      const std::int64_t rest = std::max<std::int64_t>(0, end_of(rank) - ranks_[rank].measured);
      const std::int64_t useful = ranks_[rank].useful + rest;
      split.run_ns = std::max(split.run_ns, end_of(rank) - begin_of(rank));
      split.ideal_ns = std::max(split.ideal_ns, ranks_[rank].now + rest);
      most = std::max(most, useful);
      sum += useful;
      ++count;
    }
    split.approximate = released_;
    if (count == 0 || split.run_ns <= 0) return split;
    split.ideal_ns = std::min(split.ideal_ns, split.run_ns);  // wrong clocks can make dependencies later than they were
    auto ratio = [](std::int64_t part, std::int64_t whole) {
      return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 1.0;
    };
    split.load_balance = most > 0 ? static_cast<double>(sum) / static_cast<double>(count) / static_cast<double>(most) : 1.0;
    split.serialisation = most > 0 ? ratio(most, split.ideal_ns) : 0.0;
    split.transfer = most > 0 ? ratio(split.ideal_ns, split.run_ns) : 0.0;
    split.communication = ratio(most, split.run_ns);
    split.parallel = *split.load_balance * *split.communication;
    return split;
  }

 private:
  using Waiting = std::pair<std::uint32_t, std::uint32_t>;  ///< number of an event, rank that waits for it

  std::int64_t begin_of(std::uint32_t rank) const { return std::max(recording_.rank(rank).begin, recording_.window.from); }
  std::int64_t end_of(std::uint32_t rank) const { return std::min(recording_.rank(rank).end, recording_.window.to); }

  void advance(std::uint32_t rank) {
    Replayed &own = ranks_[rank];
    const std::vector<Event> &events = recording_.timeline.events[rank];
    for (; own.place < events.size(); ++own.place) {
      const Event &event = events[own.place];
      if (event.begin > recording_.window.to) {
        own.place = static_cast<std::uint32_t>(events.size());
        return;
      }
      if (event.kind != timeline::Kind::call || event.end < recording_.window.from) continue;
      if (!own.entered) enter(rank, event);
      if (!are_met(rank)) return;
      own.measured = std::max(own.measured, std::min(event.end, recording_.window.to));
      own.entered = false;
    }
  }

  void enter(std::uint32_t rank, const Event &event) {
    Replayed &own = ranks_[rank];
    const std::int64_t computed = std::max<std::int64_t>(0, event.begin - own.measured);
    own.now += computed;
    own.useful += computed;
    own.entered = true;
    for_each_part(recording_.timeline.events[rank], own.place, [&](std::uint32_t place) {
      const std::uint32_t number = recording_.first[rank] + place;
      begun_[number] = own.now;
      const Event &part = recording_.timeline.events[rank][place];
      if (part.kind != timeline::Kind::receive && recording_.act(part) == Act::collective)
        arrive(matches_.partner[number], own.now);
    });
  }

  void arrive(std::uint32_t operation, std::int64_t now) {
    ready_[operation] = std::max(ready_[operation], now);
    if (++arrived_[operation] < size_of(operation)) return;
    for (std::uint32_t rank = heads_[operation]; rank != none; rank = next_[rank]) resume(rank);
    heads_[operation] = none;
  }

  std::uint32_t size_of(std::uint32_t operation) const {
    return matches_.operations[operation].end - matches_.operations[operation].begin;
  }

  /// Whether what the call at hand needs has begun; then the rank's time is that of the last. Else the rank waits for one of them.
  bool are_met(std::uint32_t rank) {
    Replayed &own = ranks_[rank];
    needs_.clear();
    find_needs(recording_, matches_, rank, own.place, needs_);
    std::int64_t now = own.now;
    for (const Need &need : needs_) {
      if (own.blocked) break;
      const bool needs_all =
          need.operation != none && need.pattern != Pattern::late_broadcast && need.pattern != Pattern::early_scan;
      if (needs_all) {
        if (arrived_[need.operation] < size_of(need.operation)) {
          next_[rank] = heads_[need.operation];
          heads_[need.operation] = rank;
          return block(rank, none, need.operation);
        }
        now = std::max(now, ready_[need.operation]);
        continue;
      }
      const std::uint32_t late_rank = recording_.rank_of(need.late);
      if (recording_.event(late_rank, need.late).begin > recording_.window.to) continue;
      if (!has_begun(late_rank, need.late)) {
        waiting_[late_rank].push_back({need.late, rank});
        std::push_heap(waiting_[late_rank].begin(), waiting_[late_rank].end(), std::greater());
        return block(rank, need.late, none);
      }
      now = std::max(now, begun_[need.late]);
    }
    own.blocked = false;
    own.now = now;
    return true;
  }

  bool block(std::uint32_t rank, std::uint32_t event, std::uint32_t operation) {
    ranks_[rank].blocked = true;
    awaited_[rank] = event;
    awaited_operation_[rank] = operation;
    return false;
  }

  /// Of a call that a rank is in, all parts have begun.
  bool has_begun(std::uint32_t rank, std::uint32_t number) const {
    const Replayed &other = ranks_[rank];
    const std::vector<Event> &events = recording_.timeline.events[rank];
    const std::uint32_t place = number - recording_.first[rank];
    return place < other.place || (other.entered && events[place].begin == events[other.place].begin &&
                                   events[place].thread == events[other.place].thread);
  }

  void resume(std::uint32_t rank) {
    ranks_[rank].blocked = false;
    queue_.push_back(rank);
  }

  /// Those that waited for something that this rank has begun meanwhile.
  void wake(std::uint32_t rank) {
    std::vector<Waiting> &others = waiting_[rank];
    while (!others.empty() && has_begun(rank, others.front().first)) {
      resume(others.front().second);
      std::pop_heap(others.begin(), others.end(), std::greater());
      others.pop_back();
    }
  }

  /// Dependencies that contradict each other, after lost events or with several threads of a rank: the rank that was first in the
  /// run goes on without what it needs. false: all are at their end.
  bool release_one() {
    std::uint32_t first = none;
    for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank)
      if (ranks_[rank].blocked && (first == none || event_of(rank).begin < event_of(first).begin)) first = rank;
    if (first == none) return false;
    released_ = true;
    if (awaited_[first] != none) {
      std::vector<Waiting> &others = waiting_[recording_.rank_of(awaited_[first])];
      std::erase(others, Waiting(awaited_[first], first));
      std::make_heap(others.begin(), others.end(), std::greater());
    } else {
      std::uint32_t *link = &heads_[awaited_operation_[first]];
      while (*link != first) link = &next_[*link];
      *link = next_[first];
    }
    queue_.push_back(first);  // still marked as blocked: its needs are not looked at
    return true;
  }

  const Event &event_of(std::uint32_t rank) const { return recording_.timeline.events[rank][ranks_[rank].place]; }

  const Recording &recording_;
  const Matches &matches_;
  std::vector<Replayed> ranks_;
  std::vector<std::int64_t> begun_;                   ///< by event, on the ideal network
  std::vector<std::vector<Waiting>> waiting_;         ///< by rank: those that wait for an event of it, a heap, the first on top
  std::vector<std::uint32_t> arrived_;                ///< by operation
  std::vector<std::int64_t> ready_;                   ///< by operation: when the last arrived
  std::vector<std::uint32_t> heads_, next_;           ///< by operation, by rank: lists of those that wait for the last
  std::vector<std::uint32_t> awaited_, awaited_operation_;  ///< by rank: what it waits for, one of them none
  std::deque<std::uint32_t> queue_;
  std::vector<Need> needs_;
  bool released_ = false;
};

}  // namespace

model::EfficiencySplit split_efficiency(const Recording &recording, const Matches &matches) {
  Replay replay(recording, matches);
  replay.run();
  return replay.result();
}

}  // namespace scope::analyze
