#include "analyze/timeline_waits.hpp"

#include <algorithm>

#include "analyze/sums.hpp"

namespace scope::analyze {
namespace {

using timeline::Event;
using wire::Call;

/// Finds what one call needs.
class NeedFinder {
 public:
  NeedFinder(const Recording &recording, const Matches &matches, std::uint32_t rank, std::uint32_t call, std::vector<Need> &needs)
      : recording_(recording),
        matches_(matches),
        events_(recording.timeline.events[rank]),
        rank_(rank),
        head_(events_[call]),
        needs_(needs) {}

  void look_at(std::uint32_t place) {
    const Event &event = events_[place];
    const wire::CallInfo *call = recording_.call(event), *operation = recording_.operation(event);
    if (!call) return;
    const std::uint32_t partner = matches_.partner[recording_.first[rank_] + place];
    const Act act = recording_.act(event);
    if (act == Act::receive || act == Act::probe || call->rule == wire::Rule::MPROBE) {
      add(Pattern::late_sender, true, place, partner);
    } else if (call->kind == wire::Kind::WAIT) {
      if (operation && event.start < place) completed(place, event.start, *operation);
    } else if (act == Act::send && call->mode == wire::Mode::BLOCKING && !starts(call->rule) && may_block(*call)) {
      late_receiver(place, partner, *call);
    } else if (act == Act::collective && call->mode == wire::Mode::BLOCKING && !starts(call->rule)) {
      in_collective(place, place);
    } else if (call->kind == wire::Kind::ONE_SIDED && partner != none) {
      const Call what = recording_.signature(event).call;
      add(what == Call::MPI_Win_wait ? Pattern::early_wait : Pattern::late_post, false, place, partner);
    }
  }

 private:
  void add(Pattern pattern, bool certain, std::uint32_t place, std::uint32_t late, std::uint32_t operation = none) {
    if (late != none) needs_.push_back({pattern, certain, place, late, operation});
  }

  /// Of a wait: a send or a collective operation ended. Receives were seen as such.
  void completed(std::uint32_t place, std::uint32_t start, const wire::CallInfo &operation) {
    if (sends(operation.rule)) {
      if (may_block(operation)) late_receiver(place, matches_.partner[recording_.first[rank_] + start], operation);
    } else if (recording_.act(events_[start]) == Act::collective) {
      in_collective(place, start);
    }
  }

  /// `received` is the event in which the message was received. Without proof that the send blocked there is no need.
  void late_receiver(std::uint32_t place, std::uint32_t received, const wire::CallInfo &operation) {
    if (received == none) return;
    const std::uint32_t receiver = recording_.rank_of(received);
    const std::uint32_t posted =
        recording_.first[receiver] + posting_of(recording_, receiver, received - recording_.first[receiver]);
    const std::int64_t instant = recording_.event(receiver, posted).begin;
    if (is_synchronous(operation) || (head_.begin < instant && instant <= head_.end))
      add(Pattern::late_receiver, false, place, posted);
  }

  void in_collective(std::uint32_t place, std::uint32_t begun) {
    const std::uint32_t own = recording_.first[rank_] + begun, number = matches_.partner[own];
    if (number == none || !matches_.operations[number].whole) return;
    const Operation &operation = matches_.operations[number];
    auto of_last = [&](Pattern pattern, bool certain) { add(pattern, certain, place, operation.last, number); };
    switch (operation.shape) {
      case Shape::none: return;
      case Shape::barrier: return of_last(Pattern::wait_barrier, true);
      case Shape::all_to_all:
        return of_last(Pattern::wait_nxn, recording_.operation(events_[begun])->rule == wire::Rule::ALLREDUCE);
      case Shape::fence: return of_last(Pattern::wait_fence, false);
      case Shape::finalize: return of_last(Pattern::wait_finalize, false);
      case Shape::root_to_all:
        if (operation.root != own) add(Pattern::late_broadcast, false, place, operation.root, number);
        return;
      case Shape::all_to_root:
        if (operation.root == own) add(Pattern::early_reduce, false, place, operation.first, number);
        return;
      case Shape::prefix: return add(Pattern::early_scan, false, place, last_of_lower(operation, own), number);
    }
  }

