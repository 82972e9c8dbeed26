#pragma once
// The environment that a profiled program gets: pure functions on lists of NAME=VALUE. Only what is in the list of changes
// differs from the environment of the tool itself.

#include <filesystem>
#include <optional>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace scope::launch {

using Environment = std::vector<std::string>;  ///< NAME=VALUE, as in environ

struct Variable {
  std::string name, value;
  bool operator==(const Variable &) const = default;
};

/// The environment of this process.
Environment current_environment();

/// Value of the first entry of that name, as getenv finds it.
std::optional<std::string> value_of(const Environment &environment, std::string_view name);

/// True when LD_PRELOAD and Open MPI's fork agent can carry the path: the one is split at spaces and colons, the other at
/// spaces. Both are wanted of every path that stands there. "$" would be expanded by ld.so.
bool carriable(std::string_view path);

/// LD_PRELOAD with the shim before the user's own entries, which stay in order; behind sanitizer runtimes that lead it
/// (they refuse to start when they are not first). An earlier shim, of an outer run, is replaced.
std::string compose_preload(std::string_view users, std::string_view shim);

/// ASAN_OPTIONS with which gcc's AddressSanitizer starts behind the shim, too. That it wants to come first is for libraries that
/// replace malloc, which the shim does not. What the user says of it holds.
std::string compose_asan_options(std::string_view users);

inline constexpr int callsite_depth_limit = 15;
inline constexpr std::uint64_t default_trace_limit = 64u << 20, least_trace_limit = 1u << 20;  ///< bytes a rank

/// What brings the shim into the ranks, and tells them where regions go. Paths `shim` and `agent` are carriable.
struct Injection {
  std::string shim;     ///< path as LD_PRELOAD is to name it; "": nothing is preloaded
  std::string agent;    ///< path as the fork agent's value is to name it
  std::string run_dir;  ///< may hold any character
  std::string run_id;
  int callsite_depth = 0;  ///< 0: off
  std::string region = {};  ///< path of the recorder of regions
  std::uint64_t trace_bytes = 0;  ///< of a rank's timeline; 0: none is recorded
  bool asan = false;        ///< a program links gcc's AddressSanitizer, which wants to be the first library
  std::string clock_server = {};  ///< clock_server_value of clock_server.hpp; "": nobody asks for the launcher's clock
  std::string boot_id = {};       ///< of this node; goes with clock_server, and with `collect`
  std::string collect = {};       ///< run --collect; "" as "files"
};

/// Open MPI's parameter for the program that starts ranks, as environment variable and as --mca name.
inline constexpr const char fork_agent_variable[] = "OMPI_MCA_orte_fork_agent";
inline constexpr const char fork_agent_parameter[] = "orte_fork_agent";

/// "AGENT SHIM NAME=VALUE ... --", each part percent-encoded: Open MPI splits at spaces, and appends the rank's own words.
std::string fork_agent_value(const Injection &injection);

/// The agent's side of it.
struct AgentLine {
  std::string shim;  ///< "": nothing is preloaded; "-" in the line
  std::vector<Variable> variables;
  std::vector<std::string> command;
};
/// From the agent's arguments. Nothing if they don't have that form or there is no command.
std::optional<AgentLine> parse_agent_line(const std::vector<std::string> &arguments);

/// The changes that the agent makes to the environment that Open MPI gave to the rank.
std::vector<Variable> agent_changes(const Environment &base, const AgentLine &line);

/// True when the fork agent must be left alone: the user set one, in the environment (an outer run's does not count) or in
/// the line as `--mca orte_fork_agent X`, or the line says `--path DIR`: Open MPI hands the agent the program's name as the
/// user wrote it, and only its own launch would search DIR.
bool agent_is_taken(const Environment &base, const std::vector<std::string> &command);

/// The changes for a profiled run, in a fixed order.
std::vector<Variable> plan_changes(const Environment &base, const std::vector<std::string> &command, const Injection &injection);

/// `base` with the changes: replaced in place, new ones at the end.
Environment apply_changes(Environment base, const std::vector<Variable> &changes);

/// %XX for everything but letters, digits and "/._-".
std::string percent_encode(std::string_view text);
std::string percent_decode(std::string_view text);

}  // namespace scope::launch
