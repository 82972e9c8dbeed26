#pragma once
// Data in text: every name, host, label and path that comes from a run goes through one of these.

#include <string>
#include <string_view>
#include <vector>

namespace scope::render {

/// For a terminal: valid UTF-8 without control characters.
std::string plain(std::string_view data);

/// For Markdown text and table cells: shown as it is, never as markup or HTML.
std::string markdown_escape(std::string_view data);

/// One field of RFC 4180: quoted if it holds a comma, a quote, CR or LF; the data stay exact.
std::string csv_field(std::string_view data);

/// One word of a POSIX shell's line: quoted only where it must be.
std::string shell_quote(std::string_view word);

/// The words as one line that a shell would read as these words.
std::string shell_line(const std::vector<std::string> &words);

/// Breaks at spaces into lines of at most `width` columns (0: one line); lines after the first begin with `indent` spaces.
/// A word wider than a line is broken. An empty text has no lines.
std::vector<std::string> wrap(std::string_view text, int width, int indent = 0);

}  // namespace scope::render
