#pragma once
// The result of a check in words and tables: terminal and Markdown.

#include <string>

#include "compare/verdict.hpp"
#include "render/style.hpp"
#include "render/table.hpp"

namespace scope::render {

/// "FAIL", "unsure", "allowed", "ok", "note".
std::string outcome_word(compare::Outcome outcome);

/// A value as people read it: "1.234 s", "12.0 KiB", "1,234", "12.3 %"; "-" for none.
std::string value_text(const std::optional<double> &value, compare::Unit unit);

/// "+12.3 %", "-4.0 %"; "new cost" where the base was 0; "-" where a side is missing.
std::string change_text(const compare::Verdict &verdict);

/// Why, and what would decide: one or two sentences.
std::string reason_text(const compare::Verdict &verdict);

/// One sentence a difference.
std::string difference_text(const compare::Difference &difference);

/// "FAIL: 2 of 45 checks failed, 1 is inconclusive."
std::string check_headline(const compare::CheckResult &result);

/// The verdicts, or only those that are no plain pass of a count. `more` of the table says how many were left out.
Table check_table(const compare::CheckResult &result, bool all);

/// For the terminal. `all`: every verdict.
std::string check_text(const compare::CheckResult &result, const Style &style, bool all);

/// A comment of a pull request: verdict first, then what changed; the rest folded.
std::string check_markdown(const compare::CheckResult &result);

}  // namespace scope::render
