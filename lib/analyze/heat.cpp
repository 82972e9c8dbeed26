#include "analyze/heat.hpp"

#include "analyze/views.hpp"

namespace scope::analyze {
namespace {

const model::CallRow *find_call(const model::Profile &profile, const std::string &name) {
  for (const model::CallRow &row : profile.calls)
    if (row.name == name) return &row;
  return nullptr;
}

std::optional<double> share(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

Heat heat_of(const model::Profile &profile, const Filter &filter, std::size_t most) {
  Heat heat;
  std::vector<const model::CallRow *> rows;
  for (const CallView &view : by_call(profile, filter)) {
    const model::CallRow *row = heat.calls.size() < most ? find_call(profile, view.call) : nullptr;
    if (!row) continue;
    heat.calls.push_back(view.call);
    rows.push_back(row);
  }
  const std::vector<RankView> ranks = by_rank(profile, filter);
  for (std::size_t i = 0, next = 0; i < profile.ranks.size() && next < ranks.size(); ++i) {
    const RankView &view = ranks[next];
    if (profile.ranks[i].world != view.world || profile.ranks[i].rank != view.rank) continue;
    ++next;
    HeatRow row{view.world, view.rank, share(view.mpi_ns, view.wall_ns), {}};
    for (const model::CallRow *call : rows)
      row.shares.push_back(i < call->per_rank.total_ns.size() ? share(call->per_rank.total_ns[i], view.wall_ns) : std::nullopt);
    heat.rows.push_back(std::move(row));
  }
  return heat;
}

}  // namespace scope::analyze
