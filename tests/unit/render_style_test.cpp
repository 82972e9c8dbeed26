#include "render/style.hpp"

#include <gtest/gtest.h>

namespace {

using namespace scope::render;

TEST(UseColor, FlagThenNoColorThenForceThenTerminal) {
  const char *values[] = {nullptr, "", "0", "1"};
  for (const char *no_color : values)
    for (const char *force : values)
      for (bool terminal : {false, true}) {
        const std::string where = std::string(no_color ? no_color : "unset") + " " + (force ? force : "unset");
        EXPECT_TRUE(use_color(ColorChoice::always, no_color, force, terminal)) << where;
        EXPECT_FALSE(use_color(ColorChoice::never, no_color, force, terminal)) << where;
      }
  struct Case {
    const char *no_color, *force;
    bool on_terminal, elsewhere;
  };
  const Case cases[] = {
      {nullptr, nullptr, true, false}, {nullptr, "", true, false}, {nullptr, "0", true, false}, {nullptr, "1", true, true},
      {"", nullptr, true, false},      {"", "", true, false},      {"", "0", true, false},      {"", "1", true, true},
      {"0", nullptr, false, false},    {"0", "", false, false},    {"0", "0", false, false},    {"0", "1", false, false},
      {"1", nullptr, false, false},    {"1", "", false, false},    {"1", "0", false, false},    {"1", "yes", false, false},
  };
  for (const Case &c : cases) {
    const std::string where = std::string(c.no_color ? c.no_color : "unset") + " " + (c.force ? c.force : "unset");
    EXPECT_EQ(use_color(ColorChoice::automatic, c.no_color, c.force, true), c.on_terminal) << where;
    EXPECT_EQ(use_color(ColorChoice::automatic, c.no_color, c.force, false), c.elsewhere) << where;
  }
}

TEST(ColorChoice, IsParsed) {
  EXPECT_EQ(parse_color_choice("auto"), ColorChoice::automatic);
  EXPECT_EQ(parse_color_choice("always"), ColorChoice::always);
  EXPECT_EQ(parse_color_choice("never"), ColorChoice::never);
  EXPECT_FALSE(parse_color_choice("Always"));
  EXPECT_FALSE(parse_color_choice(""));
}

TEST(Emphasis, IsNothingWithoutColor) {
  Style style;
  EXPECT_EQ(bold("text", style), "text");
  style.color = true;
  EXPECT_EQ(bold("text", style), "\x1b[1mtext\x1b[0m");
  EXPECT_EQ(dim("text", style), "\x1b[2mtext\x1b[0m");
  EXPECT_EQ(warning_color("text", style), "\x1b[33mtext\x1b[0m");
  EXPECT_EQ(bold("", style), "");
}

}  // namespace
