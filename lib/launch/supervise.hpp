#pragma once
// Runs the program to its end: forwards signals, watches ranks.

#include <filesystem>
#include <string>
#include <vector>

#include "launch/environment.hpp"
#include "launch/process.hpp"
#include "launch/rank_watch.hpp"

namespace scope::launch {

struct Command {
  std::filesystem::path program;
  std::vector<std::string> arguments;  ///< with the first word as the user wrote it
  Environment environment;
};

struct Outcome {
  int wait_status = 0;
  std::vector<RankEnd> rank_ends;  ///< in the order in which they were seen
};

/// `watched` is the run directory, empty for none. The gate stays closed: the caller decides how long signals wait.
Outcome supervise(const Command &command, const std::filesystem::path &watched, const SignalGate &gate);

}  // namespace scope::launch
