#pragma once
// How a figure spreads over ranks, where there are too many of them to keep each.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace scope::model {

struct PerRank {
  std::vector<std::int64_t> calls, total_ns, bytes_sent, bytes_received;
  bool operator==(const PerRank &) const = default;
};

/// Profiles of more ranks keep a spread instead of a value for each, unless they are asked to keep all.
inline constexpr std::size_t most_ranks_in_full = 1024;

/// Shares of the ranks whose value is not above. Nearest rank (the smallest value that at least this share does not exceed), so
/// that each is the value of a rank; the first is the minimum.
inline constexpr std::array<double, 7> spread_shares{0, 0.05, 0.25, 0.5, 0.75, 0.95, 1};
using Quantiles = std::array<std::int64_t, spread_shares.size()>;

/// Ranks with the shortest and the longest time, so many of each.
inline constexpr std::size_t extreme_ranks = 8;

struct RankSpread {
  std::size_t ranks = 0;  ///< over which it is taken: all of the profile
  Quantiles calls{}, total_ns{}, bytes_sent{}, bytes_received{};
  Quantiles self_ns{}, mpi_ns{}, mpi_calls{};  ///< of regions
  std::vector<std::size_t> extremes;           ///< indices into Profile::ranks, by total_ns from the shortest to the longest, then index
  PerRank of_extremes;                         ///< their values, in that order
  bool operator==(const RankSpread &) const = default;
};

Quantiles quantiles_of(std::vector<std::int64_t> values);

/// Of vectors of one length above 0.
RankSpread spread_of(const PerRank &per_rank);

}  // namespace scope::model
