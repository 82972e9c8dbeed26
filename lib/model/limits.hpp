#pragma once
// Bounds on what a file may say, and arithmetic that stays inside them. Internal to the model.

#include <cstddef>
#include <cstdint>
#include <limits>

namespace scope::model {

/// Larger worlds are taken for damage: the list of missing ranks of a damaged dump must not fill the memory.
inline constexpr std::int64_t largest_world = std::int64_t{1} << 22;

/// Bytes of one rank's file. It takes 16 MiB unless its bound on entries was raised.
inline constexpr std::size_t largest_rank_file = std::size_t{512} << 20;

/// Counts above are taken for damage.
inline constexpr std::int64_t largest_count = std::int64_t{1} << 60;

/// Lines above are taken for damage.
inline constexpr std::uint64_t largest_line = std::uint64_t{1} << 30;

/// Sum of numbers from files: at the largest number instead of beyond.
inline void add_to(std::int64_t &sum, std::int64_t value) {
  using Limits = std::numeric_limits<std::int64_t>;
  if (__builtin_add_overflow(sum, value, &sum)) sum = value < 0 ? Limits::min() : Limits::max();
}
inline void add_to(std::int64_t &sum, std::uint64_t value) {
  add_to(sum, value > static_cast<std::uint64_t>(largest_count) ? largest_count : static_cast<std::int64_t>(value));
}
inline void add_to(std::uint64_t &sum, std::uint64_t value) {
  if (__builtin_add_overflow(sum, value, &sum)) sum = std::numeric_limits<std::uint64_t>::max();
}

}  // namespace scope::model
