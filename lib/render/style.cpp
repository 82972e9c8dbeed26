#include "render/style.hpp"

namespace scope::render {
namespace {

std::string between(const char *begin, const std::string &text, const Style &style) {
  if (!style.color || text.empty()) return text;
  return std::string("\x1b[") + begin + "m" + text + "\x1b[0m";
}

}  // namespace

std::optional<ColorChoice> parse_color_choice(std::string_view word) {
  if (word == "auto") return ColorChoice::automatic;
  if (word == "always") return ColorChoice::always;
  if (word == "never") return ColorChoice::never;
  return std::nullopt;
}

bool use_color(ColorChoice flag, const char *no_color, const char *clicolor_force, bool is_terminal) {
  if (flag != ColorChoice::automatic) return flag == ColorChoice::always;
  if (no_color && *no_color) return false;
  if (clicolor_force && *clicolor_force && std::string_view(clicolor_force) != "0") return true;
  return is_terminal;
}

std::string bold(const std::string &text, const Style &style) { return between("1", text, style); }
std::string dim(const std::string &text, const Style &style) { return between("2", text, style); }
std::string warning_color(const std::string &text, const Style &style) { return between("33", text, style); }

}  // namespace scope::render
