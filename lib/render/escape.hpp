#pragma once
// Data in text: every name, host, label and path that comes from a run goes through one of these.

#include <string>
#include <string_view>
#include <vector>

namespace scope::render {

/// For a terminal and for logs: valid UTF-8 without control characters. What CI systems take for commands ("::error::" at the
/// beginning of a word, "##[") has its colon or second # written as \xNN.
std::string plain(std::string_view data);

/// For HTML text and attribute values in quotes: shown as it is, never as markup.
std::string escape_html(std::string_view data);

/// For XML 1.0 text and attribute values in quotes (JUnit): only characters that XML allows.
std::string escape_xml(std::string_view data);

/// For GitHub annotations: the text behind the last "::", and the value of a property (file=, title=).
std::string escape_github_data(std::string_view data);
std::string escape_github_property(std::string_view data);

/// Value of a label of OpenMetrics (its ABNF, escaped-string).
std::string escape_openmetrics(std::string_view data);

/// For Markdown text and table cells: shown as it is, never as markup or HTML.
std::string markdown_escape(std::string_view data);

/// One field of RFC 4180: valid UTF-8, quoted if it holds a comma, a quote, CR or LF. Other control characters become \xNN. A text
/// that spreadsheets would take for a formula (it begins with = + - @) gets an apostrophe in front, which they don't show.
std::string csv_field(std::string_view data);

/// One word of a POSIX shell's line: quoted only where it must be.
std::string shell_quote(std::string_view word);

/// The words as one line that a shell would read as these words.
std::string shell_line(const std::vector<std::string> &words);

/// Breaks at spaces into lines of at most `width` columns (0: one line); lines after the first begin with `indent` spaces.
/// A word wider than a line is broken. An empty text has no lines.
std::vector<std::string> wrap(std::string_view text, int width, int indent = 0);

}  // namespace scope::render
