#pragma once
// The numbers behind the charts of a report, rank by rank. With a filter they are those of the chosen ranks and procedures.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/filter.hpp"
#include "model/profile.hpp"

namespace scope::analyze {

/// One procedure over the chosen ranks; the vectors run in the order of chosen_ranks().
struct CallOfRanks {
  std::string call;
  model::PerRank per_rank;
};
/// Longest total over the chosen ranks first; calls that these never made are left out.
std::vector<CallOfRanks> calls_of_ranks(const model::Profile &profile, const Filter &filter);

/// What the chosen ranks sent, every pair once. Damaged matrices are cut to what all their columns have.
model::PeerMatrix sent_by(const model::PeerMatrix &matrix, const Filter &filter);

/// One region over the chosen ranks, in the order of the profile.
struct RegionOfRanks {
  std::string path;
  std::int64_t calls = 0, total_ns = 0;    ///< of the chosen ranks
  std::optional<std::int64_t> mpi_ns;      ///< known for all ranks together only
  std::vector<std::int64_t> rank_total_ns;  ///< in the order of chosen_ranks()
};
std::vector<RegionOfRanks> regions_of_ranks(const model::Profile &profile, const Filter &filter);

}  // namespace scope::analyze
