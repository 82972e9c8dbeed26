#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/error.hpp"
#include "support/text.hpp"

using namespace scope::support;

namespace {

const std::string bad = "\xef\xbf\xbd";

TEST(ValidUtf8, LeavesValidTextAlone) {
  for (const char *text : {"", "plain", "Gr\xc3\xb6\xc3\x9f" "e", "\xe6\x97\xa5\xe6\x9c\xac", "\xf0\x9f\x9a\x80",
                           "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf", "\xee\x80\x80", "\xc2\x80", "\xe0\xa0\x80", "\xf0\x90\x80\x80"})
    EXPECT_EQ(valid_utf8(text), text);
}

TEST(ValidUtf8, ReplacesEveryMaximalInvalidPart) {
  EXPECT_EQ(valid_utf8("a\x80" "b"), "a" + bad + "b");
  EXPECT_EQ(valid_utf8("\xff\xfe"), bad + bad);
  EXPECT_EQ(valid_utf8("\xe6\x97"), bad) << "a cut character is one part";
  EXPECT_EQ(valid_utf8("\xf0\x9f\x9a" "x"), bad + "x");
  EXPECT_EQ(valid_utf8("\xc3\xc3\xb6"), bad + "\xc3\xb6") << "a new lead byte begins a new character";
}

TEST(ValidUtf8, RefusesOverlongFormsSurrogatesAndWhatIsBeyondUnicode) {
  EXPECT_EQ(valid_utf8("\xc0\xaf"), bad + bad);
  EXPECT_EQ(valid_utf8("\xc1\xbf"), bad + bad);
  EXPECT_EQ(valid_utf8("\xe0\x9f\xbf"), bad + bad + bad);
  EXPECT_EQ(valid_utf8("\xf0\x8f\xbf\xbf"), bad + bad + bad + bad);
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), bad + bad + bad);
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), bad + bad + bad + bad);
  EXPECT_EQ(valid_utf8("\xf5\x80\x80\x80"), bad + bad + bad + bad);
}

TEST(DisplayWidth, CountsColumns) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("MPI_Send"), 8);
  EXPECT_EQ(display_width("\xc3\xb6"), 1);
  EXPECT_EQ(display_width("o\xcc\x88"), 1) << "o and a combining diaeresis";
  EXPECT_EQ(display_width("\xe6\x97\xa5\xe6\x9c\xac"), 4) << "two CJK characters";
  EXPECT_EQ(display_width("\xef\xbd\xb1"), 1) << "halfwidth katakana";
  EXPECT_EQ(display_width("\xef\xbc\xa1"), 2) << "fullwidth A";
  EXPECT_EQ(display_width("\xed\x95\x9c"), 2) << "Hangul syllable";
  EXPECT_EQ(display_width("\xf0\x9f\x9a\x80"), 2) << "rocket";
  EXPECT_EQ(display_width("a\x1b\x07" "b"), 2) << "control characters";
  EXPECT_EQ(display_width("\xe2\x80\x8b"), 0) << "zero width space";
  EXPECT_EQ(display_width("\xe2\x80\xa6"), 1) << "ellipsis";
}

TEST(Ellipsize, ShortensInTheMiddle) {
  EXPECT_EQ(ellipsize("abcdef", 6), "abcdef");
  EXPECT_EQ(ellipsize("abcdefgh", 5), "ab\xe2\x80\xa6gh");
  EXPECT_EQ(ellipsize("abcdefgh", 4), "ab\xe2\x80\xa6h");
  EXPECT_EQ(ellipsize("abcdefgh", 5, false), "ab~gh");
  EXPECT_EQ(ellipsize("abcdefgh", 1), "\xe2\x80\xa6");
  EXPECT_EQ(ellipsize("abcdefgh", 0), "");
}

TEST(Ellipsize, KeepsCharactersWhole) {
  const std::string four = "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe5\xad\x97";  // eight columns
  EXPECT_EQ(ellipsize(four, 5), "\xe6\x97\xa5\xe2\x80\xa6\xe5\xad\x97");
  for (int width = 0; width < 9; ++width) EXPECT_LE(display_width(ellipsize(four, width)), width);
  const std::string accents = "o\xcc\x88o\xcc\x88o\xcc\x88o\xcc\x88";
  EXPECT_EQ(ellipsize(accents, 3), "o\xcc\x88\xe2\x80\xa6o\xcc\x88");
}

