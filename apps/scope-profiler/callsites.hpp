#pragma once
// Call sites get their function, file and line: the profile's, and those that a stalled run is in.

#include "model/live_state.hpp"
#include "model/profile.hpp"

namespace scope::app {

/// Fills in what the files on this machine tell, and warns of those that tell less than they could.
void resolve_callsites(model::Profile &profile);
void resolve_callsites(std::vector<model::LiveWorld> &worlds);

}  // namespace scope::app
