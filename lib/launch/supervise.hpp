#pragma once
// Runs the program to its end: forwards signals, watches ranks.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
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
  std::optional<Apart> apart = std::nullopt;
};

struct Outcome {
  int wait_status = 0;
  std::vector<RankEnd> rank_ends;  ///< in the order in which they were seen
  bool timed_out = false;          ///< the limit of a program that was started apart was over
  int signal = 0;                  ///< the first one that came to the tool meanwhile
};

/// Something to look at every now and then while the program runs. Once `tick` gives false the program is asked to end
/// (SIGTERM), and made to 5 s later; `tick` is not called again. Ranks of this host that outlive it are ended likewise.
struct Timer {
  std::uint64_t period_ns = 0;
  std::function<bool()> tick;
};

/// `watched` is the run directory, empty for none. The gate stays closed: the caller decides how long signals wait.
Outcome supervise(const Command &command, const std::filesystem::path &watched, const SignalGate &gate,
                  const Timer *timer = nullptr);

}  // namespace scope::launch
