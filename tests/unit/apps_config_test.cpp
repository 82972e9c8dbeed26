// The file of --config: what is read from it, and what is refused with its line.

#include <gtest/gtest.h>

#include "cli_config.hpp"
#include "expect_error.hpp"
#include "temporary_directory.hpp"

using namespace scope::cli;
using namespace scope::test;

namespace {

/// "line section.key=value|value" of every item.
std::vector<std::string> items(const std::string &text) {
  std::vector<std::string> result;
  for (const FileItem &item : parse_config(text, "f.toml")) {
    std::string line = std::to_string(item.line) + " " + item.section + "." + item.key + "=";
    for (std::size_t i = 0; i < item.values.size(); ++i) line += (i ? "|" : "") + item.values[i];
    result.push_back(line);
  }
  return result;
}

std::string error_for(const std::string &text) {
  return error_of([&] { parse_config(text, "f.toml"); });
}

using Lines = std::vector<std::string>;

TEST(Config, EveryKindOfValue) {
  EXPECT_EQ(items(""), Lines{});
  EXPECT_EQ(items("# only a remark"), Lines{});
  EXPECT_EQ(items("color = \"never\"  # a remark\r\n\r\n[run]\r\nn=4\r\nmpi-calls = true\r\n"),
            (Lines{"1 .color=never", "4 run.n=4", "5 run.mpi-calls=true"}));
  EXPECT_EQ(items("a = 1.5\nb = -3\nc = 0.25\nd = false\n\"e f\" = 'it \\ is # so'"),
            (Lines{"1 .a=1.5", "2 .b=-3", "3 .c=0.25", "4 .d=false", "5 .e f=it \\ is # so"}));
  EXPECT_EQ(items("t = [ \"a=1\", 'b',\n  # more\n  3, ]\nu = []\n"), (Lines{"1 .t=a=1|b|3", "4 .u="}));
  EXPECT_EQ(items("t = \"q\\\" b\\\\ n\\n t\\t \\u00e9 \\U0001F600\""), Lines{"1 .t=q\" b\\ n\n t\t \xc3\xa9 \xf0\x9f\x98\x80"});
  EXPECT_EQ(items("label = \"\"\nx = ''"), (Lines{"1 .label=", "2 .x="}));
  EXPECT_EQ(items("[run]\nn = 1\n[report]\nn = 2"), (Lines{"2 run.n=1", "4 report.n=2"}));
}

/// What is no TOML is refused in the library's words.
TEST(Config, WhatIsNoTomlNamesTheLine) {
  for (const auto &[text, line] : std::vector<std::pair<std::string, int>>{
           {"\n= 3", 2},
           {"n", 1},
           {"n =", 1},
           {"n = 1 2", 1},
           {"a = 1\ncolor = never", 2},
           {"n = 1\n\nn = 2", 3},
           {"[run]\n[run]", 2},
           {"[run", 1},
           {"t = \"a\nb\"", 1},
           {"t = 'a", 1},
           {"t = \"a\x1b[31m\"", 1},
           {std::string("t = \"a\0b\"", 9), 1},
           {"t = \"\\x\"", 1},
           {"t = \"\\ud800\"", 1},
           {"a = 1\nb = \"\xff\"", 2},
           {std::string("\0", 1), 1},
           {"t = " + std::string(4000, '['), 1},
           {"a = 1\n[\nb = 2", 2},
           {"[[[x", 1},
           {"[x.", 1},
           {"a.", 1},
           {"a = 1\n\xc7\x9d = 2", 2},  // a letter in a range that the library called unreachable
       }) {
    const std::string error = error_for(text);
    EXPECT_TRUE(error.starts_with("'f.toml', line " + std::to_string(line) + ": ")) << text.substr(0, 50) << ": " << error;
    EXPECT_TRUE(error.ends_with(". Texts stand in quotes: color = \"never\".")) << error;
    EXPECT_LT(error.size(), 400u);
  }
}

TEST(Config, WhatOptionsHaveNoUseFor) {
  EXPECT_EQ(error_for("keep-dumps = \"a\"\nkeep_dumps = \"b\""), "'f.toml', line 2: the key 'keep_dumps' is there twice.");
  const std::string table = "a table is no value of an option, and sections have no sections: [run], [report].";
  EXPECT_EQ(error_for("[run.x]\nn = 1"), "'f.toml', line 1: " + table);
  EXPECT_EQ(error_for("\nt = {a = 1}"), "'f.toml', line 2: " + table);
  const std::string none = "lists of lists, tables, dates and times are no values of options.";
  EXPECT_EQ(error_for("t = [[1]]"), "'f.toml', line 1: " + none);
  EXPECT_EQ(error_for("[[run]]\nn = 1"), "'f.toml', line 1: " + none);
  EXPECT_EQ(error_for("t = 2026-01-02"), "'f.toml', line 1: " + none);
  EXPECT_EQ(error_for("a = 1\n#" + std::string(5000, 'x')), "'f.toml', line 2: the line is longer than 4096 bytes.");
}

TEST(Config, SizeIsBounded) {
  TemporaryDirectory directory;
  auto file = directory.write("big.toml", "# x\n");
  std::filesystem::resize_file(file, std::uintmax_t{2} << 30);
  EXPECT_EQ(error_of([&] { read_config(file.string()); }),
            "cannot read " + file.string() + ": is larger than 1048576 bytes (--config).");
  EXPECT_EQ(error_of([&] { read_config(directory.path.string()); }),
            "cannot read " + directory.path.string() + ": Is a directory (--config).");
}

}  // namespace
