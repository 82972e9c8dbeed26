#pragma once
// Text: UTF-8 repair, widths, numbers with units. No domain knowledge.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace scope::support {

/// Invalid UTF-8 becomes U+FFFD, one per maximal invalid part; valid text is returned as it is.
std::string valid_utf8(std::string_view bytes);

/// Columns on a terminal: wide East Asian characters count 2, combining and control characters 0. Text must be valid UTF-8.
int display_width(std::string_view utf8);

/// Shortens to `width` columns with "…" (or "~" if !unicode) in the middle.
std::string ellipsize(std::string_view utf8, int width, bool unicode = true);

/// What somebody wrote, as it may stand in an error: its first 100 bytes and "..." where it is longer; whole characters.
std::string shortened(const std::string &text);

/// C0, C1 and DEL become \xNN, so that data never moves a terminal's cursor or sets its colours. Line separators and what turns
/// the direction of text around (U+202E and its kind) become \uNNNN.
std::string terminal_safe(std::string_view utf8);

/// Of a JSON text: DEL, C1, what turns text around and "##[" (a command to CI systems wherever it stands) inside its strings become
/// \uNNNN. Its values stay the same.
std::string json_terminal_safe(std::string_view json);

/// "1.234 s", "56.7 ms", "8.90 us", "123 ns": seconds with four significant digits, ms and us with three, whole ns. Negative
/// values too; "-" for what is no finite number.
std::string format_ns(double ns);
/// "1.50 GiB", "12.0 KiB", "512 B".
std::string format_bytes(double bytes);
/// "1,234,567".
std::string format_count(std::int64_t count);
/// "12.3 %".
std::string format_percent(double ratio);

/// The candidate nearest to `word` (Damerau-Levenshtein, at most a third of its length), "" if none is near.
std::string nearest(std::string_view word, const std::vector<std::string> &candidates);

}  // namespace scope::support
