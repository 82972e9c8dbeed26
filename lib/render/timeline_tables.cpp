#include "render/timeline_tables.hpp"

#include <algorithm>

#include "analyze/timeline_estimate.hpp"
#include "analyze/timeline_views.hpp"
#include "support/text.hpp"

namespace scope::render {
namespace {

Cell text(std::string value) { return {std::move(value), ""}; }
Cell number(std::int64_t value) { return {value, ""}; }
Cell number(std::optional<double> value) { return value ? Cell{*value, ""} : Cell{}; }

/// -1 is none, or several that were folded.
Cell place(std::int64_t value) { return value < 0 ? Cell{} : number(value); }

/// Where time was spent: the cells of region and call of a rank that computed, or called MPI.
Cell region_cell(const std::string &region) { return {region, region.empty() ? "(outside of regions)" : ""}; }
Cell call_cell(const std::string &call) { return {call, call.empty() ? "computation" : ""}; }

bool several_worlds(const model::Profile &profile) { return profile.worlds.size() > 1; }

std::string time(std::int64_t ns) { return support::format_ns(static_cast<double>(ns)); }

/// What a timeline that is not whole has to say.
std::string window_text(const model::Profile &profile) {
  if (!profile.timeline_results || profile.timeline_results->info.complete) return "";
  const model::TimelineResults &results = *profile.timeline_results;
  std::string out = " From " + time(results.info.from_ns) + " to " + time(results.info.to_ns) + " only: ";
  if (!results.notes.cut.empty()) out += std::to_string(results.notes.cut.size()) + " timelines are not complete";
  if (!results.notes.without.empty())
    out += (results.notes.cut.empty() ? "" : ", ") + std::to_string(results.notes.without.size()) + " ranks have none";
  return out + ".";
}

template <class Rows, class Test>
bool any(const Rows &rows, Test test) {
  return std::any_of(rows.begin(), rows.end(), test);
}

}  // namespace

Table wait_table(const model::Profile &profile, const analyze::Filter &filter) {
  const std::vector<analyze::WaitView> rows = analyze::by_wait(profile, filter);
  const std::int64_t whole = profile.timeline_results ? profile.timeline_results->waiting_ns : 0;
  Table table{"wait", "Wait states by time", "", {}, {}, 0};
  table.note = "% of waiting: share of the " + time(whole) +
               " that calls took because another rank was late. Peer: the rank waited for; of "
               "collectives, see the origins of delays." +
               window_text(profile);
  table.bar = "share_of_waiting";
  table.columns = {{"pattern", "wait state"},
                   {"world", "world", Type::id, several_worlds(profile)},
                   {"rank", "rank", Type::id},
                   {"call", "call"},
                   {"request", "request", Type::text, any(rows, [](const auto &view) { return !view.row.request.empty(); }), 5},
                   {"peer", "peer", Type::id, true, 1},
                   {"root", "root", Type::id, false},
                   {"comm", "comm", Type::id, any(rows, [](const auto &view) { return view.row.comm > 0; }), 6},
                   {"tag", "tag", Type::id, false},
                   {"bytes", "bytes", Type::bytes, true, 4},
                   {"waits", "waits", Type::count, true, 2},
                   {"total_ns", "total", Type::ns},
                   {"share_of_waiting", "% of\nwaiting", Type::ratio},
                   {"mean_ns", "mean", Type::ns, false},
                   {"max_ns", "max", Type::ns, true, 3}};
  for (const auto &[row, mean, share] : rows)
    table.rows.push_back({text(row.pattern), number(row.world), place(row.rank), text(row.call),
                          row.request.empty() ? Cell{} : text(row.request), place(row.peer), place(row.root), place(row.comm),
                          place(row.tag), place(row.bytes), number(row.waits), number(row.total_ns), number(share), Cell{mean, ""},
                          number(row.max_ns)});
  return table;
}

Table delay_table(const model::Profile &profile, const analyze::Filter &filter) {
  const std::int64_t whole = profile.timeline_results ? profile.timeline_results->waiting_ns : 0;
  Table table{"delay", "Origins of delays", "", {}, {}, 0};
  table.note =
      "What a rank did while others waited for it, directly or through ranks that waited for it themselves. % of waiting: share "
      "of " +
      time(whole) + ".";
  table.bar = "share_of_waiting";
  table.columns = {{"world", "world", Type::id, several_worlds(profile)},
                   {"rank", "rank", Type::id},
                   {"region", "region"},
                   {"call", "doing"},
                   {"caused_ns", "waiting\ncaused", Type::ns},
                   {"share_of_waiting", "% of\nwaiting", Type::ratio}};
  for (const auto &[row, share] : analyze::by_delay(profile, filter))
    table.rows.push_back(
        {number(row.world), place(row.rank), region_cell(row.region), call_cell(row.call), number(row.caused_ns), number(share)});
  return table;
}

Table path_table(const model::Profile &profile, const analyze::Filter &filter) {
  const std::int64_t whole = profile.timeline_results ? profile.timeline_results->path_ns : 0;
  Table table{"path", "Critical path", "", {}, {}, 0};
  table.note =
      "The chain of work and calls that the run's length is the sum of; what is not on it can be made faster without any gain. % "
      "of run: share of " +
      time(whole) + ".";
  table.bar = "share_of_run";
  table.columns = {{"world", "world", Type::id, several_worlds(profile)},
                   {"rank", "rank", Type::id},
                   {"region", "region"},
                   {"call", "doing"},
                   {"path_ns", "on the\npath", Type::ns},
                   {"share_of_run", "% of\nrun", Type::ratio}};
  for (const auto &[row, share] : analyze::by_path(profile, filter))
    table.rows.push_back(
        {number(row.world), place(row.rank), region_cell(row.region), call_cell(row.call), number(row.path_ns), number(share)});
  return table;
}

std::string waiting_text(const model::Profile &profile) {
  const auto largest = analyze::largest_wait(profile);
  if (!largest) return "";
  std::string out = "Waiting for other ranks: " + time(largest->waiting_ns);
  if (largest->mpi_share) out += ", " + support::format_percent(*largest->mpi_share) + " of the time in calls";
  out += "; most: " + largest->row.pattern + " in " + largest->row.call + " (" + time(largest->row.total_ns) + ")";
  if (const auto &origin = largest->origin; origin && origin->rank >= 0) {
    out += ", most due to " + (origin->call.empty() ? std::string("computation") : origin->call) + " of rank " +
           std::to_string(origin->rank);
    if (!origin->region.empty()) out += " in " + origin->region;
  }
  return out;
}

std::string estimate_text(const model::Profile &profile) {
  if (profile.timeline_results) return "";
  const auto estimate = analyze::estimated_total(profile);
  if (!estimate) return "";
  return "Waiting in collectives, an estimate from the ranks' sums: " + time(estimate->total_ns) + " or more, most of it in " +
         estimate->largest.call + " (" + time(estimate->largest.total_ns) + "; rank " + std::to_string(estimate->last_rank) +
         " mostly comes last); run --trace measures it";
}

}  // namespace scope::render
