// Call sites: equal places of all ranks become one row a procedure.

#include <algorithm>
#include <map>
#include <tuple>

#include "model/limits.hpp"
#include "model/merge_parts.hpp"

namespace scope::model {
namespace {

using Stack = std::vector<SiteFrame>;
using Key = std::tuple<int, std::string, Stack>;

struct Sum {
  CallSiteRow row;
  bool has_extremes = false;
};

/// The stacks of a rank's sites, in their order.
std::vector<Stack> stacks_of(const CallSites &callsites) {
  std::vector<Stack> stacks;
  for (const auto &site : callsites.sites) {
    Stack &stack = stacks.emplace_back();
    for (std::uint32_t frame : site) stack.push_back(site_frame(callsites.frames[frame]));
  }
  return stacks;
}

void add_row(Sum &sum, const Converted &one, const Placed &placed) {
  add_measures(sum, one);
  sum.row.ranks.push_back(placed.rank);
}

}  // namespace

SiteFrame site_frame(const CodeFrame &frame) {
  SiteFrame result;
  result.python = frame.python;
  result.function = frame.function;
  if (frame.python) {
    result.file = frame.module;
    result.line = static_cast<int>(std::min<std::uint64_t>(frame.offset, largest_line));
    return result;
  }
  result.module = frame.module;
  result.build_id = frame.build_id;
  add_to(result.offset, frame.offset);
  return result;
}

struct CallSiteSums::Sums {
  std::map<Key, Sum> rows;
};

CallSiteSums::CallSiteSums() : sums_(std::make_unique<Sums>()) {}
CallSiteSums::~CallSiteSums() = default;

void CallSiteSums::add(const Placed &placed, const RankRows &rows) {
  const CallSites &callsites = rows.record.callsites;
  if (callsites.depth == 0) return;
  const std::vector<Stack> stacks = stacks_of(callsites);
  for (const Converted &one : rows.converted) {
    const bool known = one.site > 0 && one.site <= stacks.size();
    add_row(sums_->rows[{placed.world, std::string(one.call), known ? stacks[one.site - 1] : Stack{}}], one, placed);
  }
}

void CallSiteSums::finish(Profile &profile) {
  for (auto &[key, sum] : sums_->rows) {
    CallSiteRow &row = profile.callsites.emplace_back(std::move(sum.row));
    row.world = std::get<0>(key);
    row.call = std::get<1>(key);
    row.kind = kind_of(find_call(row.call));
    row.stack = std::get<2>(key);
  }
  std::stable_sort(profile.callsites.begin(), profile.callsites.end(),
                   [](const CallSiteRow &a, const CallSiteRow &b) { return a.total_ns > b.total_ns; });
}

}  // namespace scope::model