  /// The last to come of the ranks that are lower in the communicator.
  std::uint32_t last_of_lower(const Operation &operation, std::uint32_t own) const {
    const timeline::Communicator *comm = recording_.communicator(recording_.signature(recording_.event(rank_, own)).comm);
    const auto end = std::find(comm->members.begin(), comm->members.end(), recording_.rank(rank_).rank);
    std::uint32_t late = none;
    std::int64_t latest = 0;
    for (auto member = comm->members.begin(); member != end; ++member) {
      const std::uint32_t rank = recording_.find(comm->world, *member);
      if (rank == none) continue;
      const auto from = matches_.members.begin() + operation.begin, to = matches_.members.begin() + operation.end;
      const std::uint32_t number = *std::lower_bound(from, to, recording_.first[rank]);  // whole: every rank has one
      const std::int64_t begin = recording_.event(rank, number).begin;
      if (late == none || begin > latest) late = number, latest = begin;
    }
    return late;
  }

  const Recording &recording_;
  const Matches &matches_;
  const std::vector<Event> &events_;
  std::uint32_t rank_;
  const Event &head_;
  std::vector<Need> &needs_;
};

class WaitFinder {
 public:
  WaitFinder(const Recording &recording, const Matches &matches) : recording_(recording), matches_(matches) {
    result_.by_rank.resize(recording.ranks());
    result_.mpi_ns.resize(recording.ranks());
    result_.waiting_ns.resize(recording.ranks());
  }

  WaitStates find() {
    for (std::uint32_t rank = 0; rank < recording_.ranks(); ++rank) {
      const std::vector<Event> &events = recording_.timeline.events[rank];
      for (std::uint32_t i = 0; i < events.size(); ++i) {
        if (events[i].kind != timeline::Kind::call || !recording_.is_inside(events[i])) continue;
        const std::int64_t total = events[i].end - events[i].begin, waiting = wait_of(rank, i);
        result_.mpi_ns[rank] += total;
        result_.waiting_ns[rank] += waiting;
        const Call call = recording_.signature(events[i]).call;
        if (call == Call::none) continue;
        CallSum &sum = result_.calls[static_cast<std::size_t>(call)];
        ++sum.calls;
        sum.total_ns += total;
        sum.waiting_ns += waiting;
      }
    }
    return std::move(result_);
  }

 private:
  std::int64_t wait_of(std::uint32_t rank, std::uint32_t call) {
    needs_.clear();
    find_needs(recording_, matches_, rank, call, needs_);
    if (needs_.empty()) return 0;
    const Event &head = recording_.timeline.events[rank][call];
    Wait wait;
    bool certain = false;
    for (const Need &need : needs_) {
      const std::uint32_t late_rank = recording_.rank_of(need.late);
      const std::int64_t instant = recording_.event(late_rank, need.late).begin, tolerance = recording_.tolerance(rank, late_rank);
      if (instant - head.end > tolerance) {
        if (need.certain) violated(instant - head.end);
        continue;  // it ended without that
      }
      const std::int64_t ns = std::min(instant, head.end) - head.begin;
      // Of what comes at the same instant (both halves of an exchange with one rank), what must be waited for is named.
      if (ns <= tolerance || ns < wait.ns || (ns == wait.ns && !(need.certain && !certain))) continue;
      certain = need.certain;
      const timeline::Event &late = recording_.event(late_rank, need.late);
      wait = {head.begin,
              ns,
              call,
              need.part,
              need.late,
              late_rank,
              recording_.lane_of(rank, head),
              recording_.lane_of(late_rank, late),
              need.pattern};
    }
    if (wait.ns > 0) result_.by_rank[rank].push_back(wait);
    return wait.ns;
  }

  void violated(std::int64_t by) {
    ++result_.clock_violations;
    result_.clock_worst_ns = std::max(result_.clock_worst_ns, by);
  }

  const Recording &recording_;
  const Matches &matches_;
  std::vector<Need> needs_;
  WaitStates result_;
};

}  // namespace

void find_needs(const Recording &recording, const Matches &matches, std::uint32_t rank, std::uint32_t call,
                std::vector<Need> &needs) {
  NeedFinder finder(recording, matches, rank, call, needs);
  for_each_part(recording.timeline.events[rank], call, [&finder](std::uint32_t place) { finder.look_at(place); });
}

WaitStates find_waits(const Recording &recording, const Matches &matches) { return WaitFinder(recording, matches).find(); }

}  // namespace scope::analyze
