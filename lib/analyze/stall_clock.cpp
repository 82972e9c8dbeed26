#include "analyze/stall_clock.hpp"

#include <algorithm>

namespace scope::analyze {

/// Whether the process made progress since it was looked at last. `enough`: somebody did for certain since the last look, so
/// that nothing expensive is read any more.
bool StallClock::moved(State &state, const Look &look, bool &enough) {
  const model::LiveProgress before = state.progress;
  if (look.progress == before) return false;
  state.progress = look.progress;
  state.last_call = looks_;
  // In a call that waits; or its calls do not count (MPI_Pcontrol), so that only their coming and going can be seen.
  if (look.progress.in_work || look.progress.mpi_ticks == before.mpi_ticks) {
    enough = true;
    return true;
  }
  if (enough) return true;
  auto work = look.work();
  bool fresh = state.looked + 1 == looks_;
  bool changed = work && (*work != state.work || state.looked == 0);
  state.work = work.value_or(state.work);
  state.looked = looks_;
  // What changed since an older look may have changed before the last one: others are asked, too.
  if (changed && fresh) enough = true;
  return changed;
}

Pace StallClock::look(const std::vector<Look> &looks, std::uint64_t now_ns, std::uint64_t period_ns) {
  ++looks_;
  std::uint64_t passed = last_ns_ == 0 ? 0 : std::min(now_ns - last_ns_, 2 * period_ns);
  last_ns_ = now_ns;
  bool enough = false, any = looks.size() != states_.size();
  std::map<std::string, State> next;
  for (const Look &look : looks) {
    auto known = states_.find(look.process);
    State state = known == states_.end() ? State{look.progress, 0, 0, 0, 0} : known->second;
    bool progress = known == states_.end() || moved(state, look, enough);
    state.still_ns = progress ? 0 : state.still_ns + passed;
    any = any || progress;
    next.emplace(look.process, std::move(state));
  }
  states_ = std::move(next);
  still_ns_ = any || looks.empty() ? 0 : still_ns_ + passed;
  if (still_ns_ == 0) told_ = false;
  if (still_ns_ < timeout_ns_) return still_ns_ == 0 ? Pace::moving : Pace::still;
  if (told_) return Pace::still;
  told_ = true;
  return Pace::stalled;
}

std::uint64_t StallClock::still_ns(const std::string &process) const {
  auto state = states_.find(process);
  return state == states_.end() ? 0 : state->second.still_ns;
}

bool StallClock::asking(const std::string &process) const {
  auto state = states_.find(process);
  return state != states_.end() && state->second.last_call + 1 >= looks_ && state->second.still_ns > 0;
}

}  // namespace scope::analyze
