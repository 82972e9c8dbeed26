#include "launch/batch.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>
#include <initializer_list>
#include <set>

#include "launch/rank_watch.hpp"
#include "support/error.hpp"

namespace scope::launch {

namespace {

constexpr int tool_fault = 125;

/// The first of the variables that has a value.
std::string first_of(const Environment &environment, std::initializer_list<const char *> names) {
  for (const char *name : names)
    if (auto value = value_of(environment, name); value && !value->empty()) return *value;
  return "";
}

/// Ids of some systems hold what names of files should not: "123[4].server".
std::string as_name(std::string text) {
  for (char &c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
    if (!plain) c = '_';
  }
  return text;
}

std::string now() {
  std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts);
  return text.data();
}

}  // namespace

BatchJob batch_job(const Environment &environment) {
  auto value = [&](auto... names) { return first_of(environment, {names...}); };
  if (auto id = value("SLURM_JOB_ID", "SLURM_JOBID"); !id.empty()) {
    return {"slurm", id, value("SLURM_ARRAY_TASK_ID"), value("SLURM_JOB_NAME"), value("SLURM_JOB_PARTITION"),
            value("SLURM_JOB_NODELIST", "SLURM_NODELIST"), value("SLURM_TASKS_PER_NODE"), value("SLURM_CPU_BIND")};
  }
  if (auto id = value("PBS_JOBID"); !id.empty())
    return {"pbs", id, value("PBS_ARRAY_INDEX", "PBS_ARRAYID"), value("PBS_JOBNAME"), value("PBS_QUEUE"), "", "", ""};
  if (auto id = value("LSB_JOBID"); !id.empty()) {
    auto index = value("LSB_JOBINDEX");  // 0 outside an array
    return {"lsf", id, index == "0" ? "" : index, value("LSB_JOBNAME"), value("LSB_QUEUE"), value("LSB_HOSTS"), "", ""};
  }
  if (auto id = value("FLUX_JOB_ID"); !id.empty()) return {"flux", id, "", "", "", "", "", ""};
  return {};
}

BatchJob batch_job_of_world(const std::string &key) {
  for (const auto &[prefix, end] : {std::pair<std::string, char>{"pmi-", '-'}, {"pmix-slurm.pmix.", '.'}}) {
    if (!key.starts_with(prefix)) continue;
    const auto id = key.substr(prefix.size(), key.find(end, prefix.size()) - prefix.size());
    if (!id.empty() && id.find_first_not_of("0123456789") == std::string::npos) return {"slurm", id, "", "", "", "", "", ""};
  }
  return {};
}

std::map<std::string, std::string> facts_of(const BatchJob &job) {
  std::map<std::string, std::string> facts{{"system", job.system},       {"id", job.id},
                                           {"array_index", job.array_index}, {"name", job.name},
                                           {"partition", job.partition}, {"nodes", job.nodes},
                                           {"tasks_per_node", job.tasks_per_node}, {"binding", job.binding}};
  std::erase_if(facts, [](const auto &fact) { return fact.second.empty(); });
  return facts;
}

namespace {

constexpr std::size_t node_limit = 100'000;

/// "n" and "1-2,07" of "n[1-2,07]"; several brackets ("r[0-1]n[0-3]") from the left. False for what is malformed or too much.
bool expand_word(const std::string &word, std::vector<std::string> &names) {
  const auto open = word.find('[');
  if (open == std::string::npos) {
    names.push_back(word);
    return names.size() <= node_limit;
  }
  const auto close = word.find(']', open);
  if (close == std::string::npos) return false;
  const std::string before = word.substr(0, open), after = word.substr(close + 1);
  for (std::size_t at = open + 1; at < close;) {
    const auto end = std::min(word.find(',', at), close);
    const std::string range = word.substr(at, end - at);
    const auto dash = range.find('-');
    const std::string first = range.substr(0, dash), last = dash == std::string::npos ? first : range.substr(dash + 1);
    std::size_t low = 0, high = 0;
    auto number = [](const std::string &text, std::size_t &value) {
      auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      return error == std::errc() && stop == text.data() + text.size();
    };
    if (!number(first, low) || !number(last, high) || high < low || high - low > node_limit) return false;
    for (std::size_t i = low; i <= high; ++i) {
      std::string digits = std::to_string(i);
      if (digits.size() < first.size()) digits.insert(0, first.size() - digits.size(), '0');
      if (!expand_word(before + digits + after, names)) return false;
    }
    at = end + 1;
  }
  return true;
}

}  // namespace

std::vector<std::string> expand_nodes(const std::string &nodes) {
  std::vector<std::string> words(1), names;
  bool inside = false;
  for (char c : nodes) {
    inside = c == '[' || (inside && c != ']');
    if (!inside && (c == ',' || c == ' ')) words.emplace_back();
    else words.back() += c;
  }
  for (const auto &word : words)
    if (!word.empty() && !expand_word(word, names)) return {};
  std::vector<std::string> result;
  std::set<std::string> seen;
  for (auto &name : names)
    if (seen.insert(name).second) result.push_back(std::move(name));
  return result;
}

NameParts name_parts(const BatchJob &job) {
  return {as_name(job.id.empty() ? std::to_string(getpid()) : job.id), as_name(job.array_index.empty() ? "0" : job.array_index),
          as_name(host_name()), now()};
}

std::string expand_name(const std::string &pattern, const NameParts &parts, const std::string &option) {
  std::string name;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '%') {
      name += pattern[at];
      continue;
    }
    const char what = at + 1 < pattern.size() ? pattern[at + 1] : '\0';
    if (what == '%') name += '%';
    else if (what == 'j') name += parts.job;
    else if (what == 'a') name += parts.array;
    else if (what == 'h') name += parts.host;
    else if (what == 't') name += parts.time;
    else
      throw support::Error("the name '" + pattern + "' of " + option + " has " + (what ? "the unknown pattern '%" + std::string(1, what) + "'" : "a '%'") +
                               " at position " + std::to_string(at + 1) +
                               ". Known are %j (job id), %a (array index), %h (host), %t (time) and %% (a percent sign).",
                           tool_fault);
    ++at;
  }
  return name;
}

}  // namespace scope::launch
