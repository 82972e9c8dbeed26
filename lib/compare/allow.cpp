#include "compare/allow.hpp"

#include <sstream>

#include "support/error.hpp"

namespace scope::compare {

std::vector<Allowance> parse_allowances(const std::string &text, const std::string &file) {
  std::vector<Allowance> result;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string source = file + ":" + std::to_string(number);
    if (line.ends_with('\r')) line.pop_back();
    auto end = line.starts_with('#') ? 0 : line.find(" #");
    if (end != std::string::npos) line.erase(end);
    const auto begin = line.find_first_not_of(" \t");
    if (begin == std::string::npos) continue;
    const std::string pattern = line.substr(begin, line.find_last_not_of(" \t") - begin + 1);
    // Paths of regions may hold blanks; everything else that does is two patterns on a line.
    if (pattern.find_first_of(" \t") != std::string::npos && !pattern.starts_with("regions.") &&
        !pattern.starts_with("communicators."))
      throw support::Error(source + ": one pattern a line is possible, and a comment behind ' #': " + pattern);
    result.push_back({pattern, source});
  }
  return result;
}

}  // namespace scope::compare
