// Messages that were sent and never received. MPI 4.1, 11.4.1: a program must complete its receives before MPI_Finalize; one that
// does not runs, and loses data.

#include <algorithm>
#include <map>
#include <tuple>

#include "model/limits.hpp"
#include "model/merge_parts.hpp"
#include "model/messages.hpp"

namespace scope::model {
namespace {

constexpr std::size_t most_named = 5;

struct Pair {
  int source = 0, destination = 0, comm = 0, tag = 0;
  auto operator<=>(const Pair &) const = default;
};

/// What one rank says for this purpose.
struct Side {
  int rank = 0;
  Messages messages;
  bool knows_sends() const { return messages.exact; }
  /// A receive that was begun and not waited for may have got the message.
  bool knows_receives() const { return messages.exact && messages.open_receives == 0; }
};

/// Sends minus receives. Both sides know their part exactly, and the communicator is known to all of its ranks.
std::map<Pair, std::int64_t> unmatched(const std::map<int, Side> &sides, const std::map<int, int> &holders,
                                       const Profile &profile) {
  std::map<Pair, std::int64_t> open;
  for (const auto &[rank, side] : sides) {
    for (const auto &[key, count] : side.messages.sent) add_to(open[{rank, key.peer, key.comm, key.tag}], count);
    for (const auto &[key, count] : side.messages.received) add_to(open[{key.peer, rank, key.comm, key.tag}], -count);
  }
  std::erase_if(open, [&](const auto &one) {
    const auto &[pair, count] = one;
    auto source = sides.find(pair.source), destination = sides.find(pair.destination);
    auto held = holders.find(pair.comm);
    return count <= 0 || source == sides.end() || destination == sides.end() || !source->second.knows_sends() ||
           !destination->second.knows_receives() || held == holders.end() ||
           held->second != profile.communicators[static_cast<std::size_t>(pair.comm)].size;
  });
  return open;
}

std::string text_of(const std::map<Pair, std::int64_t> &open, const std::string &world) {
  std::int64_t sum = 0;
  std::string list;
  std::size_t named = 0;
  for (const auto &[pair, count] : open) {
    add_to(sum, count);
    if (++named > most_named) continue;
    list += (list.empty() ? "" : "; ") + std::string("rank ") + std::to_string(pair.source) + " to rank " +
            std::to_string(pair.destination) + ", tag " + std::to_string(pair.tag) + ", comm " + std::to_string(pair.comm) +
            ": " + std::to_string(count);
  }
  if (named > most_named) list += "; and " + std::to_string(named - most_named) + " more of such kinds";
  return std::to_string(sum) + (sum == 1 ? " message was" : " messages were") + " sent" + world + " and never received: " + list +
         ".";
}

}  // namespace

void add_unmatched(const std::vector<Placed> &placed, const std::vector<std::vector<int>> &comm_ids, Profile &profile) {
  for (const World &world : profile.worlds) {
    std::map<int, Side> sides;
    std::map<int, int> holders;
    bool finalized = world.complete;
    for (std::size_t i = 0; i < placed.size(); ++i) {
      if (placed[i].world != world.id) continue;
      finalized = finalized && placed[i].record->status == RankStatus::finalized;
      sides[placed[i].rank] = {placed[i].rank, messages_of(*placed[i].record, comm_ids[i])};
      for (int comm : comm_ids[i]) ++holders[comm];
    }
    if (!finalized) continue;
    auto open = unmatched(sides, holders, profile);
    if (open.empty()) continue;
    std::string text = text_of(open, profile.worlds.size() > 1 ? " in world " + std::to_string(world.id) : "");
    std::int64_t sum = 0;
    for (const auto &[pair, count] : open) add_to(sum, count);
    profile.warnings.push_back({"unmatched-messages", text});
    profile.findings.push_back({"unmatched-messages", "warning", text, {{"messages", static_cast<double>(sum)}}, 0});
  }
}

}  // namespace scope::model
