#pragma once
// Data in a script of an HTML page. That of text and attributes is in escape.hpp.

#include <string>

#include "render/escape.hpp"

namespace scope::render {

/// JSON that may stand in a <script> element: no "<" is left that could end it. The JSON says the same.
std::string json_for_script(std::string json);

}  // namespace scope::render
