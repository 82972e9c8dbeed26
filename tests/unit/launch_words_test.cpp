#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "launch/words.hpp"

using scope::launch::split_words;
using scope::test::contains;
using scope::test::error_of;
using Words = std::vector<std::string>;

namespace {

std::string error_for(const std::string &text) {
  return error_of([&] { split_words(text, "--versus"); });
}

/// Each as `sh -c 'printf "%s\n" TEXT'` shows it.
TEST(SplitWords, AsAShellWould) {
  EXPECT_EQ(split_words("mpiexec -n 4 ./sim", "o"), (Words{"mpiexec", "-n", "4", "./sim"}));
  EXPECT_EQ(split_words("  a\t b\n", "o"), (Words{"a", "b"}));
  EXPECT_EQ(split_words("'a b' \"c d\" e\\ f", "o"), (Words{"a b", "c d", "e f"}));
  EXPECT_EQ(split_words("a'b'\"c\"d ''", "o"), (Words{"abcd", ""}));
  EXPECT_EQ(split_words(R"("a\"b\\c\d" '\')", "o"), (Words{"a\"b\\c\\d", "\\"}));
  EXPECT_EQ(split_words("a\\\nb \"c\\\nd\"", "o"), (Words{"ab", "cd"}));
  EXPECT_EQ(split_words("'$x `y` | ; > #' a#b", "o"), (Words{"$x `y` | ; > #", "a#b"}));
  EXPECT_EQ(split_words(R"("\$x")", "o"), (Words{"$x"}));
}

TEST(SplitWords, RefusesWhatNeedsAShell) {
  for (const char *text : {"a | b", "a; b", "a > f", "a &", "$x", "a `b`", "\"$x\"", "(a)", "# a"})
    EXPECT_TRUE(contains(error_for(text), "which only a shell understands")) << text;
  EXPECT_EQ(error_for("a 'b"), "--versus has a ' that is not closed: a 'b");
  EXPECT_EQ(error_for("a \"b"), "--versus has a \" that is not closed: a \"b");
  EXPECT_EQ(error_for("a\\"), "--versus ends in a backslash that quotes nothing.");
  EXPECT_EQ(error_for("  "), "--versus is empty: it needs a command.");
}

}  // namespace
