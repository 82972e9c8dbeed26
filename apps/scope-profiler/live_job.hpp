#pragma once
// A job that runs, through the live blocks in its run directory.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "analyze/stall_clock.hpp"
#include "model/live_state.hpp"

namespace scope::app {

/// For a live block of another host it is taken for granted.
bool is_live(const std::filesystem::path &file, const std::string &host);

/// Progress of all live ranks. A file that can't be read, or is not ready yet, is left out.
std::vector<analyze::Look> looks_at(const std::filesystem::path &directory);

/// Worlds in which somebody is still there, as the ranks' files say now; `clock` knows for how long which of them made no progress.
std::vector<model::LiveWorld> live_worlds(const std::filesystem::path &directory, const std::string &run_id,
                                          const analyze::StallClock &clock);

}  // namespace scope::app
