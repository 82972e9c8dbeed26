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

/// Messages of one kind that were sent and not received so far; negative: received and not sent so far.
struct Balance {
  Pair pair;
  std::int64_t count = 0;
};

/// What one rank says for this purpose.
struct Side {
  bool knows_sends = false;
  /// A receive that was begun and not waited for may have got the message.
  bool knows_receives = false;
};

/// Adds equal pairs up and drops those in balance: ranks that come near each other in the profile mostly talk to each other.
void settle(std::vector<Balance> &open) {
  std::sort(open.begin(), open.end(), [](const Balance &a, const Balance &b) { return a.pair < b.pair; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < open.size();) {
    Balance sum = open[i];
    for (++i; i < open.size() && open[i].pair == sum.pair; ++i) add_to(sum.count, open[i].count);
    if (sum.count != 0) open[kept++] = sum;
  }
  open.resize(kept);
}

struct WorldBalance {
  std::vector<Balance> open;
  std::size_t settle_at = std::size_t{1} << 20;
  std::map<int, Side> sides;
  std::map<int, int> holders;  ///< of each communicator: ranks that know it
  bool finalized = true;
};

/// Sends minus receives. Both sides know their part exactly, and the communicator is known to all of its ranks.
std::map<Pair, std::int64_t> unmatched(WorldBalance &world, const Profile &profile) {
  settle(world.open);
  std::map<Pair, std::int64_t> result;
  for (const auto &[pair, count] : world.open) {
    auto source = world.sides.find(pair.source), destination = world.sides.find(pair.destination);
    auto held = world.holders.find(pair.comm);
    if (count > 0 && source != world.sides.end() && destination != world.sides.end() && source->second.knows_sends &&
        destination->second.knows_receives && held != world.holders.end() &&
        held->second == profile.communicators[static_cast<std::size_t>(pair.comm)].size)
      result[pair] = count;
  }
  return result;
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

struct UnmatchedMessages::Worlds {
  std::vector<WorldBalance> all;
};

UnmatchedMessages::UnmatchedMessages(std::size_t worlds) : worlds_(std::make_unique<Worlds>(Worlds{std::vector<WorldBalance>(worlds)})) {}
UnmatchedMessages::~UnmatchedMessages() = default;

void UnmatchedMessages::add(const Placed &placed, const RankRows &rows, const std::vector<int> &comm_ids) {
  WorldBalance &world = worlds_->all[static_cast<std::size_t>(placed.world)];
  world.finalized = world.finalized && rows.record.status == RankStatus::finalized;
  if (!world.finalized) {
    world.open = {};
    return;
  }
  const int rank = placed.rank;
  const Messages messages = messages_of(rows.record, comm_ids);
  world.sides[rank] = {messages.exact, messages.exact && messages.open_receives == 0};
  for (int comm : comm_ids) ++world.holders[comm];
  for (const auto &[key, count] : messages.sent) world.open.push_back({{rank, key.peer, key.comm, key.tag}, count});
  for (const auto &[key, count] : messages.received) world.open.push_back({{key.peer, rank, key.comm, key.tag}, -count});
  if (world.open.size() < world.settle_at) return;
  settle(world.open);
  world.settle_at = std::max(world.settle_at, 2 * world.open.size());
}

void UnmatchedMessages::finish(Profile &profile) {
  for (const World &world : profile.worlds) {
    WorldBalance &balance = worlds_->all[static_cast<std::size_t>(world.id)];
    if (!world.complete || !balance.finalized) continue;
    auto open = unmatched(balance, profile);
    if (open.empty()) continue;
    std::string text = text_of(open, profile.worlds.size() > 1 ? " in world " + std::to_string(world.id) : "");
    std::int64_t sum = 0;
    for (const auto &[pair, count] : open) add_to(sum, count);
    profile.warnings.push_back({"unmatched-messages", text});
    profile.findings.push_back({"unmatched-messages", "warning", text, {{"messages", static_cast<double>(sum)}}, 0});
  }
}

}  // namespace scope::model
