#pragma once
// How text is shown. Whether there is a terminal, and how wide, is asked by the application; here are only the rules.

#include <optional>
#include <string>
#include <string_view>

namespace scope::render {

/// Colour only emphasises: every line says the same without it.
struct Style {
  bool color = false;
  bool unicode = true;  ///< false: "~" instead of an ellipsis, "#" for bars
  int width = 100;      ///< columns that lines may have; 0: no limit. Below 40 it counts as 40.
  bool charts = false;  ///< bars and shades beside numbers, for people at a terminal
};

enum class ColorChoice { automatic, always, never };

/// "auto", "always" or "never"; nothing for another word.
std::optional<ColorChoice> parse_color_choice(std::string_view word);

/// Flag, then NO_COLOR (any non-empty value: no), then CLICOLOR_FORCE (non-empty and not "0": yes), then the terminal.
/// The values of the environment are null where the variable is not set.
bool use_color(ColorChoice flag, const char *no_color, const char *clicolor_force, bool is_terminal);

/// The text between escape sequences, or as it is without colour. The text must be free of control characters.
std::string bold(const std::string &text, const Style &style);
std::string dim(const std::string &text, const Style &style);
std::string warning_color(const std::string &text, const Style &style);

}  // namespace scope::render
