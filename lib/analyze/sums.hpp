#pragma once
// Arithmetic on numbers that come from a file.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace scope::analyze {

/// Sum that stays at the largest number instead of overflowing.
constexpr std::int64_t add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? INT64_MIN : INT64_MAX) : sum;
}

/// Element of a per-rank vector; 0 where the profile has none for that rank.
inline std::int64_t at(const std::vector<std::int64_t> &values, std::size_t index) {
  return index < values.size() ? values[index] : 0;
}

/// part / whole; nothing where there is no whole.
inline std::optional<double> share(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace scope::analyze
