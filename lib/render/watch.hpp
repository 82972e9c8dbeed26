#pragma once
// What `watch` shows of a running job.

#include <string>
#include <vector>

#include "analyze/watch.hpp"
#include "render/style.hpp"

namespace scope::render {

/// What the run directory says of the job.
struct WatchJob {
  std::string directory, run_id, started;
  std::vector<std::string> command;
};

/// Rows are ranks, or states that ranks share. Automatic: ranks as long as all have room.
enum class WatchRows { automatic, ranks, states };

struct WatchOptions {
  analyze::WatchOrder order = analyze::WatchOrder::since;
  WatchRows rows = WatchRows::automatic;
  int top = 0;  ///< rows at most, 0: as many as have room
};

inline constexpr int watch_smallest_height = 8;

/// A screen: at most `height` lines (below watch_smallest_height it counts as that; 0: no limit), none wider than style.width,
/// each with a line feed. `hint` is the last line, "" for none.
std::string watch_screen(const analyze::Watched &watched, const WatchJob &job, const WatchOptions &options, const Style &style,
                         int height, const std::string &hint);

/// One look as lines for a log, in full length: the job in one line that begins with `time`, then one line a state, and what
/// the stall analysis says. At most `top` states, 0: 20.
std::string watch_lines(const analyze::Watched &watched, const WatchOptions &options, const std::string &time);

/// One look as a JSON object: {"job", "interval_ns", "totals", "ranks", "states", "still_ns", "stall"}; on one line if `compact`.
/// Null for what is not known. `interval_ns`: between the two looks of the rates, 0 if there was one only.
std::string watch_json(const analyze::Watched &watched, const WatchJob &job, const WatchOptions &options,
                       std::int64_t interval_ns, bool compact);

/// "in-call", "asking", "computing", "gone".
const char *to_string(model::Doing doing);

}  // namespace scope::render
