// The merged profile's "timeline": what share/schema/summary.schema.json says of it.

#include "model/profile_json_parts.hpp"

namespace scope::model {
namespace {

using nlohmann::ordered_json;

std::int64_t amount(const JsonView &view) { return view.integer(0, std::numeric_limits<std::int64_t>::max()); }
std::int64_t instant(const JsonView &view) {
  return view.integer(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
}

/// An index, or -1 where the lowest is that.
int index_in(const JsonView &view, std::size_t length, const char *of, int lowest = 0) {
  const int index = view.small(lowest);
  if (index >= 0 && static_cast<std::size_t>(index) >= length)
    view.fail("is " + std::to_string(index) + ", there are " + std::to_string(length) + " " + of);
  return index;
}
int world_in(const JsonView &view, const Profile &profile) { return index_in(view.at("world"), profile.worlds.size(), "worlds"); }
int comm_in(const JsonView &view, const Profile &profile) {
  return index_in(view.at("comm"), profile.communicators.size(), "communicators", -1);
}

WaitStateRow parse_wait_state(const JsonView &view, const Profile &profile) {
  WaitStateRow row;
  row.pattern = view.at("pattern").text();
  row.world = world_in(view, profile);
  row.rank = view.at("rank").small(-1);
  row.call = view.at("call").text();
  row.request = view.at("request").text_or_null();
  row.comm = comm_in(view, profile);
  row.peer = view.at("peer").small();
  row.root = view.at("root").small();
  row.tag = view.at("tag").small();
  row.bytes = view.at("bytes").integer(-1, std::numeric_limits<std::int64_t>::max());
  row.waits = amount(view.at("waits"));
  row.total_ns = amount(view.at("total_ns"));
  row.max_ns = amount(view.at("max_ns"));
  return row;
}

ordered_json json_of(const WaitStateRow &row) {
  return {{"pattern", row.pattern},
          {"world", row.world},
          {"rank", row.rank},
          {"call", row.call},
          {"request", row.request.empty() ? ordered_json() : ordered_json(row.request)},
          {"comm", row.comm},
          {"peer", row.peer},
          {"root", row.root},
          {"tag", row.tag},
          {"bytes", row.bytes},
          {"waits", row.waits},
          {"total_ns", row.total_ns},
          {"max_ns", row.max_ns}};
}

CallWaiting parse_call(const JsonView &view, const Profile &) {
  return {view.at("call").text(), amount(view.at("calls")), amount(view.at("total_ns")), amount(view.at("waiting_ns")),
          amount(view.at("transfer_ns"))};
}

ordered_json json_of(const CallWaiting &row) {
  return {{"call", row.call},
          {"calls", row.calls},
          {"total_ns", row.total_ns},
          {"waiting_ns", row.waiting_ns},
          {"transfer_ns", row.transfer_ns}};
}

DelayRow parse_delay(const JsonView &view, const Profile &profile) {
  return {world_in(view, profile), view.at("rank").small(-1), view.at("region").text(), view.at("call").text_or_null(),
          amount(view.at("caused_ns"))};
}

ordered_json call_or_null(const std::string &call) { return call.empty() ? ordered_json() : ordered_json(call); }

ordered_json json_of(const DelayRow &row) {
  return {{"world", row.world},
          {"rank", row.rank},
          {"region", row.region},
          {"call", call_or_null(row.call)},
          {"caused_ns", row.caused_ns}};
}

CriticalPathRow parse_path(const JsonView &view, const Profile &profile) {
  return {world_in(view, profile), view.at("rank").small(-1), view.at("region").text(), view.at("call").text_or_null(),
          amount(view.at("path_ns"))};
}

ordered_json json_of(const CriticalPathRow &row) {
  return {
      {"world", row.world}, {"rank", row.rank}, {"region", row.region}, {"call", call_or_null(row.call)}, {"path_ns", row.path_ns}};
}

UnmatchedRow parse_unmatched(const JsonView &view, const Profile &profile) {
  return {world_in(view, profile),    comm_in(view, profile),   view.at("src").small(0),      view.at("dst").small(0),
          view.at("tag").small(),     amount(view.at("sends")), amount(view.at("receives"))};
}

ordered_json json_of(const UnmatchedRow &row) {
  return {{"world", row.world}, {"comm", row.comm},   {"src", row.source},        {"dst", row.destination},
          {"tag", row.tag},     {"sends", row.sends}, {"receives", row.receives}};
}

template <class Row>
void parse_rows(const JsonView &array, std::vector<Row> &rows, const Profile &profile,
                Row (*parse)(const JsonView &, const Profile &)) {
  for (const JsonView row : array.elements()) rows.push_back(parse(row, profile));
}

template <class Row>
ordered_json rows_of(const std::vector<Row> &rows) {
  ordered_json array = ordered_json::array();
  for (const Row &row : rows) array.push_back(json_of(row));
  return array;
}

/// A column of a table, as long as its first one.
template <class Number, class Read>
std::vector<Number> column(const JsonView &table, const char *key, Read read) {
  JsonView array = table.at(key);
  const std::size_t length = table.at("world").size();
  if (array.size() != length)
    array.fail("has " + std::to_string(array.size()) + " elements, there are " + std::to_string(length) + " ranks");
  std::vector<Number> result;
  result.reserve(length);
  for (const JsonView item : array.elements()) result.push_back(read(item));
  return result;
}

std::vector<int> worlds_of(const JsonView &table, const Profile &profile) {
  return column<int>(table, "world", [&](const JsonView &view) { return index_in(view, profile.worlds.size(), "worlds"); });
}
std::vector<int> ranks_of(const JsonView &table) {
  return column<int>(table, "rank", [](const JsonView &view) { return view.small(0); });
}

RankWaiting parse_ranks(const JsonView &view, const Profile &profile) {
  auto amounts = [&view](const char *key) { return column<std::int64_t>(view, key, amount); };
  return {worlds_of(view, profile), ranks_of(view),       amounts("mpi_ns"),
          amounts("waiting_ns"),    amounts("caused_ns"), amounts("path_ns")};
}

ordered_json json_of(const RankWaiting &ranks) {
  return {{"world", ranks.world},           {"rank", ranks.rank},           {"mpi_ns", ranks.mpi_ns},
          {"waiting_ns", ranks.waiting_ns}, {"caused_ns", ranks.caused_ns}, {"path_ns", ranks.path_ns}};
}

std::vector<TimelineRank> parse_some_ranks(const JsonView &view, const Profile &profile) {
  const std::vector<int> worlds = worlds_of(view, profile), ranks = ranks_of(view);
  std::vector<TimelineRank> result;
  for (std::size_t i = 0; i < worlds.size(); ++i) result.push_back({worlds[i], ranks[i]});
  return result;
}

ordered_json json_of(const std::vector<TimelineRank> &some) {
  std::vector<int> worlds, ranks;
  for (const TimelineRank &one : some) {
    worlds.push_back(one.world);
    ranks.push_back(one.rank);
  }
  return {{"world", worlds}, {"rank", ranks}};
}

EfficiencySplit parse_split(const JsonView &view) {
  auto ratio = [&view](const char *key) {
    view.at(key);  // there, if only as null
    auto found = view.find(key);
    return found ? std::optional(found->number()) : std::nullopt;
  };
  return {ratio("parallel"),           ratio("load_balance"),         ratio("communication"),
          ratio("serialisation"),      ratio("transfer"),             amount(view.at("run_ns")),
          amount(view.at("ideal_ns")), view.at("approximate").flag()};
}

ordered_json json_of(const EfficiencySplit &split) {
  auto ratio = [](const std::optional<double> &number) { return number ? ordered_json(*number) : ordered_json(); };
  return {{"parallel", ratio(split.parallel)},
          {"load_balance", ratio(split.load_balance)},
          {"communication", ratio(split.communication)},
          {"serialisation", ratio(split.serialisation)},
          {"transfer", ratio(split.transfer)},
          {"run_ns", split.run_ns},
          {"ideal_ns", split.ideal_ns},
          {"approximate", split.approximate}};
}

TimelineNotes parse_notes(const JsonView &view, const Profile &profile) {
  TimelineNotes notes;
  notes.messages = amount(view.at("messages"));
  notes.unmatched_sends = amount(view.at("unmatched_sends"));
  notes.unmatched_receives = amount(view.at("unmatched_receives"));
  notes.beyond_window = amount(view.at("beyond_window"));
  notes.collectives = amount(view.at("collectives"));
  notes.mismatched_collectives = amount(view.at("mismatched_collectives"));
  notes.partial_collectives = amount(view.at("partial_collectives"));
  notes.clock_violations = amount(view.at("clock_violations"));
  notes.clock_worst_ns = amount(view.at("clock_worst_ns"));
  notes.unattributed_ns = amount(view.at("unattributed_ns"));
  notes.folded = amount(view.at("folded"));
  notes.without = parse_some_ranks(view.at("without"), profile);
  notes.cut = parse_some_ranks(view.at("cut"), profile);
  return notes;
}

ordered_json json_of(const TimelineNotes &notes) {
  return {{"messages", notes.messages},
          {"unmatched_sends", notes.unmatched_sends},
          {"unmatched_receives", notes.unmatched_receives},
          {"beyond_window", notes.beyond_window},
          {"collectives", notes.collectives},
          {"mismatched_collectives", notes.mismatched_collectives},
          {"partial_collectives", notes.partial_collectives},
          {"clock_violations", notes.clock_violations},
          {"clock_worst_ns", notes.clock_worst_ns},
          {"unattributed_ns", notes.unattributed_ns},
          {"folded", notes.folded},
          {"without", json_of(notes.without)},
          {"cut", json_of(notes.cut)}};
}

}  // namespace

TimelineResults parse_timeline(const JsonView &view, const Profile &profile) {
  TimelineResults results;
  results.info.file = view.at("file").text();
  results.info.events = amount(view.at("events"));
  results.info.from_ns = instant(view.at("from_ns"));
  results.info.to_ns = instant(view.at("to_ns"));
  results.info.complete = view.at("complete").flag();
  results.waiting_ns = amount(view.at("waiting_ns"));
  results.path_ns = amount(view.at("path_ns"));
  results.efficiency = parse_split(view.at("efficiency"));
  parse_rows(view.at("wait_states"), results.wait_states, profile, parse_wait_state);
  parse_rows(view.at("calls"), results.calls, profile, parse_call);
  results.ranks = parse_ranks(view.at("ranks"), profile);
  parse_rows(view.at("delays"), results.delays, profile, parse_delay);
  parse_rows(view.at("critical_path"), results.critical_path, profile, parse_path);
  parse_rows(view.at("unmatched"), results.unmatched, profile, parse_unmatched);
  results.notes = parse_notes(view.at("notes"), profile);
  return results;
}

ordered_json json_of(const TimelineResults &results) {
  return {{"file", results.info.file},
          {"events", results.info.events},
          {"from_ns", results.info.from_ns},
          {"to_ns", results.info.to_ns},
          {"complete", results.info.complete},
          {"waiting_ns", results.waiting_ns},
          {"path_ns", results.path_ns},
          {"efficiency", json_of(results.efficiency)},
          {"wait_states", rows_of(results.wait_states)},
          {"calls", rows_of(results.calls)},
          {"ranks", json_of(results.ranks)},
          {"delays", rows_of(results.delays)},
          {"critical_path", rows_of(results.critical_path)},
          {"unmatched", rows_of(results.unmatched)},
          {"notes", json_of(results.notes)}};
}

}  // namespace scope::model
