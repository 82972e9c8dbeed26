#pragma once
// --stall-timeout: looks at the ranks' live blocks while the program runs, and says why nobody gets on.

#include <optional>
#include <string>

#include "analyze/stall.hpp"
#include "analyze/stall_clock.hpp"
#include "cli.hpp"
#include "launch/run_directory.hpp"
#include "model/profile.hpp"

namespace scope::app {

class StallMonitor {
 public:
  StallMonitor(const cli::RunOptions &options, const launch::RunDirectory &directory);

  /// How often `look` is meant to be called.
  std::uint64_t period_ns() const { return period_ns_; }
  /// False: the program is to be ended.
  bool look();
  /// Whether the program was ended for a stall.
  bool aborted() const { return abort_ && stalls_ > 0; }
  /// The program's end. One that ended well after a stall has come over it.
  void ended(int exit_code) { lasting_ = lasting_ && (abort_ || exit_code != 0); }
  /// What the profile says of it; nothing where no stall was seen.
  std::optional<model::Warning> warning() const;
  std::optional<model::Finding> finding() const;

 private:
  bool look_once();
  bool report();

  const launch::RunDirectory &directory_;
  bool abort_;
  std::uint64_t period_ns_;
  analyze::StallClock clock_;
  int stalls_ = 0;
  bool lasting_ = false;  ///< nobody got on after the last one
  std::string text_;      ///< of the last one
  double seconds_ = 0;
};

}  // namespace scope::app
