#pragma once
// The one exception of the tool: what failed, on which file or rank, why, and what to do next.

#include <stdexcept>
#include <string>

namespace scope::support {

class Error : public std::runtime_error {
 public:
  /// `exit_code` is what the command returns for it: 2 by default; run uses 125, 126 and 127 (DESIGN 2).
  explicit Error(const std::string &message, int exit_code = 2) : std::runtime_error(message), exit_code_(exit_code) {}
  int exit_code() const noexcept { return exit_code_; }

 private:
  int exit_code_;
};

/// errno in words: "No space left on device".
std::string errno_text(int error);

}  // namespace scope::support