TEST(TerminalSafe, ShowsControlCharacters) {
  EXPECT_EQ(terminal_safe("\x1b[31mred\n"), "\\x1b[31mred\\x0a");
  EXPECT_EQ(terminal_safe("\x7f\xc2\x9b"), "\\x7f\\x9b") << "DEL and the C1 form of CSI";
  EXPECT_EQ(terminal_safe(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(terminal_safe("\xc3\xb6 ok"), "\xc3\xb6 ok");
  EXPECT_EQ(terminal_safe("a\u202eb\u2066c\u2028d\u200b"), "a\\u202eb\\u2066c\\u2028d\u200b");
}

TEST(FormatNs, HasAUnitForEverySize) {
  EXPECT_EQ(format_ns(0), "0 ns");
  EXPECT_EQ(format_ns(123), "123 ns");
  EXPECT_EQ(format_ns(999.4), "999 ns");
  EXPECT_EQ(format_ns(999.6), "1.00 us");
  EXPECT_EQ(format_ns(8900), "8.90 us");
  EXPECT_EQ(format_ns(99960), "100 us");
  EXPECT_EQ(format_ns(999.6e3), "1.00 ms");
  EXPECT_EQ(format_ns(56.7e6), "56.7 ms");
  EXPECT_EQ(format_ns(1.234e9), "1.234 s");
  EXPECT_EQ(format_ns(12.345e9), "12.35 s");
  EXPECT_EQ(format_ns(4321e9), "4321 s");
  EXPECT_EQ(format_ns(123456e9), "123456 s");
  EXPECT_EQ(format_ns(-1.5e6), "-1.50 ms");
  EXPECT_EQ(format_ns(-0.2), "0 ns");
  EXPECT_EQ(format_ns(std::nan("")), "-");
}

TEST(FormatBytes, HasAUnitForEverySize) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(512), "512 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1.00 KiB");
  EXPECT_EQ(format_bytes(12 * 1024), "12.0 KiB");
  EXPECT_EQ(format_bytes(1.5 * 1073741824), "1.50 GiB");
  EXPECT_EQ(format_bytes(1048575), "1.00 MiB") << "rounding gives the next unit";
  EXPECT_EQ(format_bytes(1000 * 1024), "1000 KiB");
  EXPECT_EQ(format_bytes(-2048), "-2.00 KiB");
}

TEST(FormatCount, GroupsThousands) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1234567), "1,234,567");
  EXPECT_EQ(format_count(-123456), "-123,456");
  EXPECT_EQ(format_count(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(FormatPercent, HasOneDecimal) {
  EXPECT_EQ(format_percent(0.1234), "12.3 %");
  EXPECT_EQ(format_percent(1), "100.0 %");
  EXPECT_EQ(format_percent(-0.0001), "0.0 %");
  EXPECT_EQ(format_percent(std::nan("")), "-");
}

TEST(Nearest, FindsATypingError) {
  const std::vector<std::string> options = {"--mpi-calls", "--label", "--trace", "--keep-dumps"};
  EXPECT_EQ(nearest("--mpi-call", options), "--mpi-calls");
  EXPECT_EQ(nearest("--lable", options), "--label") << "swapped neighbours are one error";
  EXPECT_EQ(nearest("--keepdumps", options), "--keep-dumps");
  EXPECT_EQ(nearest("--colour", options), "");
  EXPECT_EQ(nearest("abc", {"abd"}), "abd");
  EXPECT_EQ(nearest("ab", {"ac"}), "") << "one of two letters is more than a third";
  EXPECT_EQ(nearest("same", {"sane", "same"}), "same");
  EXPECT_EQ(nearest("word", {}), "");
}

TEST(ErrnoText, IsWords) {
  EXPECT_EQ(errno_text(28), "No space left on device");
  EXPECT_EQ(Error("x").exit_code(), 2);
  EXPECT_EQ(Error("x", 125).exit_code(), 125);
}

TEST(JsonTerminalSafe, ValuesStayTheSame) {
  EXPECT_EQ(json_terminal_safe("{\"a\": \"\x7f\xc2\x9b\u202e##[x\xc3\xb6\"}"), "{\"a\": \"\\u007f\\u009b\\u202e#\\u0023[x\xc3\xb6\"}");
}

}  // namespace
