#pragma once
// Decoding of UTF-8 (Unicode 15, table 3-7). Internal to support.

#include <cstddef>
#include <string_view>

namespace scope::support {

struct Decoded {
  char32_t code = 0;
  std::size_t length = 0;  ///< bytes taken; of invalid input, of its maximal invalid part
  bool valid = false;
};

/// The character at the beginning of `bytes`, which must not be empty. Overlong forms, surrogates and values beyond U+10FFFF
/// are invalid.
Decoded decode_utf8(std::string_view bytes);

/// Columns of one character: 0, 1 or 2.
int character_width(char32_t code);

}  // namespace scope::support
