#include "render/html_escape.hpp"

namespace scope::render {

std::string json_for_script(std::string json) {
  std::string out;
  out.reserve(json.size());
  for (char c : json) {
    if (c == '<') out += "\\u003c";  // only strings of JSON hold one
    else out += c;
  }
  return out;
}

}  // namespace scope::render
