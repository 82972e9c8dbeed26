#pragma once
// The run again, on a network that takes no time: what of the communication is waiting for each other, and what is transfer.
//
// The rule is that of Dimemas with an ideal network (Girona, Labarta, Badia: "Validation of Dimemas communication model for MPI
// collective operations", EuroPVM/MPI 2000), the factors are POP's ("POP Standard Metrics for Parallel Performance Analysis",
// https://pop-coe.eu/node/69): computation between calls takes what was measured, calls take nothing by themselves. They end when
// what they need has begun: a receive when its message was sent, a send that was seen to block when its receive was posted, a
// collective operation when those whose data are needed have come (of all_to_root, the root needs all). Ranks begin together.
//   load balance  = mean(U) / max(U)        U: a rank's time outside MPI
//   serialisation = max(U) / ideal run      transfer = ideal run / run
//   communication = serialisation x transfer, parallel = load balance x communication
// Time in files counts as transfer. Programs that poll (MPI_Test) compute as long as they did, though they would have polled less.

#include <cstdint>

#include "analyze/timeline_matching.hpp"
#include "model/timeline_results.hpp"

namespace scope::analyze {

/// Over the window, all worlds together. Null ratios where no rank has time.
model::EfficiencySplit split_efficiency(const Recording &recording, const Matches &matches);

}  // namespace scope::analyze
