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

/// GitHub's runner takes a line that begins with "::word" for a command, and "##[word]" wherever it stands.
std::string without_commands(std::string text) {
  for (std::size_t at = 0; (at = text.find("::", at)) != std::string::npos; at += 2)
    if (at == 0 || text[at - 1] == ' ') text.replace(at, 1, "\\x3a");
  for (std::size_t at = 0; (at = text.find("##[", at)) != std::string::npos; at += 3) text.replace(at + 1, 1, "\\x23");
  return text;
}

/// Where the last character before `end` begins; `end` where it is the first.
std::size_t before(std::string_view word, std::size_t end) {
  std::size_t at = end - 1;
  while (at > 0 && (static_cast<unsigned char>(word[at]) & 0xc0) == 0x80) --at;
  return at > 0 ? at : end;
}

}  // namespace

std::string plain(std::string_view data) { return without_commands(support::terminal_safe(support::valid_utf8(data))); }

std::string escape_html(std::string_view data) {
  std::string out;
  for (const char c : plain(data)) {
    if (c == '&') out += "&amp;";
    else if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '"') out += "&quot;";
    else if (c == '\'') out += "&#39;";
    else out += c;
  }
  return out;
}

std::string escape_xml(std::string_view data) {
  // U+FFFE and U+FFFF are no characters to XML 1.0 (2.2), nor are control characters, which plain() took out.
  std::string out = escape_html(data);
  for (const char *none : {"\xef\xbf\xbe", "\xef\xbf\xbf"})
    for (std::size_t at = 0; (at = out.find(none, at)) != std::string::npos;) out.replace(at, 3, "\xef\xbf\xbd");
  return out;
}

std::string escape_github_data(std::string_view data) {
  std::string lines;
  std::string_view rest = data;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
    for (const char c : plain(rest.substr(0, end))) lines += c == '%' ? "%25" : std::string(1, c);
    rest.remove_prefix(end);
    if (rest.empty()) break;
    lines += rest.front() == '\r' ? "%0D" : "%0A";
    rest.remove_prefix(1);
  }
  return lines;
}

std::string escape_github_property(std::string_view data) {
  std::string out;
  for (const char c : escape_github_data(data)) {
    if (c == ':') out += "%3A";
    else if (c == ',') out += "%2C";
    else out += c;
  }
  return out;
}

std::string escape_openmetrics(std::string_view data) {
  std::string out;
  for (const char c : support::valid_utf8(data)) {
    if (c == '\\') out += "\\\\";
    else if (c == '"') out += "\\\"";
    else if (c == '\n') out += "\\n";
    else out += c;
  }
  return out;
}

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
  std::string text;
  for (std::string_view rest = data; !rest.empty();) {  // line ends and tabs are data that CSV can hold
    const std::size_t end = std::min(rest.find_first_of("\r\n\t"), rest.size());
    text += plain(rest.substr(0, end));
    if (end < rest.size()) text += rest[end];
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool formula = first != std::string::npos && std::string_view("=+-@").find(text[first]) != std::string_view::npos;
  if (formula) text.insert(0, "'");
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) {
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
      std::size_t head = fitting(word, width - support::display_width(line));
      if (head > 1 && word.substr(head).starts_with("::")) head = before(word, head);  // see without_commands
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
