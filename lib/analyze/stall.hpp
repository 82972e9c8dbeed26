#pragma once
// Why a run makes no progress: ranks grouped by equal state, and what follows from who waits for whom. Pure.
//
// Only what is certain is concluded. A call on one peer waits for that peer unless a fitting message is on its way; a collective
// waits for the members that have not made it. Calls whose peers are not known (MPI_Sendrecv, MPI_Waitall on several requests,
// one-sided operations) are shown and nothing is concluded from them.

#include <string>
#include <vector>

#include "model/live_state.hpp"

namespace scope::analyze {

struct StallReport {
  std::vector<std::string> states;       ///< "ranks 0-6 are in MPI_Barrier on comm 0 since 61 s"
  std::vector<std::string> conclusions;  ///< whole sentences
  bool operator==(const StallReport &) const = default;
};

StallReport diagnose(const std::vector<model::LiveWorld> &worlds);

/// "No rank made progress for 61 s: ranks 0-6 are ...; rank 7 is .... Deadlock: ...."
std::string stall_sentence(const StallReport &report, double seconds);

/// The same as lines, at most 23.
std::vector<std::string> stall_lines(const StallReport &report, double seconds);

}  // namespace scope::analyze
