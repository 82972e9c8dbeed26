#include "analyze/filter.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "support/error.hpp"
#include "support/text.hpp"

namespace scope::analyze {
namespace {

/// std::regex recurses once a character; no procedure has a name near this, but a profile is input.
constexpr std::size_t longest_searched = 1024;

std::optional<int> parse_rank(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

[[noreturn]] void refuse_part(std::string_view part, std::string_view text, const std::string &reason) {
  throw support::Error("--ranks " + support::terminal_safe(support::valid_utf8(text)) + ": \"" +
                       support::terminal_safe(support::valid_utf8(part)) + "\" " + reason);
}

RankRange parse_part(std::string_view part, std::string_view text) {
  const std::size_t dash = part.find('-');
  const auto first = parse_rank(part.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_rank(part.substr(dash + 1));
  if (!first || !last) refuse_part(part, text, "is no rank and no range of ranks; write it as in 0-3,8");
  if (*last < *first) refuse_part(part, text, "ends before it begins");
  return {*first, *last};
}

std::optional<std::regex> parse_regex(const std::string &option, const std::string &text) {
  if (text.empty()) return std::nullopt;
  try {
    return std::regex(text, std::regex::ECMAScript | std::regex::optimize);
  } catch (const std::regex_error &error) {
    throw support::Error(option + " \"" + support::terminal_safe(support::valid_utf8(text)) +
                         "\" is no regular expression: " + error.what());
  }
}

std::string ranks_of(const model::Profile &profile) {
  std::vector<int> ranks;
  for (const model::Rank &rank : profile.ranks) ranks.push_back(rank.rank);
  return format_ranks(ranks);
}

}  // namespace

std::vector<RankRange> parse_rank_ranges(std::string_view text) {
  std::vector<RankRange> ranges;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = text.find(',', begin);
    ranges.push_back(parse_part(text.substr(begin, comma - begin), text));
    if (comma == std::string_view::npos) return ranges;
    begin = comma + 1;
  }
}

std::string format_ranks(const std::vector<int> &ranks) {
  const std::set<int> ordered(ranks.begin(), ranks.end());
  if (ordered.empty()) return "none";
  std::string text;
  for (auto it = ordered.begin(); it != ordered.end();) {
    const int first = *it;
    int last = first;
    while (++it != ordered.end() && *it - 1 == last) last = *it;
    if (!text.empty()) text += ",";
    text += std::to_string(first);
    if (last != first) text += "-" + std::to_string(last);
  }
  return text;
}

std::string format_rank_set(const model::RankSet &ranks) {
  std::string text;
  int first = -1, last = -2;
  auto finish = [&] {
    if (first < 0) return;
    text += (text.empty() ? "" : ",") + std::to_string(first);
    if (last != first) text += "-" + std::to_string(last);
  };
  auto add = [&](int from, int to) {
    if (from != last + 1 || first < 0) {
      finish();
      first = from;
    }
    last = to;
  };
  for (const model::RankSet::Run &run : ranks.runs()) {
    if (run.step == 1) add(run.first, run.last);
    else
      for (int rank = run.first; rank <= run.last; rank += run.step) add(rank, rank);
  }
  finish();
  return text.empty() ? "none" : text;
}

bool Filter::has_rank(int rank) const {
  return ranks.empty() ||
         std::any_of(ranks.begin(), ranks.end(), [&](const RankRange &r) { return r.first <= rank && rank <= r.last; });
}

bool Filter::has_call(const std::string &procedure) const {
  const auto end = procedure.begin() + static_cast<std::ptrdiff_t>(std::min(procedure.size(), longest_searched));
  if (include && !std::regex_search(procedure.begin(), end, *include)) return false;
  return !exclude || !std::regex_search(procedure.begin(), end, *exclude);
}

Filter make_filter(const model::Profile &profile, const std::string &ranks, const std::string &include,
                   const std::string &exclude) {
  Filter filter;
  filter.include = parse_regex("--include", include);
  filter.exclude = parse_regex("--exclude", exclude);
  if (ranks.empty()) return filter;
  filter.ranks = parse_rank_ranges(ranks);
  for (const RankRange &range : filter.ranks) {
    const bool found = std::any_of(profile.ranks.begin(), profile.ranks.end(),
                                   [&](const model::Rank &r) { return range.first <= r.rank && r.rank <= range.last; });
    if (found) continue;
    std::string part = std::to_string(range.first);
    if (range.last != range.first) part += "-" + std::to_string(range.last);
    refuse_part(part, ranks, "is not in the profile; its ranks: " + ranks_of(profile));
  }
  return filter;
}

std::vector<std::size_t> chosen_ranks(const model::Profile &profile, const Filter &filter) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < profile.ranks.size(); ++i)
    if (filter.has_rank(profile.ranks[i].rank)) chosen.push_back(i);
  return chosen;
}

}  // namespace scope::analyze
