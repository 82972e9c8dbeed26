#include "analyze/timeline_recording.hpp"

#include <limits>
#include <set>

#include "analyze/sums.hpp"
#include "support/error.hpp"

namespace scope::analyze {

Window common_window(const timeline::Header &header) {
  Window window;
  std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = std::numeric_limits<std::int64_t>::min();
  std::int64_t from = end, to = begin;
  for (const timeline::RankInfo &rank : header.ranks) {
    if (!rank.recorded) {
      window.complete = false;
      continue;
    }
    begin = std::min(begin, rank.begin);
    end = std::max(end, rank.end);
    if (rank.from > rank.begin) from = std::max(from, rank.from);
    if (rank.to < rank.end) to = std::min(to, rank.to);
    if (rank.from > rank.begin || rank.to < rank.end || rank.dropped > 0) window.complete = false;
  }
  if (end < begin) return window;  // no rank at all
  window.from = std::max(begin, from);
  window.to = std::max(window.from, std::min(end, to));
  return window;
}

Recording::Recording(const timeline::Timeline &whole) : timeline(whole), window(common_window(whole.header)) {
  std::uint64_t total = 0;
  first.reserve(ranks() + 1);
  for (const auto &events : timeline.events) {
    first.push_back(static_cast<std::uint32_t>(total));
    total += events.size();
    if (total >= none)
      throw support::Error("the timeline has more events than can be analysed: at most 4294967294; use a smaller --trace-limit");
  }
  first.push_back(static_cast<std::uint32_t>(total));
  first_lane.push_back(0);
  for (const auto &events : timeline.events) {
    std::uint32_t threads = 1;
    for (const timeline::Event &event : events) threads = std::max(threads, event.thread + 1u);
    first_lane.push_back(first_lane.back() + threads);
  }
  for (std::uint32_t i = 0; i < ranks(); ++i) {
    const timeline::RankInfo &info = rank(i);
    if (!info.recorded || info.rank < 0) continue;
    auto &indices = worlds_[info.world];
    if (indices.size() <= static_cast<std::size_t>(info.rank)) indices.resize(static_cast<std::size_t>(info.rank) + 1, none);
    indices[static_cast<std::size_t>(info.rank)] = i;
  }
  for (std::uint32_t i = 0; i < timeline.header.communicators.size(); ++i) communicators_[timeline.header.communicators[i].id] = i;
  find_intercommunicators();
  for (const timeline::Signature &signature : timeline.signatures) {
    usable.push_back(is_usable(communicator(signature.comm)));
    const Act act = act_of(signature);
    acts.push_back(usable.back() || (act == Act::collective && signature.comm < 0) ? act : Act::none);
  }
}

/// Where the remote group is of another world, its ranks have the numbers of other ranks here. Then only the local group uses the
/// communicator in this world.
bool Recording::is_usable(const timeline::Communicator *communicator) const {
  if (!communicator) return false;
  if (communicator->remote_size == 0) return !communicator->members.empty();
  auto used = ranks_on_.find(communicator->id);
  return used != ranks_on_.end() && used->second > static_cast<std::uint32_t>(std::max(0, communicator->size));
}

void Recording::find_intercommunicators() {
  std::vector<bool> inter;  // by signature
  for (const timeline::Signature &signature : timeline.signatures) {
    const timeline::Communicator *comm = communicator(signature.comm);
    inter.push_back(comm && comm->remote_size > 0);
  }
  if (std::find(inter.begin(), inter.end(), true) == inter.end()) return;
  for (const auto &events : timeline.events) {
    std::set<std::int32_t> used;
    for (const timeline::Event &event : events)
      if (event.kind != timeline::Kind::region && inter[event.what]) used.insert(signature(event).comm);
    for (std::int32_t comm : used) ++ranks_on_[comm];
  }
}

Act Recording::act(const timeline::Event &event) const {
  switch (event.kind) {
    case timeline::Kind::region: return Act::none;
    case timeline::Kind::receive: {
      const timeline::Signature &what = signature(event);
      return usable[event.what] && what.peer >= 0 ? Act::receive : Act::none;
    }
    default: return acts[event.what];
  }
}

std::uint32_t Recording::find(std::int32_t world, std::int32_t rank) const {
  auto found = worlds_.find(world);
  if (found == worlds_.end() || rank < 0 || static_cast<std::size_t>(rank) >= found->second.size()) return none;
  return found->second[static_cast<std::size_t>(rank)];
}

const timeline::Communicator *Recording::communicator(std::int32_t id) const {
  auto found = communicators_.find(id);
  return found == communicators_.end() ? nullptr : &timeline.header.communicators[found->second];
}

std::int64_t Recording::tolerance(std::uint32_t a, std::uint32_t b) const { return add(rank(a).clock_error, rank(b).clock_error); }

}  // namespace scope::analyze
