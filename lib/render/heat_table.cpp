#include "analyze/heat.hpp"
#include "render/tables.hpp"

namespace scope::render {
namespace {

constexpr std::size_t most_calls = 8;  ///< beyond, columns don't fit anywhere

/// "Allreduce" of "MPI_Allreduce": what is common to all takes room.
std::string short_name(const std::string &call) { return call.starts_with("MPI_") ? call.substr(4) : call; }

Cell share(const std::optional<double> &value) { return value ? Cell{*value, ""} : Cell{}; }

}  // namespace

Table heat_table(const model::Profile &profile, const analyze::Filter &filter) {
  const analyze::Heat heat = analyze::heat_of(profile, filter, most_calls);
  Table table{"heat", "Ranks and calls", "Share of the rank's wall time.", {}, {}, 0};
  table.columns = {{"world", "world", Type::id, profile.worlds.size() > 1}, {"rank", "rank", Type::id}};
  int priority = 0;
  for (const std::string &call : heat.calls) table.columns.push_back({call, short_name(call), Type::ratio, true, priority++, true});
  table.columns.push_back({"share_of_wall", "all MPI", Type::ratio});
  for (const analyze::HeatRow &row : heat.rows) {
    Row cells{{std::int64_t{row.world}, ""}, {std::int64_t{row.rank}, ""}};
    for (const std::optional<double> &value : row.shares) cells.push_back(share(value));
    cells.push_back(share(row.mpi_share));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace scope::render
