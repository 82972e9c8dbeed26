#include "support/text.hpp"

#include <algorithm>

#include "support/utf8.hpp"

namespace scope::support {
namespace {

/// A character with the combining ones that follow it.
struct Cluster {
  std::string_view text;
  int width = 0;
};

std::vector<Cluster> clusters(std::string_view utf8) {
  std::vector<Cluster> result;
  for (std::size_t i = 0; i < utf8.size();) {
    Decoded decoded = decode_utf8(utf8.substr(i));
    int width = decoded.valid ? character_width(decoded.code) : 1;
    if (width == 0 && !result.empty()) {
      result.back().text = std::string_view(result.back().text.data(), result.back().text.size() + decoded.length);
    } else {
      result.push_back({utf8.substr(i, decoded.length), width});
    }
    i += decoded.length;
  }
  return result;
}

std::string hexadecimal(char32_t code, int digits) {
  std::string text;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) text += "0123456789abcdef"[(code >> shift) & 15];
  return text;
}

/// Line and paragraph separators, embeddings, overrides and isolates of text direction (Unicode 15, 9.2.4 and UAX 9).
bool turns_text(char32_t code) {
  return (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string valid_utf8(std::string_view bytes) {
  std::string result;
  result.reserve(bytes.size());
  while (!bytes.empty()) {
    Decoded decoded = decode_utf8(bytes);
    result += decoded.valid ? bytes.substr(0, decoded.length) : std::string_view("\xef\xbf\xbd");
    bytes.remove_prefix(decoded.length);
  }
  return result;
}

int display_width(std::string_view utf8) {
  int width = 0;
  while (!utf8.empty()) {
    Decoded decoded = decode_utf8(utf8);
    width += decoded.valid ? character_width(decoded.code) : 1;
    utf8.remove_prefix(decoded.length);
  }
  return width;
}

std::string shortened(const std::string &text) {
  constexpr std::size_t longest = 100;
  if (text.size() <= longest) return text;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // not inside a character
  return text.substr(0, end) + "...";
}

std::string ellipsize(std::string_view utf8, int width, bool unicode) {
  if (display_width(utf8) <= width) return std::string(utf8);
  if (width < 1) return "";
  std::vector<Cluster> parts = clusters(utf8);
  int left_room = width / 2, right_room = width - 1 - left_room;
  std::string left, right;
  for (const Cluster &part : parts) {
    if (part.width > left_room) break;
    left_room -= part.width;
    left += part.text;
  }
  // What a wide character left free on the left goes to the right.
  right_room += left_room;
  std::size_t from = parts.size();
  while (from > 0 && parts[from - 1].width <= right_room) right_room -= parts[--from].width;
  for (; from < parts.size(); ++from) right += parts[from].text;
  return left + (unicode ? "\xe2\x80\xa6" : "~") + right;
}

std::string json_terminal_safe(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  while (!json.empty()) {
    // Nearly all of a large file is numbers.
    std::size_t plain = 0;
    while (plain < json.size() && static_cast<unsigned char>(json[plain]) < 0x7f && json[plain] != '#') ++plain;
    result += json.substr(0, plain);
    json.remove_prefix(plain);
    if (json.empty()) break;
    Decoded decoded = decode_utf8(json);
    if (decoded.valid && (decoded.code == 0x7f || (decoded.code >= 0x80 && decoded.code < 0xa0) || turns_text(decoded.code))) {
      result += "\\u" + hexadecimal(decoded.code, 4);
    } else if (json.starts_with("##[")) {
      result += "#\\u0023";
      json.remove_prefix(1);
    } else {
      result += json.substr(0, decoded.length);
    }
    json.remove_prefix(decoded.length);
  }
  return result;
}

std::string terminal_safe(std::string_view utf8) {
  std::string result;
  result.reserve(utf8.size());
  while (!utf8.empty()) {
    Decoded decoded = decode_utf8(utf8);
    bool control = decoded.code < 0x20 || (decoded.code >= 0x7f && decoded.code < 0xa0);
    if (decoded.valid && control) {
      result += "\\x" + hexadecimal(decoded.code, 2);
    } else if (decoded.valid && turns_text(decoded.code)) {
      result += "\\u" + hexadecimal(decoded.code, 4);
    } else {
      result += decoded.valid ? utf8.substr(0, decoded.length) : std::string_view("\xef\xbf\xbd");
    }
    utf8.remove_prefix(decoded.length);
  }
  return result;
}

std::string nearest(std::string_view word, const std::vector<std::string> &candidates) {
  std::string best;
  std::size_t best_distance = word.size() / 3 + 1;
  for (const std::string &candidate : candidates) {
    // Three rows of the table: swapping neighbours looks back two.
    std::vector<std::size_t> before(candidate.size() + 1), last(candidate.size() + 1), row(candidate.size() + 1);
    for (std::size_t j = 0; j < last.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= word.size(); ++i) {
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        std::size_t cost = word[i - 1] == candidate[j - 1] ? 0 : 1;
        row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + cost});
        if (i > 1 && j > 1 && word[i - 1] == candidate[j - 2] && word[i - 2] == candidate[j - 1])
          row[j] = std::min(row[j], before[j - 2] + 1);
      }
      before.swap(last);
      last.swap(row);
    }
    if (last.back() < best_distance) {
      best_distance = last.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace scope::support
