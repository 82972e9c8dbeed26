#pragma once
// How text is to look where it goes: what the terminal and the environment say.

#include <string>

#include "render/style.hpp"

namespace scope::app {

/// For text that goes to this descriptor (1 or 2). `color` is the value of --color.
render::Style style_for_descriptor(int descriptor, const std::string &color);

/// Lines of the terminal, 24 where it doesn't say.
int terminal_height(int descriptor);

/// For text that goes to a file.
render::Style style_for_file(const std::string &color);

}  // namespace scope::app
