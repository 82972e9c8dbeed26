#include "render/check_text.hpp"

#include <algorithm>
#include <cstdio>

#include "render/escape.hpp"

namespace scope::render {
namespace {

using compare::CheckResult;
using compare::Group;
using compare::Outcome;
using compare::Reason;
using compare::Verdict;

constexpr std::size_t most_rows = 40, most_reasons = 20;
/// GitHub takes comments of 65,536 characters.
constexpr std::size_t most_folded = 150;

/// Equal counts are many and say nothing; what stayed in its limits is what people look for.
bool is_plain(const Verdict &verdict) {
  if (verdict.outcome == Outcome::note) return true;
  return verdict.outcome == Outcome::pass && verdict.group == Group::count && verdict.metric.find('.') != std::string::npos;
}

std::string interval_text(const Verdict &verdict) {
  if (!verdict.interval || !verdict.ratio || verdict.interval->low == verdict.interval->high) return "";
  char text[64];
  std::snprintf(text, sizeof text, "%+.1f to %+.1f %%", (verdict.interval->low - 1) * 100, (verdict.interval->high - 1) * 100);
  return text;
}

std::string limit_text(const Verdict &verdict) {
  if (verdict.limit && verdict.reason != Reason::step)
    return (verdict.limit_is_minimum ? ">= " : "<= ") + value_text(verdict.limit, verdict.unit);
  if (!verdict.threshold) return verdict.group == Group::count ? "equal" : "";
  char text[32];
  std::snprintf(text, sizeof text, "%s%g %%", verdict.lower_is_better ? "+" : "-", *verdict.threshold * 100);
  return text;
}

std::string p_text(const Verdict &verdict) {
  if (!verdict.p_value) return "";
  char text[32];
  std::snprintf(text, sizeof text, *verdict.p_value < 0.0005 ? "< 0.001" : "%.3f", *verdict.p_value);
  return text;
}

std::string repeats_text(const Verdict &verdict) {
  if (verdict.base_repeats + verdict.now_repeats <= 2) return "";
  if (!verdict.base) return std::to_string(verdict.now_repeats);
  return std::to_string(verdict.base_repeats) + "/" + std::to_string(verdict.now_repeats);
}

Cell shown(const std::optional<double> &value, std::string text) {
  Cell cell;
  if (value) cell.value = *value;
  cell.text = text.empty() ? " " : std::move(text);
  return cell;
}

Row row_of(const Verdict &verdict) {
  return {{outcome_word(verdict.outcome), ""},
          {verdict.metric, ""},
          shown(verdict.base, value_text(verdict.base, verdict.unit)),
          shown(verdict.now, value_text(verdict.now, verdict.unit)),
          shown(verdict.ratio, change_text(verdict)),
          {limit_text(verdict), ""},
          {interval_text(verdict), ""},
          shown(verdict.p_value, p_text(verdict)),
          {repeats_text(verdict), ""}};
}

Table empty_table() {
  Table table;
  table.name = "check";
  table.title = "Checks";
  table.columns = {{"verdict", "verdict", Type::text, true, 0},  {"metric", "metric", Type::text, true, 0},
                   {"base", "base", Type::count, true, 0},       {"new", "new", Type::count, true, 0},
                   {"change", "change", Type::ratio, true, 0},   {"limit", "limit", Type::text, true, 1},
                   {"interval", "95 % interval", Type::text, true, 2}, {"p", "p", Type::count, true, 3},
                   {"repeats", "repeats", Type::text, true, 4}};
  return table;
}

bool needs_reason(const Verdict &verdict) {
  return verdict.outcome == Outcome::fail || verdict.outcome == Outcome::inconclusive || verdict.outcome == Outcome::allowed;
}

std::string lines(const std::string &data, const Style &style) {
  std::string out;
  for (const std::string &line : wrap(plain(data), style.width, 2)) out += line + "\n";
  return out;
}

std::string refusal_text(const CheckResult &result, const Style &style) {
  std::string out;
  for (const auto &difference : result.differences) out += lines("- " + difference_text(difference), style);
  return out + lines("--allow-different compares all the same.", style);
}

/// What there is to say besides the verdicts.
std::vector<std::string> remarks_of(const CheckResult &result) {
  std::vector<std::string> remarks;
  for (const auto &difference : result.differences) remarks.push_back("Compared all the same: " + difference_text(difference));
  if (std::any_of(result.verdicts.begin(), result.verdicts.end(), [](const Verdict &verdict) { return verdict.paired; }))
    remarks.push_back("The two ran in turn: changes and tests are those of the pairs, each repetition against the one beside it.");
  if (!result.left_out_hosts.empty()) remarks.push_back("The runs were on different hosts; a difference may be the hosts'.");
  for (const std::string &unused : result.unused_allowances) remarks.push_back("Nothing needed the allowance " + unused);
  for (const Verdict &verdict : result.verdicts)
    if (verdict.outcome == Outcome::note) remarks.push_back(verdict.metric + ": " + reason_text(verdict));
  return remarks;
}

Table with(const CheckResult &result, bool (*chosen)(const Verdict &)) {
  Table table = empty_table();
  for (const Verdict &verdict : result.verdicts)
    if (chosen(verdict)) table.rows.push_back(row_of(verdict));
  return table;
}

std::string folded(const std::string &title, const std::string &content) {
  return "\n<details><summary>" + title + "</summary>\n\n" + content + "\n</details>\n";
}

std::string title_line(const CheckResult &result) {
  std::string icon = result.refused || result.overall == Outcome::fail    ? "\xe2\x9d\x8c "
                     : result.overall == Outcome::inconclusive ? "\xe2\x9a\xa0\xef\xb8\x8f "
                                                               : "\xe2\x9c\x85 ";
  return "## " + icon + markdown_escape(check_headline(result)) + "\n\n";
}

std::string subject_line(const CheckResult &result) {
  std::string text = markdown_escape(result.command);
  const std::string base = result.base_label.empty() ? result.base_name : result.base_label;
  const std::string now = result.now_label.empty() ? result.now_name : result.now_label;
  if (!base.empty()) text += "<br>base: " + markdown_escape(base) + ", new: " + markdown_escape(now);
  return text + "\n";
}

}  // namespace

Table check_table(const CheckResult &result, bool all) {
  Table table = empty_table();
  for (const Verdict &verdict : result.verdicts) {
    if (all || !is_plain(verdict)) table.rows.push_back(row_of(verdict));
    else ++table.more;
  }
  if (!all) keep_rows(table, most_rows);
  return table;
}

std::string check_text(const CheckResult &result, const Style &style, bool all) {
  const bool good = !result.refused && result.overall == Outcome::pass;
  std::string out = (good ? bold(check_headline(result), style) : warning_color(check_headline(result), style)) + "\n";
  if (result.refused) return out + refusal_text(result, style);
  const Table table = check_table(result, all);
  if (!table.rows.empty()) out += "\n" + text_table(table, style);
  if (table.more) out += dim("... and " + std::to_string(table.more) + " more (-v shows all)", style) + "\n";
  std::string reasons;
  std::size_t said = 0;
  bool grew = false;
  for (const Verdict &verdict : result.verdicts) {
    grew = grew || verdict.reason == Reason::grew;
    if (!needs_reason(verdict) || (verdict.reason == Reason::grew && verdict.outcome == Outcome::fail)) continue;
    if (++said <= most_reasons || all) reasons += lines(outcome_word(verdict.outcome) + " " + verdict.metric + ": " + reason_text(verdict), style);
  }
  if (grew) reasons = lines("Counts and bytes do not depend on timing: every increase counts.", style) + reasons;
  if (!reasons.empty()) out += "\n" + reasons;
  if (said > most_reasons && !all) out += "... and " + std::to_string(said - most_reasons) + " more\n";
  const auto remarks = remarks_of(result);
  if (!remarks.empty()) out += "\n";
  for (std::size_t i = 0; i < remarks.size() && (all || i < most_reasons); ++i) out += lines("- " + remarks[i], style);
  return out;
}

std::string check_markdown(const CheckResult &result) {
  std::string out = title_line(result) + subject_line(result);
  if (result.refused) {
    out += "\n";
    for (const auto &difference : result.differences) out += "- " + markdown_escape(difference_text(difference)) + "\n";
    return out;
  }
  std::string reasons;
  std::size_t said = 0;
  for (const Verdict &verdict : result.verdicts) {
    if (!needs_reason(verdict) || ++said > most_reasons) continue;
    reasons += "- **" + outcome_word(verdict.outcome) + "** " + markdown_escape(verdict.metric) + ": " +
               markdown_escape(reason_text(verdict)) + "\n";
  }
  if (!reasons.empty()) out += "\n" + reasons;
  if (said > most_reasons) out += "- and " + std::to_string(said - most_reasons) + " more\n";
  Table changed = with(result, [](const Verdict &verdict) {
    return needs_reason(verdict) || verdict.reason == Reason::improved || verdict.reason == Reason::fell;
  });
  keep_rows(changed, most_folded);
  if (!changed.rows.empty()) out += "\n### What changed\n\n" + markdown_table(changed);
  if (changed.more) out += "\n... and " + std::to_string(changed.more) + " more\n";
  Table rest = with(result, [](const Verdict &verdict) {
    return verdict.outcome == Outcome::pass && verdict.reason != Reason::improved && verdict.reason != Reason::fell;
  });
  const std::size_t unchanged = rest.rows.size();
  keep_rows(rest, most_folded);
  const std::string more = rest.more ? "\n... and " + std::to_string(rest.more) + " more\n" : "";
  if (unchanged) out += folded(std::to_string(unchanged) + " checks without a change that counts", markdown_table(rest) + more);
  std::string remarks;
  for (const std::string &remark : remarks_of(result)) remarks += "- " + markdown_escape(remark) + "\n";
  if (!remarks.empty()) out += folded("Remarks", remarks);
  return out;
}

}  // namespace scope::render
