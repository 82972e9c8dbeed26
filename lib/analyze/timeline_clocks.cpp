#include "analyze/timeline_clocks.hpp"

#include "analyze/timeline_matching.hpp"

namespace scope::analyze {

std::vector<timeline::ClockMessage> messages_between_nodes(const timeline::Timeline &timeline, const std::vector<std::uint32_t> &node_of) {
  const Recording recording(timeline);
  Matches matches;
  matches.partner.assign(recording.size(), none);
  match_messages(recording, matches);
  std::vector<timeline::ClockMessage> messages;
  for (std::uint32_t rank = 0; rank < recording.ranks(); ++rank) {
    for (std::uint32_t i = 0; i < timeline.events[rank].size(); ++i) {
      const timeline::Event &send = timeline.events[rank][i];
      const std::uint32_t partner = matches.partner[recording.first[rank] + i];
      if (partner == none || recording.act(send) != Act::send) continue;
      const std::uint32_t receiver = recording.rank_of(partner);
      if (node_of[rank] != node_of[receiver]) messages.push_back({rank, receiver, send.begin, recording.event(receiver, partner).end});
    }
  }
  return messages;
}

}  // namespace scope::analyze
