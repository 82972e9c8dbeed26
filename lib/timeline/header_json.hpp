#pragma once
// The header of the side file. Internal to the room.

#include <string>
#include <string_view>

#include "timeline/timeline.hpp"

namespace scope::timeline {

/// JSON; invalid UTF-8 in names becomes U+FFFD.
std::string to_json(const Header &header);

/// Throws support::Error naming `file`, the key and the reason. Keys that are not known are passed over.
Header parse_header(const std::string &text, const std::string &file);

}  // namespace scope::timeline
