#pragma once
// What a view shows: which ranks, which procedures.

#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.hpp"

namespace scope::analyze {

struct RankRange {
  int first = 0, last = 0;  ///< inclusive
  bool operator==(const RankRange &) const = default;
};

/// "0-3,8". Throws support::Error that names the part that is none.
std::vector<RankRange> parse_rank_ranges(std::string_view text);

/// The other way: "0-3,8", ascending and without repetition; "none" for no rank.
std::string format_ranks(const std::vector<int> &ranks);
/// The same of a set that is known.
std::string format_rank_set(const model::RankSet &ranks);

/// Ranks are those of every world that has them; no range means all.
struct Filter {
  std::vector<RankRange> ranks;
  std::optional<std::regex> include, exclude;  ///< searched in the procedure's name, ECMAScript

  bool some_ranks() const { return !ranks.empty(); }
  bool some_calls() const { return include || exclude; }
  bool has_rank(int rank) const;
  bool has_call(const std::string &procedure) const;
};

/// From the texts of --ranks, --include and --exclude, "" for none. Throws support::Error naming option and text: for a bad
/// range, a range without a rank of this profile, a bad regular expression.
Filter make_filter(const model::Profile &profile, const std::string &ranks, const std::string &include,
                   const std::string &exclude);

/// Indices into Profile::ranks.
std::vector<std::size_t> chosen_ranks(const model::Profile &profile, const Filter &filter);

}  // namespace scope::analyze
