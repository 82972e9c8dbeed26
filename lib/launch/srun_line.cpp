#include "launch/srun_line.hpp"

#include <strings.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace scope::launch {

namespace {

constexpr char export_variable[] = "SLURM_EXPORT_ENV";

/// Letters of srun 20 to 24 that take no value, or one that is attached.
constexpr std::string_view flags = "EHIKOQVXZhklsuv";
constexpr std::array long_flags{"--contiguous", "--disable-status", "--exact",        "--exclusive",  "--help",       "--hold",
                                "--immediate",  "--interactive",    "--kill-on-bad-exit", "--label",  "--multi-prog", "--no-allocate",
                                "--no-kill",    "--nice",           "--overcommit",   "--overlap",    "--oversubscribe", "--preserve-env",
                                "--propagate",  "--pty",            "--quiet",        "--quit-on-interrupt", "--reboot", "--send-libs",
                                "--share",      "--spread-job",     "--threads",      "--unbuffered", "--usage",      "--use-min-nodes",
                                "--verbose",    "--version",        "--bcast",        "--compress",   "--no-bell",    "--wait-for-switch"};

/// Whether the value of this option is the next word.
bool takes_next(const std::string &word) {
  if (word.starts_with("--"))
    return word.find('=') == std::string::npos && std::find(long_flags.begin(), long_flags.end(), word) == long_flags.end();
  for (std::size_t i = 1; i < word.size(); ++i) {  // "-ln4", "-ln 4"
    if (flags.find(word[i]) == std::string_view::npos) return i + 1 == word.size();
    if (word[i] == 'I' || word[i] == 'K') return false;  // the rest is its value
  }
  return false;
}

bool same(std::string_view a, const char *b) { return strncasecmp(a.data(), b, a.size()) == 0 && b[a.size()] == 0; }

std::vector<std::string> entries_of(const std::string &list) {
  std::vector<std::string> entries(1);
  char quote = 0;
  for (char c : list) {
    if (quote ? c == quote : c == '\'' || c == '"') quote = quote ? 0 : c;
    if (c == ',' && !quote) entries.emplace_back();
    else entries.back() += c;
  }
  std::erase(entries, "");
  return entries;
}

/// srun splits the list at commas outside quotes; what is inside is taken as it is.
std::optional<std::string> entry_of(const Variable &variable) {
  std::string text = variable.name + '=' + variable.value;
  if (text.find('\'') != std::string::npos || text.find('"') != std::string::npos) return std::nullopt;
  if (text.find(',') == std::string::npos) return text;
  return variable.name + "='" + variable.value + "'";
}

/// Nothing where our variables reach the tasks anyway.
std::optional<std::string> list_with(const std::string &list, const std::vector<Variable> &ours, std::string &problem) {
  auto entries = entries_of(list);
  const bool none = entries.size() == 1 && same(entries.front(), "NONE"), nil = entries.size() == 1 && same(entries.front(), "NIL");
  bool all = entries.empty(), preload = false;
  for (const auto &entry : entries) {
    all = all || same(entry, "ALL");
    preload = preload || entry.starts_with("LD_PRELOAD=");
  }
  if (all && !preload) return std::nullopt;
  std::string result;
  auto add = [&](const std::string &entry) { result += (result.empty() ? "" : ",") + entry; };
  for (const auto &entry : entries)
    if (!none && !nil && !entry.starts_with("LD_PRELOAD=") && entry != "LD_PRELOAD") add(entry);
  std::string users;
  for (const auto &entry : entries)
    if (entry.starts_with("LD_PRELOAD=")) users = entry.substr(entry.find('=') + 1);
  for (auto variable : ours) {
    if (variable.name == fork_agent_variable) continue;  // srun starts tasks itself
    if (variable.name == "LD_PRELOAD" && !users.empty()) {
      auto shim = variable.value.substr(0, variable.value.find(':'));
      variable.value = compose_preload(users, shim);
    }
    auto entry = entry_of(variable);
    if (!entry) {
      problem = "the value of " + variable.name + " has a quote, which srun's list can't hold";
      return std::nullopt;
    }
    if (!all || variable.name == "LD_PRELOAD") add(*entry);
  }
  return result;
}

}  // namespace

std::vector<OptionValue> srun_options(const std::vector<std::string> &words, const std::string &name) {
  std::vector<OptionValue> found;
  bool options = true;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const auto &word = words[i];
    if (!options || word.size() < 2 || word[0] != '-' || word == "--") {
      options = word == ":";
      continue;
    }
    if (word.starts_with(name + '=')) found.push_back({i, name.size() + 1, word.substr(name.size() + 1)});
    else if (word == name && i + 1 < words.size()) found.push_back({i + 1, 0, words[i + 1]});
    if (takes_next(word)) ++i;
  }
  return found;
}

ExportChange export_to_tasks(const std::vector<std::string> &words, const Environment &base, const std::vector<Variable> &ours) {
  ExportChange change;
  change.words = words;
  const auto options = srun_options(words, "--export");
  for (const auto &option : options) {
    auto list = list_with(option.text, ours, change.problem);
    if (!list && change.problem.empty()) continue;
    change.told = "--export=" + option.text;
    if (list) change.words[option.word] = words[option.word].substr(0, option.at) + *list;
  }
  // Other components of a heterogeneous step, and what srun starts below a script, take the variable.
  if (auto users = value_of(base, export_variable)) {
    auto list = list_with(*users, ours, change.problem);
    if (list) change.variable = *list;
    if ((list || !change.problem.empty()) && options.empty()) change.told = std::string(export_variable) + '=' + *users;
  }
  return change;
}

}  // namespace scope::launch
