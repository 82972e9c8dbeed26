#include <charconv>
#include <cmath>

#include "support/text.hpp"

namespace scope::support {
namespace {

/// Fixed notation, the point whatever the locale is.
std::string fixed(double value, int decimals) {
  char buffer[400];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, decimals).ptr;
  return std::string(buffer, end);
}

/// `digits` significant digits, never fewer than those before the point. `value` is not negative.
std::string significant(double value, int digits) {
  int before = 1;
  while (before < digits && std::round(value * std::pow(10, digits - before)) >= std::pow(10, digits)) ++before;
  return fixed(value, digits - before);
}

}  // namespace

std::string format_ns(double ns) {
  if (!std::isfinite(ns)) return "-";
  double size = std::fabs(ns);
  std::string text;
  // Limits are where rounding gives the next unit: 999.6 us is 1.00 ms.
  if (size < 999.5) {
    text = fixed(std::round(size), 0) + " ns";
    if (text == "0 ns") return text;
  } else if (size < 999.5e3) {
    text = significant(size / 1e3, 3) + " us";
  } else if (size < 999.5e6) {
    text = significant(size / 1e6, 3) + " ms";
  } else {
    text = significant(size / 1e9, 4) + " s";
  }
  return (ns < 0 ? "-" : "") + text;
}

std::string format_bytes(double bytes) {
  if (!std::isfinite(bytes)) return "-";
  static constexpr const char *units[] = {" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"};
  double size = std::fabs(bytes);
  std::size_t unit = 0;
  for (; unit + 1 < std::size(units) && size >= 1023.5; ++unit) size /= 1024;
  std::string text = unit == 0 ? fixed(std::round(size), 0) : significant(size, 3);
  return (bytes < 0 && text != "0" ? "-" : "") + text + units[unit];
}

std::string format_count(std::int64_t count) {
  std::string text = std::to_string(count);
  std::size_t sign = count < 0 ? 1 : 0;
  for (std::size_t i = text.size(); i > sign + 3;) text.insert(i -= 3, 1, ',');
  return text;
}

std::string format_percent(double ratio) {
  if (!std::isfinite(ratio)) return "-";
  std::string text = fixed(ratio * 100, 1);
  return (text == "-0.0" ? "0.0" : text) + " %";
}

}  // namespace scope::support
