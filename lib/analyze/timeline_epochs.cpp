// Epochs of general active target synchronisation: MPI_Win_start, MPI_Win_complete; MPI_Win_post, MPI_Win_wait.

#include <algorithm>
#include <map>
#include <tuple>

#include "analyze/timeline_matching.hpp"

namespace scope::analyze {
namespace {

using timeline::Event;
using wire::Call;

/// From MPI_Win_post to MPI_Win_wait (or the MPI_Win_test that was it; that one does not wait, and is not looked at).
struct Exposure {
  std::uint32_t post = none, wait = none;
  std::int64_t begin = 0, end = 0;
};

/// From MPI_Win_start to MPI_Win_complete.
struct Access {
  std::uint32_t rank = 0;
  std::int32_t comm = -1;
  std::uint32_t start = none, complete = none;
  std::int64_t completed = 0;  ///< when MPI_Win_complete was called
  std::vector<std::uint32_t> targets;  ///< indices of ranks
};

bool accesses(wire::Rule rule) {
  return rule == wire::Rule::PUT || rule == wire::Rule::GET || rule == wire::Rule::GET_ACCUMULATE ||
         rule == wire::Rule::FETCH_AND_OP || rule == wire::Rule::COMPARE_AND_SWAP;
}

class Epochs {
 public:
  Epochs(const Recording &recording, Matches &matches) : recording_(recording), matches_(matches) {}

  void match() {
    for (std::uint32_t rank = 0; rank < recording_.ranks(); ++rank) collect(rank);
    std::stable_sort(accesses_.begin(), accesses_.end(),
                     [](const Access &a, const Access &b) { return a.completed < b.completed; });
    for (const Access &access : accesses_)
      for (std::uint32_t target : access.targets) connect(access, target);
  }

 private:
  using Window = std::pair<std::uint32_t, std::int32_t>;  ///< rank, communicator: windows on one communicator are not told apart

  void collect(std::uint32_t rank) {
    std::map<std::int32_t, Access> open;
    const std::vector<Event> &events = recording_.timeline.events[rank];
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      const Event &event = events[i];
      if (event.kind != timeline::Kind::call || !recording_.usable[event.what]) continue;
      const timeline::Signature &what = recording_.signature(event);
      const std::uint32_t number = recording_.first[rank] + i;
      if (what.call == Call::MPI_Win_start) {
        open[what.comm] = {rank, what.comm, number, none, 0, {}};
      } else if (what.call == Call::MPI_Win_complete) {
        auto found = open.find(what.comm);
        if (found == open.end()) continue;
        found->second.complete = number;
        found->second.completed = event.begin;
        accesses_.push_back(std::move(found->second));
        open.erase(found);
      } else if (what.call == Call::MPI_Win_post) {
        exposures_[{rank, what.comm}].push_back({number, none, event.begin, recording_.rank(rank).end});
      } else if (what.call == Call::MPI_Win_wait) {
        auto &own = exposures_[{rank, what.comm}];
        if (!own.empty() && own.back().wait == none) own.back().wait = number, own.back().end = event.end;
      } else if (!open.empty() && what.call != Call::none && accesses(wire::info(what.call).rule)) {
        note_target(open, rank, what);
      }
    }
  }

  void note_target(std::map<std::int32_t, Access> &open, std::uint32_t rank, const timeline::Signature &what) const {
    auto found = open.find(what.comm);
    const std::uint32_t target = recording_.find(recording_.rank(rank).world, what.peer);
    if (found == open.end() || target == none) return;
    std::vector<std::uint32_t> &targets = found->second.targets;
    if (std::find(targets.begin(), targets.end(), target) == targets.end()) targets.push_back(target);
  }

  void connect(const Access &access, std::uint32_t target) {
    auto found = exposures_.find({target, access.comm});
    if (found == exposures_.end()) return;
    std::uint32_t &next = used_[{access.rank, target, access.comm}];
    const std::int64_t tolerance = recording_.tolerance(access.rank, target);
    const std::vector<Exposure> &exposures = found->second;
    while (next < exposures.size() && exposures[next].end + tolerance < access.completed) ++next;
    if (next == exposures.size()) return;
    const Exposure &exposure = exposures[next++];
    later(access.start, exposure.post);
    later(access.complete, exposure.post);
    if (exposure.wait != none) later(exposure.wait, access.complete);
  }

  /// `needed` becomes what `event` needs, if it came later than what is known.
  void later(std::uint32_t event, std::uint32_t needed) {
    std::uint32_t &partner = matches_.partner[event];
    if (partner == none || recording_.event(needed).begin > recording_.event(partner).begin) partner = needed;
  }

  const Recording &recording_;
  Matches &matches_;
  std::vector<Access> accesses_;
  std::map<Window, std::vector<Exposure>> exposures_;
  /// Exposures, by origin, target, communicator.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::int32_t>, std::uint32_t> used_;
};

}  // namespace

void match_epochs(const Recording &recording, Matches &matches) {
  const auto &signatures = recording.timeline.signatures;
  const bool any =
      std::any_of(signatures.begin(), signatures.end(), [](const auto &what) { return what.call == Call::MPI_Win_start; });
  if (any) Epochs(recording, matches).match();
}

Matches match(const Recording &recording) {
  Matches matches;
  matches.partner.assign(recording.size(), none);
  match_messages(recording, matches);
  match_collectives(recording, matches);
  match_epochs(recording, matches);
  return matches;
}

}  // namespace scope::analyze
