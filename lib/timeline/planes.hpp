#pragma once
// Columns of integers as planes of bytes. Internal to the room.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "timeline/file_blocks.hpp"

namespace scope::timeline {

/// Bytes that every value of the column fits into, 0 to 8.
template <class Number>
int width_of(std::span<const Number> column) {
  Number all = 0;
  for (const Number value : column) all |= value;
  return (static_cast<int>(std::bit_width(all)) + 7) / 8;
}

/// A plane that is shorter shares its Huffman code with its neighbours: the code itself takes up to 128 bytes.
inline constexpr std::size_t least_stretch = 2048;

inline void end_stretch(Content &content) {
  const std::size_t begin = content.ends.empty() ? 0 : content.ends.back();
  if (content.bytes.size() - begin >= least_stretch) content.ends.push_back(content.bytes.size());
}

template <class Number>
void append_planes(std::span<const Number> column, int width, Content &content) {
  for (int k = 0; k < width; ++k) {
    const std::size_t begin = content.bytes.size();
    content.bytes.resize(begin + column.size());
    char *plane = content.bytes.data() + begin;
    for (std::size_t i = 0; i < column.size(); ++i) plane[i] = static_cast<char>(column[i] >> (8 * k) & 0xff);
    end_stretch(content);
  }
}

template <int width, class Number>
void join_planes(const unsigned char *planes, std::size_t count, Number *values) {
  for (std::size_t i = 0; i < count; ++i) {
    Number value = 0;
    for (int k = 0; k < width; ++k)
      value = static_cast<Number>(value | Number{planes[static_cast<std::size_t>(k) * count + i]} << (8 * k));
    values[i] = value;
  }
}

/// Takes the planes from the beginning of `content`; throws Damage where they are too short, or wider than a Number.
template <class Number>
void take_planes(std::string_view &content, int width, std::size_t count, Number *values) {
  constexpr int widest = sizeof(Number);
  if (width > widest) throw Damage{"a column is wider than its values"};
  const std::size_t bytes = static_cast<std::size_t>(width) * count;
  if (content.size() < bytes) throw Damage{"a column is shorter than it says"};
  const auto *planes = reinterpret_cast<const unsigned char *>(content.data());
  content.remove_prefix(bytes);
  switch (width) {
    case 0: return void(std::fill_n(values, count, Number{0}));
    case 1: return join_planes<1>(planes, count, values);
    case 2: return join_planes<std::min(2, widest)>(planes, count, values);
    case 3: return join_planes<std::min(3, widest)>(planes, count, values);
    case 4: return join_planes<std::min(4, widest)>(planes, count, values);
    case 5: return join_planes<std::min(5, widest)>(planes, count, values);
    case 6: return join_planes<std::min(6, widest)>(planes, count, values);
    case 7: return join_planes<std::min(7, widest)>(planes, count, values);
    default: return join_planes<std::min(8, widest)>(planes, count, values);
  }
}

}  // namespace scope::timeline
