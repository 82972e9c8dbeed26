#include "compare/budget_lines.hpp"

#include <algorithm>
#include <vector>

namespace scope::compare {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string trimmed(const std::string &text) {
  std::size_t begin = 0, end = text.size();
  while (begin < end && is_blank(text[begin])) ++begin;
  while (end > begin && is_blank(text[end - 1])) --end;
  return text.substr(begin, end - begin);
}

/// Position of the first of `wanted` outside quotes, or npos.
std::size_t find_bare(const std::string &line, const char *wanted, std::size_t from = 0) {
  char quote = 0;
  for (std::size_t i = from; i < line.size(); ++i) {
    const char c = line[i];
    if (quote) {
      if (c == '\\' && quote == '"') ++i;
      else if (c == quote) quote = 0;
    } else if (std::string(wanted).find(c) != std::string::npos) {
      return i;
    } else if (c == '"' || c == '\'') {
      quote = c;
    }
  }
  return std::string::npos;
}

bool is_bare_key(const std::string &part) {
  for (char c : part)
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-')) return false;
  return !part.empty();
}

std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

/// calls.MPI_I*.total: with quotes around what is no bare key.
std::string as_key(const std::string &text) {
  std::string key;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(find_bare(text, ".", begin), text.size());
    const std::string part = trimmed(text.substr(begin, end - begin));
    const bool has_quotes = !part.empty() && (part[0] == '"' || part[0] == '\'');
    key += (begin > 0 ? "." : "") + (has_quotes || part.empty() || is_bare_key(part) ? part : quoted(part));
    begin = end + 1;
  }
  return key;
}

std::string convert(const std::string &line) {
  const std::size_t at = find_bare(line, "<>=#[");
  const bool compares = at != std::string::npos && (line[at] == '<' || line[at] == '>');
  if (!compares || trimmed(line.substr(0, at)).empty()) return line;
  const std::size_t comment = find_bare(line, "#", at);
  std::string value = trimmed(line.substr(at, comment == std::string::npos ? std::string::npos : comment - at));
  return as_key(line.substr(0, at)) + " = " + quoted(value);
}

}  // namespace

std::string as_toml(const std::string &text) {
  std::string out;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end == std::string::npos ? std::string::npos : end - begin);
    out += convert(line);
    if (end == std::string::npos) break;
    out += '\n';
    begin = end + 1;
  }
  return out;
}

}  // namespace scope::compare
