#include "model/site_text.hpp"

#include <charconv>

namespace scope::model {
namespace {

std::string base_name(const std::string &path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string hexadecimal(std::int64_t number) {
  char digits[20];
  auto end = std::to_chars(digits, digits + sizeof digits, number, 16).ptr;
  return "0x" + std::string(digits, end);
}

}  // namespace

std::string place_text(const SiteFrame &frame) {
  std::string line = base_name(frame.file);
  if (!line.empty() && frame.line > 0) line += ":" + std::to_string(frame.line);
  if (frame.function.empty()) {
    if (!line.empty()) return line;
    return frame.module.empty() ? "unknown" : base_name(frame.module) + "+" + hexadecimal(frame.offset);
  }
  const std::string where = line.empty() ? base_name(frame.module) : line;
  return where.empty() ? frame.function : frame.function + " (" + where + ")";
}

std::string stack_text(const std::vector<SiteFrame> &stack) {
  std::string text;
  for (const SiteFrame &frame : stack) text += (text.empty() ? "" : " < ") + place_text(frame);
  return text.empty() ? "other call sites" : text;
}

}  // namespace scope::model
