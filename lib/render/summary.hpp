#pragma once
// What `run` prints when the program has ended.

#include <string>

#include "model/profile.hpp"
#include "render/style.hpp"

namespace scope::render {

inline constexpr int summary_max_lines = 25;

/// At most summary_max_lines lines, each with a line feed, none wider than style.width but a last one with a long path: the
/// last line is the next command, to be copied. `profile_path` is where the profile was written.
std::string summary(const model::Profile &profile, const std::string &profile_path, const Style &style);

}  // namespace scope::render
