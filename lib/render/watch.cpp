#include "render/watch.hpp"

#include <algorithm>
#include <cmath>

#include "render/escape.hpp"
#include "render/table.hpp"
#include "support/text.hpp"

namespace scope::render {

using analyze::Rates;
using analyze::Watched;
using analyze::WatchRank;
using analyze::WatchState;
using model::Doing;

namespace {

constexpr int most_stall_lines = 8, default_states = 20, most_ranks_named = 6;

Cell text(std::string value) { return {std::move(value), ""}; }
Cell number(std::int64_t value) { return {value, ""}; }
Cell rate(const std::optional<double> &value) { return value ? Cell{std::int64_t{std::llround(std::min(*value, 9e18))}, ""} : Cell{}; }
Cell share(const std::optional<double> &value) { return value ? Cell{*value, ""} : Cell{}; }
Cell known(int value) { return value >= 0 ? number(value) : Cell{}; }

std::string counted(int count, const std::string &noun) {
  return support::format_count(count) + " " + noun + (count == 1 ? "" : "s");
}

/// "MPI_Recv", "MPI_Wait (MPI_Irecv)", "computing", "asks with MPI_Test", "gone (finalized)".
std::string doing_text(const WatchRank &row) {
  switch (row.doing) {
    case Doing::in_call: return row.request.empty() ? row.call : row.call + " (" + row.request + ")";
    case Doing::asking: return row.call.empty() ? "asks again and again" : "asks with " + row.call;
    case Doing::computing: return "computing";
    case Doing::gone: break;
  }
  return std::string("gone (") + model::to_string(row.end) + ")";
}

std::string comm_text(const WatchRank &row) {
  if (row.comm < 0) return "";
  return row.comm_name.empty() ? "comm " + std::to_string(row.comm) : row.comm_name;
}

/// A rank that computes and calls in turn is nowhere for a while.
bool has_since(const WatchRank &row) { return row.doing == Doing::in_call || (row.doing != Doing::gone && row.since_ns > 0); }

Cell since_cell(const WatchRank &row) { return has_since(row) ? number(row.since_ns) : Cell{}; }

/// "0-3, 7 and 12 more".
std::string ranks_text(const std::vector<int> &ranks) {
  std::string text;
  int parts = 0;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (parts++ == most_ranks_named) return text + " and " + std::to_string(ranks.size() - i) + " more";
    text += (text.empty() ? "" : ",") + std::to_string(ranks[i]);
    if (last > i) text += (last == i + 1 ? "," : "-") + std::to_string(ranks[last]);
    i = last + 1;
  }
  return text;
}

std::vector<Column> common_columns(bool several_worlds) {
  return {{"world", "world", Type::id, several_worlds},
          {"doing", "does"},
          {"peer", "peer", Type::id, true, 2},
          {"tag", "tag", Type::id, true, 6},
          {"comm", "communicator", Type::text, true, 5},
          {"since_ns", "since", Type::ns},
          {"mpi_share", "MPI", Type::ratio},
          {"calls_per_s", "calls/s", Type::count, true, 1},
          {"bytes_sent_per_s", "sent/s", Type::bytes, true, 3},
          {"bytes_received_per_s", "received/s", Type::bytes, true, 4}};
}

Row common_cells(const WatchRank &row) {
  return {number(row.world),           text(doing_text(row)),        known(row.peer), known(row.tag), text(comm_text(row)),
          since_cell(row),             share(row.rates.mpi_share),   rate(row.rates.calls), rate(row.rates.bytes_sent),
          rate(row.rates.bytes_received)};
}

Table rank_table(const Watched &watched, const WatchOptions &options) {
  std::vector<WatchRank> rows = watched.ranks;
  analyze::sort_ranks(rows, options.order);
  Table table{"ranks", "Ranks", "", common_columns(watched.several_worlds), {}, 0};
  table.columns.insert(table.columns.begin() + 1, {"rank", "rank", Type::id});
  table.columns.push_back({"host", "host", Type::text, true, 7});
  for (const WatchRank &row : rows) {
    Row cells = common_cells(row);
    cells.insert(cells.begin() + 1, number(row.rank));
    cells.push_back(text(row.host));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

Table state_table(const Watched &watched, const WatchOptions &options) {
  std::vector<WatchState> states = watched.states;
  analyze::sort_states(states, options.order);
  Table table{"states", "States", "", common_columns(watched.several_worlds), {}, 0};
  table.columns.insert(table.columns.begin() + 1, {{"count", "ranks", Type::count}, {"ranks", "which"}});
  for (const WatchState &state : states) {
    Row cells = common_cells(state.first);
    if (state.many_peers) cells[2] = {std::monostate{}, "many"};
    cells.insert(cells.begin() + 1, {number(static_cast<std::int64_t>(state.ranks.size())), text(ranks_text(state.ranks))});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

/// "4 ranks: 3 in MPI, 1 computing".
std::string ranks_line(const analyze::WatchTotals &totals) {
  if (totals.ranks == 0) return "No rank is in MPI at the moment";
  std::string line = counted(totals.ranks, "rank") + ": " + support::format_count(totals.in_call) + " in MPI, " +
                     support::format_count(totals.computing) + " computing";
  if (totals.asking) line += ", " + support::format_count(totals.asking) + " asking in vain";
  if (totals.gone) line += ", " + support::format_count(totals.gone) + " gone";
  if (totals.unreported) line += ", " + support::format_count(totals.unreported) + " not seen yet";
  return line;
}

std::string bytes_text(double bytes) { return support::format_bytes(bytes); }

/// "MPI 75.0 %, 1,234 calls/s, 1.20 MiB/s sent, 1.20 MiB/s received".
std::string rates_line(const Rates &rates) {
  if (!rates.mpi_share) return "";
  return "MPI " + support::format_percent(*rates.mpi_share) + ", " +
         support::format_count(std::llround(std::min(*rates.calls, 9e18))) + " calls/s, " + bytes_text(*rates.bytes_sent) +
         "/s sent, " + bytes_text(*rates.bytes_received) + "/s received";
}

std::string so_far_line(const model::LiveCounts &counts) {
  return "So far " + support::format_count(counts.calls) + " calls, " + bytes_text(static_cast<double>(counts.bytes_sent)) +
         " sent, " + bytes_text(static_cast<double>(counts.bytes_received)) + " received";
}

/// The stall as sentences; the states are in the table.
std::vector<std::string> stall_texts(const Watched &watched) {
  if (!watched.stall) return {};
  std::vector<std::string> texts{"Warning: no rank made progress for " + std::to_string(watched.still_ns / 1'000'000'000) + " s."};
  texts.insert(texts.end(), watched.stall->conclusions.begin(), watched.stall->conclusions.end());
  return texts;
}

/// A screen's lines, with what may still be added.
struct Screen {
  const Style &style;
  int height;
  std::vector<std::string> lines;

  int room() const { return height - static_cast<int>(lines.size()); }
  /// One line, cut in the middle.
  void add(const std::string &data, std::string (*emphasis)(const std::string &, const Style &) = nullptr) {
    if (data.empty() || room() <= 0) return;
    std::string line = plain(data);
    if (style.width > 0) line = support::ellipsize(line, style.width, style.unicode);
    lines.push_back(emphasis ? emphasis(line, style) : line);
  }
};

void add_table(Screen &screen, Table table, const WatchOptions &options) {
  if (table.rows.empty() || screen.room() < 2) return;
  auto most = static_cast<std::size_t>(screen.room()) - 1;  // its header
  if (options.top > 0) most = std::min(most, static_cast<std::size_t>(options.top));
  if (table.rows.size() > most) keep_rows(table, std::max<std::size_t>(1, most - (most > 1 && options.top == 0 ? 1 : 0)));
  const std::string text = text_table(table, screen.style);
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    screen.lines.push_back(text.substr(begin, end - begin));
  if (table.more) screen.add("... and " + std::to_string(table.more) + " more", dim);
}

}  // namespace

const char *to_string(Doing doing) {
  switch (doing) {
    case Doing::in_call: return "in-call";
    case Doing::asking: return "asking";
    case Doing::computing: return "computing";
    case Doing::gone: break;
  }
  return "gone";
}

std::string watch_screen(const Watched &watched, const WatchJob &job, const WatchOptions &options, const Style &given, int height,
                         const std::string &hint) {
  Style style = given;
  if (style.width > 0) style.width = std::max(40, style.width);
  Screen screen{style, height > 0 ? std::max(watch_smallest_height, height) - (hint.empty() ? 0 : 1) : 1 << 20, {}};
  const std::string command = shell_line(job.command);
  screen.add("scope-profiler watch: " + (command.empty() ? job.directory : command), bold);
  screen.add(ranks_line(watched.totals) + (job.started.empty() ? "" : "; started " + job.started));
  screen.add(rates_line(watched.totals.rates), bold);
  screen.add(so_far_line(watched.totals.counts));
  const int for_table = std::min(4, static_cast<int>(watched.states.size()) + 2);
  int stall_room = std::min(most_stall_lines, screen.room() - for_table);
  for (const std::string &sentence : stall_texts(watched))
    if (stall_room-- > 0) screen.add(sentence, warning_color);
  const bool fits = static_cast<int>(watched.ranks.size()) < screen.room();
  const bool by_rank = options.rows == WatchRows::ranks || (options.rows == WatchRows::automatic && fits);
  add_table(screen, by_rank ? rank_table(watched, options) : state_table(watched, options), options);
  std::string out;
  for (const std::string &line : screen.lines) out += line + "\n";
  return hint.empty() ? out : out + dim(support::ellipsize(plain(hint), style.width, style.unicode), style) + "\n";
}

std::string watch_lines(const Watched &watched, const WatchOptions &options, const std::string &time) {
  const std::string rates = rates_line(watched.totals.rates);
  std::string out = plain(time + " " + ranks_line(watched.totals) + (rates.empty() ? "" : "; " + rates)) + "\n";
  std::vector<WatchState> states = watched.states;
  analyze::sort_states(states, options.order);
  const auto most = static_cast<std::size_t>(options.top > 0 ? options.top : default_states);
  for (std::size_t i = 0; i < std::min(most, states.size()); ++i) {
    const WatchState &state = states[i];
    const WatchRank &row = state.first;
    std::string line = "  " + std::string(state.ranks.size() == 1 ? "rank " : "ranks ") + ranks_text(state.ranks);
    if (watched.several_worlds) line += " of world " + std::to_string(row.world);
    line += ": " + doing_text(row);
    if (row.peer >= 0) line += ", peer " + std::to_string(row.peer);
    if (row.tag >= 0) line += ", tag " + std::to_string(row.tag);
    if (const std::string comm = comm_text(row); !comm.empty()) line += " on " + comm;
    if (has_since(row)) line += ", since " + support::format_ns(static_cast<double>(row.since_ns));
    out += plain(line) + "\n";
  }
  if (states.size() > most) out += "  ... and " + std::to_string(states.size() - most) + " more states\n";
  for (const std::string &sentence : stall_texts(watched)) out += plain("  " + sentence) + "\n";
  return out;
}

}  // namespace scope::render
