#include "render/escape.hpp"

#include "support/text.hpp"

namespace scope::render {
namespace {

bool is_alnum(char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

bool is_shell_safe(char c) {
  return is_alnum(c) || static_cast<unsigned char>(c) >= 0x80 || std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
}

/// An underscore inside a word is no markup (GitHub Flavored Markdown, 6.4), and names are easier to read without "\_".
bool inside_word(std::string_view text, std::size_t i) {
  return i > 0 && i + 1 < text.size() && is_alnum(text[i - 1]) && is_alnum(text[i + 1]);
}

std::size_t sequence_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

/// Bytes of the longest beginning of `word` that is at most `width` columns wide, one character at least.
std::size_t fitting(std::string_view word, int width) {
  std::size_t end = 0;
  while (end < word.size()) {
    const std::size_t next = std::min(word.size(), end + sequence_length(word[end]));
    if (end > 0 && support::display_width(word.substr(0, next)) > width) break;
    end = next;
  }
  return end;
}

}  // namespace

std::string plain(std::string_view data) { return support::terminal_safe(support::valid_utf8(data)); }

std::string markdown_escape(std::string_view data) {
  const std::string text = plain(data);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (std::string_view("\\`*[]|~").find(c) != std::string_view::npos || (c == '_' && !inside_word(text, i)))
      (out += '\\') += c;
    else out += c;
  }
  return out;
}

std::string csv_field(std::string_view data) {
  if (data.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(data);
  std::string out = "\"";
  for (char c : data) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

std::string shell_quote(std::string_view word) {
  bool safe = !word.empty();
  for (char c : word) safe = safe && is_shell_safe(c);
  if (safe) return std::string(word);
  std::string out = "'";
  for (char c : word) {
    if (c == '\'') out += "'\\''";
    else out += c;
  }
  return out + "'";
}

std::string shell_line(const std::vector<std::string> &words) {
  std::string line;
  for (const std::string &word : words) {
    if (!line.empty()) line += ' ';
    line += shell_quote(word);
  }
  return line;
}

std::vector<std::string> wrap(std::string_view text, int width, int indent) {
  if (text.empty()) return {};
  if (width <= 0) return {std::string(text)};
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  std::vector<std::string> lines;
  std::string line;
  bool empty = true;  // `line` holds no word yet
  auto finish = [&] {
    lines.push_back(line);
    line = margin;
    empty = true;
  };
  while (!text.empty()) {
    const std::size_t space = text.find(' ');
    std::string_view word = text.substr(0, space);
    text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
    if (!empty && support::display_width(line) + 1 + support::display_width(word) > width) finish();
    while (support::display_width(word) > width - support::display_width(line) - (empty ? 0 : 1)) {
      const std::size_t head = fitting(word, width - support::display_width(line));
      line += word.substr(0, head);
      word = word.substr(head);
      if (word.empty()) break;  // one character that is wider than a line
      finish();
    }
    if (!empty) line += ' ';
    line += word;
    empty = false;
  }
  if (!empty) lines.push_back(line);
  return lines;
}

}  // namespace scope::render
