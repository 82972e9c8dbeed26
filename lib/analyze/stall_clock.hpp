#pragma once
// When a run counts as stalled: no rank has made progress for so long. A rank makes progress when it begins or returns from a
// call; calls that merely ask (MPI_Test, MPI_Iprobe, ...) and get no are none.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/live_progress.hpp"

namespace scope::analyze {

/// A live process at one look. `work` (model::read_live_work) is asked for only where it decides.
struct Look {
  std::string process;
  model::LiveProgress progress;
  std::function<std::optional<std::uint64_t>()> work;
};

enum class Pace { moving, still, stalled };

class StallClock {
 public:
  explicit StallClock(std::uint64_t timeout_ns) : timeout_ns_(timeout_ns) {}

  /// One look at all live processes; looks are meant to come every `period_ns`. A longer pause between two of them (the machine
  /// slept, the job was stopped) counts as two periods. `stalled` comes once, and again after progress came and ended.
  Pace look(const std::vector<Look> &looks, std::uint64_t now_ns, std::uint64_t period_ns);

  /// For how long nobody has made progress.
  std::uint64_t still_ns() const { return still_ns_; }
  /// For how long this process has made none, and whether it calls all the same.
  std::uint64_t still_ns(const std::string &process) const;
  bool asking(const std::string &process) const;

 private:
  struct State {
    model::LiveProgress progress;
    std::uint64_t work = 0;
    std::uint64_t looked = 0;  ///< number of the look that `work` is of
    std::uint64_t still_ns = 0;
    std::uint64_t last_call = 0;  ///< number of the look that saw the last call, 0: none was seen yet
  };
  bool moved(State &state, const Look &look, bool &enough);

  std::uint64_t timeout_ns_, still_ns_ = 0, last_ns_ = 0, looks_ = 0;
  bool told_ = false;
  std::map<std::string, State> states_;
};

}  // namespace scope::analyze
