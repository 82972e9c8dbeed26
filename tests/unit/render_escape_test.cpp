#include "render/escape.hpp"

#include <gtest/gtest.h>

namespace {

using namespace scope::render;
using Lines = std::vector<std::string>;

TEST(Plain, HasNoControlCharactersAndIsUtf8) {
  EXPECT_EQ(plain("a\x1b[31m\tb\xff"), "a\\x1b[31m\\x09b\xef\xbf\xbd");
}

TEST(Markdown, IsEscaped) {
  EXPECT_EQ(markdown_escape("MPI_Send"), "MPI_Send");
  EXPECT_EQ(markdown_escape("a|b `c` <i>&amp;</i>"), "a\\|b \\`c\\` &lt;i&gt;&amp;amp;&lt;/i&gt;");
  EXPECT_EQ(markdown_escape("_x_ *y* [z](u) ~~w~~ \\"), "\\_x\\_ \\*y\\* \\[z\\](u) \\~\\~w\\~\\~ \\\\");
  EXPECT_EQ(markdown_escape("two\nlines"), "two\\\\x0alines");
}

TEST(Csv, FieldIsQuotedWhereItMustBe) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(csv_field("two\r\nlines"), "\"two\r\nlines\"");
  EXPECT_EQ(csv_field("=1+1"), "=1+1");  // data stay exact
}

TEST(Shell, WordIsQuotedWhereItMustBe) {
  EXPECT_EQ(shell_quote("trace.json"), "trace.json");
  EXPECT_EQ(shell_quote("/tmp/a-b_c/T+1@x%:,="), "/tmp/a-b_c/T+1@x%:,=");
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("my dir"), "'my dir'");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quote("$HOME;*~"), "'$HOME;*~'");
  EXPECT_EQ(shell_line({"mpiexec", "-n", "4", "./a b"}), "mpiexec -n 4 './a b'");
  EXPECT_EQ(shell_line({}), "");
}

TEST(Wrap, BreaksAtSpaces) {
  EXPECT_EQ(wrap("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrap("one two three", 7, 2), (Lines{"one two", "  three"}));
  EXPECT_EQ(wrap("one two", 0), (Lines{"one two"}));
  EXPECT_EQ(wrap("", 7), Lines());
  EXPECT_EQ(wrap("", 0), Lines());
  EXPECT_EQ(wrap("a  b", 10), (Lines{"a  b"}));
}

TEST(Wrap, BreaksWordsThatAreTooWide) {
  EXPECT_EQ(wrap("ab abcdefghij", 4), (Lines{"ab", "abcd", "efgh", "ij"}));
  EXPECT_EQ(wrap("abcdefghij k", 6, 2), (Lines{"abcdef", "  ghij", "  k"}));
  EXPECT_EQ(wrap("計算ノード", 5), (Lines{"計算", "ノー", "ド"}));
  EXPECT_EQ(wrap("計", 1), (Lines{"計"}));
}

}  // namespace
