#pragma once
// Parallel efficiency and imbalance. POP, the European centre of excellence for performance, defines the factors
// ("POP Standard Metrics for Parallel Performance Analysis", https://pop-coe.eu/node/69):
//   useful time U of a rank = wall - MPI
//   load balance            = mean(U) / max(U)
//   communication           = max(U) / max(wall)
//   parallel efficiency     = load balance x communication
// They are taken over the ranks of all worlds that called MPI, together: ranks of one world wait for those of another too.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/profile.hpp"

namespace scope::analyze {

/// Fills efficiency and the imbalance of every call. What else a profile holds is left as it is.
void analyze(model::Profile &profile);

/// Over these ranks (indices into Profile::ranks). Null where none has a wall time. Where no rank had time outside MPI the
/// load is balanced (1) and communication efficiency is 0.
model::Efficiency efficiency_of(const model::Profile &profile, const std::vector<std::size_t> &ranks);

/// What MPI_Init, MPI_Init_thread and MPI_Finalize took, and the figures of the time between them: starting and ending MPI
/// does not repeat in a longer run, so that a short run is judged by these. Time outside MPI is the same in both.
struct BetweenInitAndFinalize {
  std::int64_t startup_ns = 0;                         ///< sum over the ranks
  std::optional<double> startup_share, mpi_share, parallel;  ///< startup of wall; MPI and efficiency of the rest
};
BetweenInitAndFinalize between_init_and_finalize(const model::Profile &profile, const std::vector<std::size_t> &ranks);

/// 1 - mean/max of a call's time over those of `ranks` whose world uses the call. 0 for one rank, and where max is 0.
double imbalance_of(const model::Profile &profile, const model::CallRow &call, const std::vector<std::size_t> &ranks);

}  // namespace scope::analyze
