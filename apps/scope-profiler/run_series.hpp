#pragma once
// `run` once, and `run --repeat`.

#include <cstdint>
#include <functional>

#include "cli.hpp"
#include "launch/process.hpp"
#include "model/profile.hpp"
#include "run_plan.hpp"

namespace scope::app {

/// Gets the profile of a run and how long the command took. What it throws keeps the run directory.
using Take = std::function<void(model::Profile, std::int64_t elapsed_ns)>;

struct RunEnd {
  int code = 0;           ///< the program's own, 128 + n for a signal
  int signal = 0;         ///< the first one that came to the tool meanwhile, 0: none
  bool complete = false;  ///< all ranks reported, and the profile was taken
};

/// One run in a run directory of its own.
RunEnd run_once(const RunPlan &plan, const cli::RunOptions &options, const launch::SignalGate &gate, const Take &take);

/// --repeat, --warmup and --versus: one run after the other, each side's profile written anew after every repetition, so
/// that a later accident loses nothing. Ends at the first run that fails, with its code, and at a signal.
int run_series(const RunPlan &plan, const cli::CommandLine &line);

}  // namespace scope::app
