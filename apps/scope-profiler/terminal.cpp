#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace scope::app {

namespace {

/// The locale's variables in the order in which they count. Where none says anything the C locale holds, which is ASCII.
bool locale_is_utf8() {
  for (const char *name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char *value = std::getenv(name);
    if (value && *value) return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
  }
  return false;
}

bool use_color(const std::string &color, bool is_terminal) {
  auto choice = render::parse_color_choice(color).value_or(render::ColorChoice::automatic);
  return render::use_color(choice, std::getenv("NO_COLOR"), std::getenv("CLICOLOR_FORCE"), is_terminal);
}

}  // namespace

render::Style style_for_descriptor(int descriptor, const std::string &color) {
  render::Style style;
  bool is_terminal = isatty(descriptor);
  style.color = use_color(color, is_terminal);
  style.unicode = locale_is_utf8();
  style.charts = is_terminal;
  winsize size{};
  if (is_terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) style.width = size.ws_col;
  return style;
}

int terminal_height(int descriptor) {
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

render::Style style_for_file(const std::string &color) {
  render::Style style;
  style.color = color == "always";
  return style;
}

}  // namespace scope::app
