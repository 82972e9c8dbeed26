#pragma once
// Ranks and procedures as a grid: which rank spends its time where.

#include <optional>
#include <string>
#include <vector>

#include "analyze/filter.hpp"
#include "model/profile.hpp"

namespace scope::analyze {

struct HeatRow {
  int world = 0, rank = 0;
  std::optional<double> mpi_share;             ///< of the rank's wall time, in the chosen procedures
  std::vector<std::optional<double>> shares;   ///< likewise, of each of Heat::calls
};

struct Heat {
  std::vector<std::string> calls;  ///< at most `most`, longest total first
  std::vector<HeatRow> rows;       ///< chosen ranks, by world and rank
};

Heat heat_of(const model::Profile &profile, const Filter &filter, std::size_t most);

}  // namespace scope::analyze
