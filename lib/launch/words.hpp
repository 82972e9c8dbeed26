#pragma once
// A command that is given as one text.

#include <string>
#include <vector>

namespace scope::launch {

/// The words of `text` as a POSIX shell would see them (XCU 2.2: quotes and backslashes), without a shell: nothing is expanded.
/// What only a shell can do (variables, pipes, redirections, several commands) is refused. Throws support::Error with code 125;
/// `option` is named in it.
std::vector<std::string> split_words(const std::string &text, const std::string &option);

}  // namespace scope::launch
