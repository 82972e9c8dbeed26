#include "render/tables.hpp"

#include <algorithm>

#include "analyze/rank_hosts.hpp"
#include "model/site_text.hpp"
#include "support/text.hpp"

namespace scope::render {
namespace {

using analyze::Denominators;

/// "all 4 ranks", "2 of 4 ranks", "1 rank".
std::string ranks_text(const Denominators &whole) {
  const std::string all = support::format_count(static_cast<std::int64_t>(whole.all_ranks));
  const std::string chosen = support::format_count(static_cast<std::int64_t>(whole.ranks));
  if (whole.ranks != whole.all_ranks) return chosen + " of " + all + " ranks";
  return whole.all_ranks == 1 ? "1 rank" : "all " + all + " ranks";
}

Cell text(std::string value) { return {std::move(value), ""}; }
Cell number(std::int64_t value) { return {value, ""}; }
Cell number(std::optional<std::int64_t> value) { return value ? number(*value) : Cell{}; }
Cell number(std::optional<double> value) { return value ? Cell{*value, ""} : Cell{}; }

bool several_worlds(const model::Profile &profile) { return profile.worlds.size() > 1; }

std::string mpi_note(const Denominators &whole) {
  std::string note = "% of MPI time: share of " + mpi_time_text(whole) + ".";
  if (whole.threads) note += " Ranks called MPI from several threads at once: shares may add up to more than 100 %.";
  return note;
}

/// Some columns are shown to people only where a row has something to see in them.
template <class Row, class Test>
bool any(const std::vector<Row> &rows, Test test) {
  return std::any_of(rows.begin(), rows.end(), test);
}

std::string size_range(std::int64_t from, std::int64_t to) {
  const std::string first = support::format_bytes(static_cast<double>(from));
  return from == to ? first : first + " - " + support::format_bytes(static_cast<double>(to));
}

/// "" where no signature says.
std::string which_ranks(const model::RankSet &ranks) {
  constexpr std::size_t most_runs = 1000;
  if (ranks.empty()) return "";
  if (ranks.runs().empty() || ranks.runs().size() > most_runs) return support::format_count(static_cast<std::int64_t>(ranks.size())) + " ranks";
  return analyze::format_rank_set(ranks);
}

}  // namespace

std::string mpi_time_text(const Denominators &whole) {
  return support::format_ns(static_cast<double>(whole.mpi_ns)) + " that " + ranks_text(whole) +
         (whole.ranks == 1 ? " spent in MPI" : " together spent in MPI");
}

std::string rank_time_text(const Denominators &whole) {
  return support::format_ns(static_cast<double>(whole.rank_ns)) +
         (whole.ranks == 1 ? ", the wall time of " : ", the wall times added up of ") + ranks_text(whole);
}

std::string status_text(const analyze::RankView &rank) {
  if (rank.signal) return rank.status + " (signal " + std::to_string(rank.signal) + ")";
  if (rank.abort_code) return rank.status + " (code " + std::to_string(*rank.abort_code) + ")";
  return rank.status;
}

Table call_table(const model::Profile &profile, const analyze::Filter &filter) {
  const std::vector<analyze::CallView> rows = analyze::by_call(profile, filter);
  const Denominators whole = analyze::denominators(profile, filter);
  const bool errors = any(rows, [](const analyze::CallView &row) { return row.errors.value_or(0) > 0; });
  Table table{"call", "MPI calls by time", mpi_note(whole), {}, {}, 0};
  table.note += " % of rank time: share of " + rank_time_text(whole) + ".";
  table.note += " Imbalance: 1 - mean / maximum of the ranks' times in the call.";
  table.bar = "share_of_mpi_time";
  table.columns = {{"call", "call"},
                   {"kind", "kind", Type::text, true, 9},
                   {"calls", "calls", Type::count},
                   {"errors", "errors", Type::count, errors},
                   {"total_ns", "total", Type::ns},
                   {"share_of_mpi_time", "% of\nMPI time", Type::ratio},
                   {"share_of_rank_time", "% of\nrank time", Type::ratio, true, 4},
                   {"mean_ns", "mean", Type::ns, true, 1},
                   {"min_ns", "min", Type::ns, false},
                   {"max_ns", "max", Type::ns, true, 2},
                   {"p95_ns", "p95", Type::ns, true, 5},
                   {"bytes_sent", "bytes\nsent", Type::bytes, true, 3},
                   {"bytes_received", "bytes\nreceived", Type::bytes, true, 6},
                   {"imbalance", "imbalance", Type::ratio, true, 3}};
  for (const analyze::CallView &row : rows)
    table.rows.push_back({text(row.call), text(row.kind), number(row.calls), number(row.errors), number(row.total_ns),
                          number(row.mpi_share), number(row.rank_share), number(row.mean_ns), number(row.min_ns),
                          number(row.max_ns), number(row.p95_ns), number(row.bytes_sent), number(row.bytes_received),
                          Cell{row.imbalance, ""}});
  return table;
}

Table rank_table(const model::Profile &profile, const analyze::Filter &filter) {
  const std::vector<analyze::RankView> rows = analyze::by_rank(profile, filter);
  const bool in_call = any(rows, [](const analyze::RankView &row) { return !row.in_call.empty(); });
  Table table{"rank", "Ranks", "", {}, {}, 0};
  table.note = filter.some_calls() ? "MPI: time in the chosen procedures; % of wall: its share of the rank's wall time."
                                   : "% of wall: MPI time as a share of the rank's wall time.";
  table.bar = "share_of_wall";
  table.columns = {{"world", "world", Type::id, several_worlds(profile)},
                   {"rank", "rank", Type::id},
                   {"host", "host", Type::text, true, 7},
                   {"pid", "pid", Type::id, false},
                   {"status", "status", Type::text, true, 2},
                   {"signal", "signal", Type::id, false},
                   {"abort_code", "abort code", Type::id, false},
                   {"wall_ns", "wall", Type::ns, true, 3},
                   {"mpi_ns", "MPI", Type::ns},
                   {"share_of_wall", "% of\nwall", Type::ratio},
                   {"calls", "calls", Type::count, true, 4},
                   {"bytes_sent", "bytes\nsent", Type::bytes, true, 5},
                   {"bytes_received", "bytes\nreceived", Type::bytes, true, 6},
                   {"cpu_ns", "CPU", Type::ns, false},
                   {"max_rss_bytes", "max RSS", Type::bytes, false},
                   {"in_call", "in call", Type::text, in_call}};
  for (const analyze::RankView &row : rows)
    table.rows.push_back({number(row.world), number(row.rank), text(row.host), number(row.pid),
                          Cell{row.status, status_text(row)}, row.signal ? number(row.signal) : Cell{},
                          row.abort_code ? number(*row.abort_code) : Cell{}, number(row.wall_ns), number(row.mpi_ns), number(row.mpi_share),
                          number(row.calls), number(row.bytes_sent), number(row.bytes_received), number(row.cpu_ns), number(row.max_rss_bytes),
                          row.in_call.empty() ? Cell{} : text(row.in_call)});
  return table;
}

Table spread_table(const model::Profile &profile, const analyze::Filter &filter) {
  Table table{"spread", "How times spread over ranks", "", {}, {}, 0};
  table.note = "Time of a rank in all its calls: the share of ranks in a column's head take no longer.";
  table.columns = {{"name", "call or region"},
                   {"kind", "kind", Type::text, false},
                   {"min_ns", "min", Type::ns},
                   {"p05_ns", "5 %", Type::ns, true, 3},
                   {"p25_ns", "25 %", Type::ns, true, 2},
                   {"p50_ns", "median", Type::ns},
                   {"p75_ns", "75 %", Type::ns, true, 2},
                   {"p95_ns", "95 %", Type::ns, true, 3},
                   {"max_ns", "max", Type::ns},
                   {"world", "longest in\nworld", Type::id, several_worlds(profile)},
                   {"rank", "longest on\nrank", Type::id},
                   {"host", "host", Type::text, true, 4}};
  for (const analyze::SpreadView &row : analyze::by_spread(profile, filter)) {
    std::vector<Cell> cells{text(row.name), text(row.region ? "region" : "call")};
    for (std::int64_t time : row.total_ns) cells.push_back(number(time));
    const model::Rank &longest = profile.ranks[row.longest];
    for (Cell cell : {number(longest.world), number(longest.rank), text(longest.host)}) cells.push_back(std::move(cell));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table peer_table(const model::Profile &profile, const analyze::Filter &filter) {
  return peer_table_of(profile, filter, std::numeric_limits<std::size_t>::max());
}

Table peer_table_of(const model::Profile &profile, const analyze::Filter &filter, std::size_t most) {
  const Denominators whole = analyze::denominators(profile, filter);
  const analyze::RankHosts hosts(profile);
  Table table{"peer", "Peers by bytes", "", {}, {}, 0};
  table.note = "% of bytes: share of the " + support::format_bytes(static_cast<double>(whole.peer_bytes)) +
               " that point-to-point and one-sided calls of " + ranks_text(whole) + " moved. Collectives are not in this table.";
  table.bar = "share_of_bytes";
  table.columns = {{"layer", "layer"},
                   {"world", "world", Type::id, several_worlds(profile)},
                   {"src", "from\nrank", Type::id},
                   {"dst", "to\nrank", Type::id},
                   {"messages", "messages", Type::count},
                   {"bytes", "bytes", Type::bytes},
                   {"mean_bytes", "mean size", Type::bytes, true, 2},
                   {"share_of_bytes", "% of bytes", Type::ratio, true, 1},
                   {"src_host", "from\nhost", Type::text, hosts.several(), 3},
                   {"dst_host", "to\nhost", Type::text, hosts.several(), 3}};
  const analyze::PeerViews views = analyze::by_peer(profile, filter, most);
  table.more = views.more;
  for (const analyze::PeerView &row : views.rows)
    table.rows.push_back({text(row.layer == analyze::Layer::one_sided ? "one-sided" : "point-to-point"), number(row.world),
                          number(row.src), number(row.dst), number(row.messages), number(row.bytes), number(row.mean_bytes),
                          number(row.bytes_share), text(hosts.of(row.world, row.src)), text(hosts.of(row.world, row.dst))});
  return table;
}

Table size_table(const model::Profile &profile, const analyze::Filter &filter) {
  Table table{"size", "Message sizes by time", "", {}, {}, 0};
  table.note = "Size: bytes of one call. Bytes: sent and received. Mean: time of one call.";
  table.columns = {{"call", "call"},
                   {"bytes_from", "size", Type::bytes},
                   {"bytes_to", "size to", Type::bytes, false},
                   {"calls", "calls", Type::count, true, 1},
                   {"bytes", "bytes", Type::bytes, true, 2},
                   {"total_ns", "total", Type::ns},
                   {"mean_ns", "mean", Type::ns, true, 3},
                   {"rank_list", "which ranks", Type::text, false}};
  for (const analyze::SizeView &row : analyze::by_size(profile, filter))
    table.rows.push_back({text(row.call), Cell{row.bytes_from, size_range(row.bytes_from, row.bytes_to)}, number(row.bytes_to),
                          number(row.calls), number(row.bytes), number(row.total_ns), number(row.mean_ns),
                          text(which_ranks(row.rank_list))});
  return table;
}

Table communicator_table(const model::Profile &profile, const analyze::Filter &filter) {
  Table table{"comm", "Communicators by time", mpi_note(analyze::denominators(profile, filter)) + " Bytes: sent.", {}, {}, 0};
  table.bar = "share_of_mpi_time";
  table.columns = {{"id", "id", Type::id},
                   {"world", "world", Type::id, several_worlds(profile)},
                   {"name", "name"},
                   {"size", "size", Type::count, true, 1},
                   {"remote_size", "remote\nsize", Type::count, false},
                   {"merged", "merged", Type::id, false},
                   {"calls", "calls", Type::count},
                   {"total_ns", "total", Type::ns},
                   {"share_of_mpi_time", "% of\nMPI time", Type::ratio},
                   {"bytes", "bytes", Type::bytes, true, 2},
                   {"rank_list", "which ranks", Type::text, false}};
  for (const analyze::CommunicatorView &row : analyze::by_communicator(profile, filter))
    table.rows.push_back({number(row.id), number(row.world), Cell{row.name, row.merged ? "(many together)" : ""},
                          number(row.size), number(row.remote_size), number(row.merged ? 1 : 0), number(row.calls),
                          number(row.total_ns), number(row.mpi_share), number(row.bytes), text(which_ranks(row.rank_list))});
  return table;
}

Table callsite_table(const model::Profile &profile, const analyze::Filter &filter) {
  Table table{"callsite", "Call sites by time", mpi_note(analyze::denominators(profile, filter)), {}, {}, 0};
  table.bar = "share_of_mpi_time";
  table.columns = {{"call", "call"},
                   {"world", "world", Type::id, several_worlds(profile)},
                   {"place", "called from"},
                   {"calls", "calls", Type::count},
                   {"total_ns", "total", Type::ns},
                   {"share_of_mpi_time", "% of\nMPI time", Type::ratio},
                   {"mean_ns", "mean", Type::ns, true, 2},
                   {"max_ns", "max", Type::ns, true, 4},
                   {"bytes_sent", "bytes\nsent", Type::bytes, true, 5},
                   {"bytes_received", "bytes\nreceived", Type::bytes, false},
                   {"ranks", "ranks", Type::count, true, 3},
                   {"function", "function", Type::text, false},
                   {"file", "file", Type::text, false},
                   {"line", "line", Type::id, false},
                   {"module", "module", Type::text, false},
                   {"offset", "offset", Type::id, false},
                   {"rank_list", "which ranks", Type::text, false}};
  for (const analyze::CallSiteView &row : analyze::by_callsite(profile, filter)) {
    const model::SiteFrame caller = row.stack.empty() ? model::SiteFrame{} : row.stack.front();
    table.rows.push_back({text(row.call), number(row.world), text(model::stack_text(row.stack)), number(row.calls), number(row.total_ns),
                          number(row.mpi_share), number(row.mean_ns), number(row.max_ns), number(row.bytes_sent),
                          number(row.bytes_received), number(row.ranks), text(caller.function), text(caller.file),
                          caller.line ? number(caller.line) : Cell{}, text(caller.module), number(caller.offset),
                          text(which_ranks(row.rank_list))});
  }
  return table;
}

Table region_table(const model::Profile &profile, const analyze::Filter &filter) {
  const Denominators whole = analyze::denominators(profile, filter);
  const std::vector<analyze::RegionView> rows = analyze::by_region(profile, filter);
  const bool mpi = rows.empty() || any(rows, [](const analyze::RegionView &row) { return row.mpi_ns.has_value(); });
  Table table{"region", "Regions by time", "% of rank time: share of " + rank_time_text(whole) + ".", {}, {}, 0};
  table.note += " Self: outside of the regions inside.";
  table.bar = "share_of_rank_time";
  table.columns = {{"path", "region"},
                   {"calls", "calls", Type::count},
                   {"total_ns", "total", Type::ns},
                   {"share_of_rank_time", "% of\nrank time", Type::ratio},
                   {"self_ns", "self", Type::ns, true, 1},
                   {"mpi_ns", "MPI", Type::ns, mpi},
                   {"mpi_share", "% MPI", Type::ratio, false},
                   {"mpi_calls", "MPI\ncalls", Type::count, mpi, 4},
                   {"mean_ns", "mean", Type::ns, true, 2},
                   {"min_ns", "min", Type::ns, false},
                   {"max_ns", "max", Type::ns, true, 3},
                   {"source_file", "file", Type::text, false},
                   {"source_line", "line", Type::id, false}};
  for (const analyze::RegionView &row : rows)
    table.rows.push_back({text(row.path), number(row.calls), number(row.total_ns), number(row.rank_share), number(row.self_ns),
                          number(row.mpi_ns), number(row.mpi_share), number(row.mpi_calls), number(row.mean_ns), number(row.min_ns),
                          number(row.max_ns), text(row.source_file), number(row.source_line)});
  return table;
}

}  // namespace scope::render
