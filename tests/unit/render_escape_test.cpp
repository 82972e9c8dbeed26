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
  EXPECT_EQ(csv_field("\x1b[31m\xff"), "\\x1b[31m\xef\xbf\xbd");
}

TEST(Csv, FormulaIsText) {
  for (const char *formula : {"=1+1", "+1", "-1+1", "@SUM(A1)"}) EXPECT_EQ(csv_field(formula), std::string("'") + formula);
  EXPECT_EQ(csv_field(" \t=1"), "' \t=1");
  EXPECT_EQ(csv_field("=HYPERLINK(\"x\",\"y\")"), "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"");
  EXPECT_EQ(csv_field("a=b-c"), "a=b-c");
}

TEST(Html, IsEscaped) {
  EXPECT_EQ(escape_html("a <script>alert('x')</script> & \"b\"\n"),
            "a &lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;b&quot;\\x0a");
}

TEST(Xml, HasNoCharactersThatAreNone) {
  EXPECT_EQ(escape_xml("<a b='c'>\x01\x1b ]]> \xef\xbf\xbe\xff\xef\xbf\xbf"),
            "&lt;a b=&#39;c&#39;&gt;\\x01\\x1b ]]&gt; \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

TEST(GitHub, DataAndPropertiesAreEscaped) {
  EXPECT_EQ(escape_github_data("50 %\r\n::error::x\x1b"), "50 %25%0D%0A\\x3a:error::x\\x1b");
  EXPECT_EQ(escape_github_data("a\n"), "a%0A");
  EXPECT_EQ(escape_github_property("a:b,c\nd %"), "a%3Ab%2Cc%0Ad %25");
}

TEST(Plain, HoldsNoCommandsOfCi) {
  EXPECT_EQ(plain("::error::x"), "\\x3a:error::x");
  EXPECT_EQ(plain("a ::set-output name=x::y"), "a \\x3a:set-output name=x::y");
  EXPECT_EQ(plain("ns::name"), "ns::name");
  EXPECT_EQ(plain("##[error]##[x"), "#\\x23[error]#\\x23[x");
  EXPECT_EQ(wrap("aaaaa::error::", 5), (Lines{"aaaa", "a::er", "ror::"}));
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
