#include "launch/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "wire/contract.hpp"
#include "wire/live_block.hpp"
#include "wire/trace_block.hpp"

namespace scope::launch {

static_assert(callsite_depth_limit == static_cast<int>(wire::site_depth_limit));
static_assert(default_trace_limit == wire::default_trace_limit && least_trace_limit == wire::least_trace_limit);

namespace {

constexpr char no_shim[] = "-";  ///< in the agent's line, where Open MPI splits at spaces

std::string_view base_name(std::string_view path) {
  auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    auto end = std::min(text.find_first_of(separators), text.size());
    if (end) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool is_sanitizer(std::string_view path) {
  static constexpr std::array names{"libasan", "libtsan", "libubsan", "liblsan", "libhwasan", "libclang_rt."};
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return base_name(path).starts_with(name); });
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '.' || c == '_' ||
         c == '-';
}

constexpr const char asan_variable[] = "ASAN_OPTIONS";

std::vector<Variable> run_variables(const Injection &injection) {
  std::vector<Variable> variables{{wire::env_run_dir, injection.run_dir}, {wire::env_run_id, injection.run_id}};
  if (!injection.region.empty()) variables.push_back({wire::env_region_library, injection.region});
  if (injection.asan) variables.push_back({asan_variable, ""});  // composed where the rank's own value is known
  if (injection.callsite_depth > 0) variables.push_back({wire::env_site_depth, std::to_string(injection.callsite_depth)});
  if (injection.trace_bytes > 0) variables.push_back({wire::env_trace_bytes, std::to_string(injection.trace_bytes)});
  if (!injection.collect.empty()) variables.push_back({wire::env_collect, injection.collect});
  if (!injection.clock_server.empty() && !injection.boot_id.empty()) variables.push_back({wire::env_clock_server, injection.clock_server});
  if ((!injection.clock_server.empty() || !injection.collect.empty()) && !injection.boot_id.empty())
    variables.push_back({wire::env_boot_id, injection.boot_id});
  return variables;
}

}  // namespace

Environment current_environment() {
  Environment result;
  for (char **entry = environ; entry && *entry; ++entry) result.emplace_back(*entry);
  return result;
}

std::optional<std::string> value_of(const Environment &environment, std::string_view name) {
  for (const auto &entry : environment) {
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name)) return entry.substr(name.size() + 1);
  }
  return std::nullopt;
}

bool carriable(std::string_view path) { return path.find_first_of(" :\t\n$") == std::string_view::npos; }

std::string compose_preload(std::string_view users, std::string_view shim) {
  auto entries = split(users, ": ");
  std::erase_if(entries, [](std::string_view entry) { return base_name(entry) == wire::shim_file; });
  entries.insert(std::find_if_not(entries.begin(), entries.end(), is_sanitizer), shim);
  std::string result;
  for (auto entry : entries) {
    if (!result.empty()) result += ':';
    result += entry;
  }
  return result;
}

std::string compose_asan_options(std::string_view users) {
  constexpr std::string_view ours = "verify_asan_link_order=0";
  if (users.empty()) return std::string(ours);
  if (users.find("verify_asan_link_order") != std::string_view::npos) return std::string(users);
  return std::string(ours) + ':' + std::string(users);
}

std::string percent_encode(std::string_view text) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string result;
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (is_plain(c)) result += c;
    else result += {'%', digits[byte >> 4], digits[byte & 15]};
  }
  return result;
}

std::string percent_decode(std::string_view text) {
  auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; };
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int high = i + 2 < text.size() && text[i] == '%' ? digit(text[i + 1]) : -1;
    int low = high < 0 ? -1 : digit(text[i + 2]);
    if (low < 0) {
      result += text[i];
    } else {
      result += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  return result;
}

std::string fork_agent_value(const Injection &injection) {
  std::string text = injection.agent + ' ' + (injection.shim.empty() ? no_shim : percent_encode(injection.shim));
  for (const auto &variable : run_variables(injection)) text += ' ' + variable.name + '=' + percent_encode(variable.value);
  return text + " --";
}

std::optional<AgentLine> parse_agent_line(const std::vector<std::string> &arguments) {
  auto end = std::find(arguments.begin(), arguments.end(), "--");
  if (end == arguments.begin() || arguments.end() - end < 2) return std::nullopt;
  AgentLine line{arguments.front() == no_shim ? "" : percent_decode(arguments.front()), {}, {end + 1, arguments.end()}};
  for (auto word = arguments.begin() + 1; word != end; ++word) {
    auto equals = word->find('=');
    if (equals == std::string::npos || equals == 0) return std::nullopt;
    line.variables.push_back({word->substr(0, equals), percent_decode(word->substr(equals + 1))});
  }
  return line;
}

std::vector<Variable> agent_changes(const Environment &base, const AgentLine &line) {
  std::vector<Variable> changes;
  if (!line.shim.empty()) changes.push_back({"LD_PRELOAD", compose_preload(value_of(base, "LD_PRELOAD").value_or(""), line.shim)});
  for (const auto &variable : line.variables) {
    bool asan = variable.name == asan_variable;
    changes.push_back({variable.name, asan ? compose_asan_options(value_of(base, asan_variable).value_or("")) : variable.value});
  }
  return changes;
}

bool agent_is_taken(const Environment &base, const std::vector<std::string> &command) {
  auto users = value_of(base, fork_agent_variable);
  if (users && base_name(std::string_view(*users).substr(0, users->find(' '))) != wire::agent_file) return true;
  for (std::size_t i = 1; i < command.size(); ++i) {
    const auto &word = command[i];
    if (word == "-path" || word == "--path") return true;
    if ((command[i - 1] == "-mca" || command[i - 1] == "--mca" || command[i - 1] == "-gmca" || command[i - 1] == "--gmca") &&
        word == fork_agent_parameter) {
      return true;
    }
  }
  return false;
}

std::vector<Variable> plan_changes(const Environment &base, const std::vector<std::string> &command, const Injection &injection) {
  auto changes = agent_changes(base, {injection.shim, run_variables(injection), command});
  if (!injection.agent.empty() && !agent_is_taken(base, command)) {
    changes.push_back({fork_agent_variable, fork_agent_value(injection)});
  }
  return changes;
}

Environment apply_changes(Environment base, const std::vector<Variable> &changes) {
  for (const auto &change : changes) {
    std::string prefix = change.name + '=';
    auto is_it = [&](const std::string &entry) { return entry.starts_with(prefix); };
    auto first = std::find_if(base.begin(), base.end(), is_it);
    if (first == base.end()) {
      base.push_back(prefix + change.value);
    } else {
      *first = prefix + change.value;
      base.erase(std::remove_if(first + 1, base.end(), is_it), base.end());
    }
  }
  return base;
}

}  // namespace scope::launch
