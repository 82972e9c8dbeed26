#pragma once
// The numbers behind the charts of a report, rank by rank. With a filter they are those of the chosen ranks and procedures.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/filter.hpp"
#include "model/profile.hpp"

namespace scope::analyze {

/// Ranks whose figures stand for all in charts, as indices into Profile::ranks, ascending: all chosen ones up to `most`. Of more,
/// out of each of `groups` groups of ranks in a row the one with the longest time outside MPI, and of every call and region the
/// ranks with the shortest and the longest time.
std::vector<std::size_t> lanes_of(const model::Profile &profile, const Filter &filter, std::size_t most, std::size_t groups);

/// One procedure; the vectors run in the order of the lanes. They are empty where the profile keeps no value for each rank.
struct CallOfRanks {
  std::string call;
  model::PerRank per_rank;
};
/// Longest total over the chosen ranks first; calls that these never made are left out.
std::vector<CallOfRanks> calls_of_ranks(const model::Profile &profile, const Filter &filter, const std::vector<std::size_t> &lanes);

/// Who sends how much to whom by groups of ranks in a row: a matrix of millions of pairs as at most `most` squared cells. src and
/// dst are indices of groups, world is empty.
struct BinnedMatrix {
  std::vector<int> world, first, last;  ///< of each group
  model::PeerMatrix p2p, rma;
};
BinnedMatrix binned_peers(const model::Profile &profile, const Filter &filter, std::size_t most);

/// What the chosen ranks sent, every pair once. Damaged matrices are cut to what all their columns have.
model::PeerMatrix sent_by(const model::PeerMatrix &matrix, const Filter &filter);

/// One region over the chosen ranks, in the order of the profile.
struct RegionOfRanks {
  std::string path;
  std::int64_t calls = 0, total_ns = 0;    ///< of the chosen ranks
  std::optional<std::int64_t> mpi_ns;      ///< known for all ranks together only
  std::vector<std::int64_t> rank_total_ns;  ///< in the order of the lanes; empty where the profile keeps no value for each rank
};
std::vector<RegionOfRanks> regions_of_ranks(const model::Profile &profile, const Filter &filter, const std::vector<std::size_t> &lanes);

}  // namespace scope::analyze
