#include "compare/quantity.hpp"

#include <charconv>
#include <cmath>

#include "support/error.hpp"
#include "support/text.hpp"

namespace scope::compare {
namespace {

struct Number {
  double value = 0;
  std::string unit;  ///< what stands behind it, without blanks
};

std::string trimmed(const std::string &text) {
  const auto begin = text.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

Number parse_number(const std::string &text) {
  const std::string word = trimmed(text);
  Number number;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number.value);
  if (error != std::errc() || !std::isfinite(number.value)) throw support::Error("'" + support::shortened(text) + "' is no number");
  if (number.value < 0) throw support::Error("'" + support::shortened(text) + "' is negative");
  number.unit = trimmed(std::string(end, word.data() + word.size()));
  return number;
}

struct Factor {
  const char *unit;
  double factor;
};

double factor_of(const std::string &text, const std::string &unit, std::initializer_list<Factor> known, const char *kind) {
  std::string all;
  for (const Factor &factor : known) {
    if (unit == factor.unit) return factor.factor;
    if (*factor.unit) all += (all.empty() ? "" : ", ") + std::string(factor.unit);
  }
  throw support::Error("'" + support::shortened(text) + "' " +
                       (unit.empty() ? "needs a unit" : "has the unknown unit '" + support::shortened(unit) + "'") + "; " + kind +
                       " can have " + all);
}

}  // namespace

double parse_quantity(const std::string &text, Unit unit) {
  const Number number = parse_number(text);
  switch (unit) {
    case Unit::ns:
      return number.value * factor_of(text, number.unit,
                                      {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}}, "a time");
    case Unit::bytes:
      return number.value * factor_of(text, number.unit,
                                      {{"", 1}, {"B", 1}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824},
                                       {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}},
                                      "bytes");
    case Unit::ratio: return number.value * factor_of(text, number.unit, {{"", 1}, {"%", 0.01}}, "a ratio");
    case Unit::count: break;
  }
  return number.value * factor_of(text, number.unit, {{"", 1}, {"k", 1e3}, {"M", 1e6}}, "a count");
}

bool parse_growth(const std::string &text, double &growth) {
  std::string word = trimmed(text);
  if (!word.ends_with('%')) return false;
  if (word.starts_with('+')) word.erase(0, 1);
  growth = parse_quantity(word, Unit::ratio);
  return true;
}

Limit parse_limit_option(const std::string &text, const std::string &option) {
  const auto equals = text.rfind('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw support::Error(option + " is '" + support::shortened(text) + "': it has the form NAME=LIMIT, for example wall=5% or mpi_share=0.25.");
  Limit limit;
  limit.source = option;
  limit.metric = parse_metric(text.substr(0, equals));
  const std::string value = text.substr(equals + 1);
  try {
    if (option == "--max" && parse_growth(value, limit.value)) return limit;
    limit.kind = option == "--max" ? Limit::Kind::at_most : Limit::Kind::at_least;
    limit.value = parse_quantity(value, limit.metric.unit());
  } catch (const support::Error &error) {
    throw support::Error(option + " " + support::shortened(text) + ": " + error.what() + (option == "--max" ? ", or be a growth such as 5%." : "."));
  }
  return limit;
}

double parse_floor(const std::string &text) {
  try {
    return parse_quantity(text, Unit::ns);
  } catch (const support::Error &error) {
    throw support::Error(std::string("--floor: ") + error.what() + ".");
  }
}

double parse_max_regression(const std::string &text) {
  try {
    double growth = 0;
    return parse_growth(text, growth) ? growth : parse_quantity(text, Unit::count) / 100;
  } catch (const support::Error &error) {
    throw support::Error(std::string("--max-regression: ") + error.what() + ".");
  }
}

}  // namespace scope::compare
