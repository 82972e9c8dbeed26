#pragma once
// How text is to look where it goes: what the terminal and the environment say.

#include <string>

#include "render/style.hpp"

namespace scope::app {

/// For text that goes to this descriptor (1 or 2). `color` is the value of --color.
render::Style style_for_descriptor(int descriptor, const std::string &color);

/// For text that goes to a file.
render::Style style_for_file(const std::string &color);

}  // namespace scope::app
