#pragma once
// Call sites as people read them. The parts are data: whoever shows the text makes it safe.

#include <string>
#include <vector>

#include "model/profile.hpp"

namespace scope::model {

/// "exchange (halo.c:120)", "exchange (libhalo.so)", "halo.c:120", "sim+0x1234"; "unknown" where nothing is known.
std::string place_text(const SiteFrame &frame);

/// The places from the caller outwards: "exchange (halo.c:120) < step (main.c:40)"; "other call sites" for none.
std::string stack_text(const std::vector<SiteFrame> &stack);

}  // namespace scope::model
