#pragma once
// Parallel efficiency and imbalance. POP, the European centre of excellence for performance, defines the factors
// ("POP Standard Metrics for Parallel Performance Analysis", https://pop-coe.eu/node/69):
//   useful time U of a rank = wall - MPI
//   load balance            = mean(U) / max(U)
//   communication           = max(U) / max(wall)
//   parallel efficiency     = load balance x communication
// They are taken over the ranks of all worlds that called MPI, together: ranks of one world wait for those of another too.

#include <cstddef>
#include <vector>

#include "model/profile.hpp"

namespace scope::analyze {

/// Fills efficiency and the imbalance of every call. What else a profile holds is left as it is.
void analyze(model::Profile &profile);

/// Over these ranks (indices into Profile::ranks). Null where none has a wall time. Where no rank had time outside MPI the
/// load is balanced (1) and communication efficiency is 0.
model::Efficiency efficiency_of(const model::Profile &profile, const std::vector<std::size_t> &ranks);

/// 1 - mean/max of a call's time over those of `ranks` whose world uses the call. 0 for one rank, and where max is 0.
double imbalance_of(const model::Profile &profile, const model::CallRow &call, const std::vector<std::size_t> &ranks);

}  // namespace scope::analyze
