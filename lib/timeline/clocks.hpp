#pragma once
// One time line for all ranks. Ranks of one node (equal boot id) share their CLOCK_MONOTONIC; how far a node's is from the
// launcher's is what one of its ranks measured before MPI and after it (preload/clock_exchange.hpp), else what its messages allow.
// Pure functions of their arguments. All times are nanoseconds.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "model/profile.hpp"

namespace scope::timeline {

/// What is known of a node's clock at an instant of it. Source: wire::ClockOffset.
struct OffsetMeasurement {
  std::int64_t at_ns = 0;      ///< CLOCK_MONOTONIC of the node
  std::int64_t offset_ns = 0;  ///< to be added to get the launcher's
  std::int64_t error_ns = 0;   ///< at that instant the offset is right within so much
  bool operator==(const OffsetMeasurement &) const = default;
};

struct RankClock {
  std::string boot_id, host;  ///< ranks of equal boot ids share a clock; where that is unknown (""), those of a host
  std::int64_t begin_ns = 0, end_ns = 0;  ///< from when to when the rank's clock is of interest; on its node's CLOCK_MONOTONIC
  std::vector<OffsetMeasurement> measurements = {};  ///< that this rank made for its node
  std::optional<std::int64_t> real_offset_ns = std::nullopt;  ///< CLOCK_REALTIME - CLOCK_MONOTONIC, at any time
};

/// A matched message between ranks of different nodes. It can't arrive before it was sent.
struct ClockMessage {
  std::uint32_t from = 0, to = 0;  ///< indices of ranks
  std::int64_t sent_ns = 0;        ///< begin of the send, on the sender's clock
  std::int64_t received_ns = 0;    ///< end of the receive, or of the wait that completed it, on the receiver's
};

/// Where a node's offset comes from.
enum class ClockSource {
  reference,  ///< the launcher's node; where it has no ranks and no node was measured: the first rank's
  measured,
  messages,
  real_time,  ///< of CLOCK_REALTIME, which NTP keeps near the truth: how near is not known
  nothing     ///< taken for the launcher's clock
};

/// Of offsets from real time or from nothing. Sums of a few don't overflow.
inline constexpr std::int64_t unknown_error_ns = std::numeric_limits<std::int64_t>::max() / 8;

/// From a node's CLOCK_MONOTONIC to the launcher's: never decreasing.
struct ClockMap {
  std::int64_t origin_ns = 0, offset_ns = 0;  ///< the offset at the origin
  std::int64_t rise_ns = 0, run_ns = 1;       ///< by how much it changes in so much time, run_ns > 0
  std::int64_t operator()(std::int64_t monotonic_ns) const;
  /// An instant of the node that is mapped to this one of the launcher, or next to it.
  std::int64_t back(std::int64_t launcher_ns) const;
  bool operator==(const ClockMap &) const = default;
};

struct NodeClock {
  std::string boot_id, host;   ///< of its first rank
  std::vector<std::uint32_t> ranks;
  ClockMap map;
  ClockSource source = ClockSource::nothing;
  std::int64_t error_ns = unknown_error_ns;  ///< the map is right within so much while its ranks are of interest
  bool jumped = false;         ///< the offset changed by more than clocks drift
};

struct Clocks {
  std::vector<NodeClock> nodes;          ///< in the order of their first ranks
  std::vector<std::uint32_t> node_of;    ///< of each rank
  const NodeClock &of(std::uint32_t rank) const { return nodes[node_of[rank]]; }
  /// Whether some offset is from real time or from nothing. Messages may help then.
  bool all_related() const;
};

/// Two clocks that nobody compared twice are taken to drift apart by at most so much: each is within 15 ppm of the truth, the
/// frequency tolerance PHI of RFC 5905 (section 4). What two measurements prove goes before.
inline constexpr std::int64_t assumed_drift_ppm = 30;
/// Beyond it a clock has jumped: the kernel corrects its speed by at most 0.05 %, and no oscillator is off by that much.
inline constexpr std::int64_t jump_drift_ppm = 1000;

/// Between the first and the last measurement of a node the offset changes linearly, before and after as well, with errors that
/// grow. Where the two are so close together that their errors say more about the drift than they do, and with one, the better one
/// holds throughout, and its error grows by assumed_drift_ppm. Messages are looked at for nodes without measurement only: pass
/// none first, and all that there are where not all are related then. `launcher_boot_id` may be of a node without ranks.
Clocks relate_clocks(const std::string &launcher_boot_id, const std::vector<RankClock> &ranks,
                     const std::vector<ClockMessage> &messages = {});

/// "clocks-unrelated" and "clock-jumped", each naming the hosts.
std::vector<model::Warning> clock_warnings(const Clocks &clocks);

/// Bounds that messages set to the offset of a clock: an instant on it, and the least or greatest offset then.
struct OffsetBound {
  std::int64_t at_ns = 0, offset_ns = 0;
};
/// The middle of the interval between the greatest lower and the least upper bound, with half its width as error; if they
/// contradict each other, with half of what they do. Nothing if there are none of one side.
std::optional<OffsetMeasurement> offset_from_bounds(const std::vector<OffsetBound> &lower, const std::vector<OffsetBound> &upper);

}  // namespace scope::timeline
