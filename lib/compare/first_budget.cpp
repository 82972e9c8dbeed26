// `check --init`: a budget that holds now.

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "compare/budget.hpp"
#include "compare/statistics.hpp"

namespace scope::compare {
namespace {

constexpr double time_room = 1.2, ratio_room = 0.05;
constexpr std::size_t most_calls = 5;

std::string number(const char *format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string basic_string(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) out += '?';  // any character in a pattern
    else out += c;
  }
  return out + "\"";
}

/// Two significant digits, rounded up, in a unit that people read.
std::string time_text(double ns) {
  const std::pair<double, const char *> units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
  for (const auto &[size, unit] : units) {
    if (ns < size && size > 1) continue;
    const double value = ns / size;
    const double step = std::pow(10, std::floor(std::log10(std::max(value, 1.0))) - 1);
    return number("%g ", std::ceil(value / step - 1e-9) * step) + unit;
  }
  return "0 ns";
}

std::string line(const std::string &key, const std::string &limit, const std::string &now) {
  std::string text = key + " = \"" + limit + "\"";
  text.resize(std::max<std::size_t>(text.size() + 2, 52), ' ');
  return text + "# now " + now + "\n";
}

std::string ratio_lines(const Measurements &measurements) {
  std::string out;
  for (const char *name : {"mpi_share", "parallel_efficiency", "load_balance", "communication_efficiency"}) {
    const Metric metric = parse_metric(name);
    const auto values = values_of(measurements, metric);
    if (values.empty()) continue;
    const double now = median(values);
    const double limit = metric.lower_is_better() ? std::min(1.0, std::ceil((now + ratio_room) * 100) / 100)
                                                  : std::max(0.0, std::floor((now - ratio_room) * 100) / 100);
    out += line(name, (metric.lower_is_better() ? "<= " : ">= ") + number("%g", limit), number("%.3f", now));
  }
  return out;
}

std::string time_line(const Measurements &measurements, const std::string &key, const Metric &metric) {
  const auto values = values_of(measurements, metric);
  if (values.empty()) return "";
  const double now = median(values);
  return line(key, "<= " + time_text(now * time_room), time_text(now));
}

/// The calls with the most time, by name.
std::vector<std::string> main_calls(const Measurements &measurements) {
  std::vector<std::pair<double, std::string>> calls;
  for (const std::string &name : subjects_of(measurements, Scope::call))
    if (!is_polling(name)) calls.emplace_back(-median(values_of(measurements, {Scope::call, name, "total"})), name);
  std::sort(calls.begin(), calls.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(calls.size(), most_calls); ++i) names.push_back(calls[i].second);
  return names;
}

}  // namespace

std::string first_budget(const Measurements &measurements, const std::string &file) {
  std::string name = file;
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  std::string out = "# Budget made by 'scope-profiler check --init' from " + name + ".\n# Check with: scope-profiler check --budget budget.toml "
                    "trace.json\n# Times have 20 % of room, ratios 5 points, counts none. Edit it: a limit is a promise, not a record.\n\n";
  out += time_line(measurements, "wall", parse_metric("wall"));
  out += ratio_lines(measurements);
  for (const std::string &call : main_calls(measurements)) {
    const double calls = median(values_of(measurements, {Scope::call, call, "calls"}));
    const double bytes = median(values_of(measurements, {Scope::call, call, "bytes"}));
    out += "\n[calls." + call + "]\n";
    out += line("calls", "<= " + number("%.0f", calls), number("%.0f", calls));
    if (bytes > 0) out += line("bytes", "<= " + number("%.0f", bytes), number("%.0f", bytes));
  }
  for (const std::string &path : subjects_of(measurements, Scope::region)) {
    out += "\n[regions." + basic_string(path) + "]\n";
    out += time_line(measurements, "total", {Scope::region, path, "total"});
  }
  return out;
}

}  // namespace scope::compare
