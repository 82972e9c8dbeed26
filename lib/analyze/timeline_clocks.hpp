#pragma once
// What messages say about the clocks of the nodes that they go between.

#include <cstdint>
#include <vector>

#include "timeline/clocks.hpp"
#include "timeline/timeline.hpp"

namespace scope::analyze {

/// The matched messages between ranks of different nodes, in the timeline's time: it does not matter how wrong the clocks are, since
/// messages are matched by their order. `node_of`: a number for each of Header::ranks. Throws support::Error where there are 2^32 events
/// or more.
std::vector<timeline::ClockMessage> messages_between_nodes(const timeline::Timeline &timeline, const std::vector<std::uint32_t> &node_of);

}  // namespace scope::analyze
