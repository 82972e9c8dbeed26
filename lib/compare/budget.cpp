#include "support/toml.hpp"

#include "compare/budget.hpp"

#include <algorithm>

#include "compare/budget_lines.hpp"
#include "compare/quantity.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace scope::compare {
namespace {

using support::Error;

constexpr std::size_t largest_budget = 1 << 20;
constexpr std::size_t longest_line = 4096;

std::string place(const std::string &file, const toml::source_position &at) {
  return file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": ";
}

std::string joined(const std::vector<std::string> &path) {
  std::string text;
  for (const std::string &part : path) text += (text.empty() ? "" : ".") + part;
  return text;
}

std::string trimmed(const std::string &text) {
  const auto begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// "<= 0.25", ">= 0.8", "<= +5%", "forbid".
Limit parse_value(const Metric &metric, const std::string &value) {
  Limit limit;
  limit.metric = metric;
  const std::string text = trimmed(value);
  if (metric.scope == Scope::finding && text == "forbid") {
    limit.kind = Limit::Kind::forbidden;
    return limit;
  }
  const bool at_least = text.starts_with(">=");
  if (!at_least && !text.starts_with("<="))
    throw Error("\"" + support::shortened(text) + "\" is no limit; it begins with <= or >=" +
                (metric.scope == Scope::finding ? ", or is \"forbid\"" : ""));
  const std::string quantity = trimmed(text.substr(2));
  limit.kind = at_least ? Limit::Kind::at_least : Limit::Kind::at_most;
  if (!at_least && quantity.starts_with('+') && parse_growth(quantity, limit.value)) limit.kind = Limit::Kind::growth;
  else limit.value = parse_quantity(quantity, metric.unit());
  if (limit.kind == Limit::Kind::growth && metric.scope == Scope::finding) throw Error("a finding can't have a limit on growth");
  return limit;
}

class Reader {
 public:
  explicit Reader(const std::string &file) : file_(file) {}

  void read(const toml::table &table, std::vector<std::string> &path) {
    for (auto &&[key, node] : table) {
      path.emplace_back(key.str());
      if (const auto *inner = node.as_table()) read(*inner, path);
      else read_limit(node, key.source().begin, joined(path));
      path.pop_back();
    }
  }

  std::vector<Limit> take() {
    std::stable_sort(limits_.begin(), limits_.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
    std::vector<Limit> result;
    for (auto &[line, limit] : limits_) result.push_back(std::move(limit));
    return result;
  }

 private:
  void read_limit(const toml::node &node, const toml::source_position &key, const std::string &name) {
    Metric metric;
    try {
      metric = parse_metric(name);
    } catch (const Error &error) {
      throw Error(place(file_, key) + error.what());
    }
    const auto *text = node.as_string();
    const std::string where = place(file_, node.source().begin) + support::shortened(name) + ": ";
    if (!text) {
      const std::string shown = support::shortened(name);
      throw Error(where + "a limit is a comparison: " + shown + " <= 0.25, or as TOML " + shown + " = \"<= 0.25\".");
    }
    try {
      Limit limit = parse_value(metric, text->get());
      limit.source = file_ + ":" + std::to_string(key.line);
      limits_.emplace_back(key.line, std::move(limit));
    } catch (const Error &error) {
      throw Error(where + error.what() + ".");
    }
  }

  const std::string &file_;
  std::vector<std::pair<toml::source_index, Limit>> limits_;
};

/// toml++ walks nested tables by recursion: what a person would never write must not be deep.
void refuse_monsters(const std::string &text, const std::string &file) {
  if (text.size() > largest_budget) throw Error(file + ": is larger than 1 MiB, which no budget is.");
  std::size_t line = 1, begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] != '\n') continue;
    if (i - begin > longest_line) throw Error(file + ":" + std::to_string(line) + ":1: the line is longer than 4096 bytes.");
    begin = i + 1;
    ++line;
  }
}

}  // namespace

std::vector<Limit> parse_budget(const std::string &text, const std::string &file) {
  refuse_monsters(text, file);
  try {
    const toml::table table = toml::parse(as_toml(text), file);
    Reader reader(file);
    std::vector<std::string> path;
    reader.read(table, path);
    auto limits = reader.take();
    if (limits.empty()) throw Error(file + ": there is no limit in it. A line is a metric and its limit: mpi_share <= 0.25");
    return limits;
  } catch (const toml::parse_error &error) {
    const std::string reason = support::valid_utf8(std::string(error.description()));
    throw Error(place(file, error.source().begin) + support::ellipsize(reason, 300, false) + ".");
  }
}

}  // namespace scope::compare
