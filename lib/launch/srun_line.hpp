#pragma once
// srun's own options in a user's line: what it says of the environment that the tasks get, and of their binding.

#include <optional>
#include <string>
#include <vector>

#include "launch/environment.hpp"

namespace scope::launch {

/// Where in the line the value of an option stands: from `at` in words[word].
struct OptionValue {
  std::size_t word = 0, at = 0;
  std::string text;
};

/// Every use of the long option `name` ("--export") among srun's options, also behind a ':' (heterogeneous steps); what belongs to the
/// program is not looked at. words[0] is srun.
std::vector<OptionValue> srun_options(const std::vector<std::string> &words, const std::string &name);

/// What was done about a line of srun, or a variable, that keeps the environment from the tasks.
struct ExportChange {
  std::vector<std::string> words;              ///< the line as it is to be run
  std::optional<std::string> variable;         ///< the value for SLURM_EXPORT_ENV
  std::string told;                            ///< the user's words: "--export=NONE", "SLURM_EXPORT_ENV=NONE"; "": nothing was to be done
  std::string problem;                         ///< why it can't be done; "" if it could
};

/// srun gives its own environment to the tasks, unless --export or SLURM_EXPORT_ENV lists variables without ALL, or says NONE. Then
/// `ours` (the changes of plan_changes) would not reach them: they are added to the list, and the tasks see them and nothing else more.
ExportChange export_to_tasks(const std::vector<std::string> &words, const Environment &base, const std::vector<Variable> &ours);

}  // namespace scope::launch
