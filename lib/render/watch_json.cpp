// One look at a running job for programs.

#include <nlohmann/json.hpp>

#include "render/table_json.hpp"
#include "render/watch.hpp"

namespace scope::render {
namespace {

using Json = nlohmann::ordered_json;
using analyze::Rates;
using analyze::WatchRank;
using analyze::WatchState;
using model::Doing;

Json nullable(const std::optional<double> &value) { return value ? Json(*value) : Json(nullptr); }
Json nullable(int value) { return value >= 0 ? Json(value) : Json(nullptr); }
Json nullable(const std::string &value) { return value.empty() ? Json(nullptr) : Json(value); }

void add_rates(Json &object, const Rates &rates) {
  object["mpi_share"] = nullable(rates.mpi_share);
  object["calls_per_s"] = nullable(rates.calls);
  object["bytes_sent_per_s"] = nullable(rates.bytes_sent);
  object["bytes_received_per_s"] = nullable(rates.bytes_received);
}

void add_counts(Json &object, const model::LiveCounts &counts) {
  object["calls"] = counts.calls;
  object["bytes_sent"] = counts.bytes_sent;
  object["bytes_received"] = counts.bytes_received;
  object["mpi_ns"] = counts.mpi_ns;
}

void add_doing(Json &object, const WatchRank &row) {
  object["doing"] = to_string(row.doing);
  object["end"] = row.doing == Doing::gone ? Json(model::to_string(row.end)) : Json(nullptr);
  object["call"] = nullable(row.call);
  object["request"] = nullable(row.request);
  object["comm"] = nullable(row.comm);
  object["comm_name"] = nullable(row.comm_name);
  object["peer"] = nullable(row.peer);
  object["tag"] = nullable(row.tag);
  object["bytes"] = row.bytes >= 0 ? Json(row.bytes) : Json(nullptr);
}

Json rank_object(const WatchRank &row) {
  Json object{{"world", row.world}, {"rank", row.rank}, {"host", row.host}, {"pid", row.pid}};
  add_doing(object, row);
  object["since_ns"] = row.doing == Doing::gone ? Json(nullptr) : Json(row.since_ns);
  add_rates(object, row.rates);
  add_counts(object, row.counts);
  return object;
}

Json state_object(const WatchState &state) {
  Json object{{"world", state.first.world}, {"ranks", state.ranks}};
  add_doing(object, state.first);
  object["many_peers"] = state.many_peers;
  object["since_min_ns"] = state.since_min_ns;
  object["since_max_ns"] = state.since_max_ns;
  add_rates(object, state.first.rates);
  return object;
}

Json totals_object(const analyze::WatchTotals &totals) {
  Json object{{"ranks", totals.ranks},   {"in_call", totals.in_call}, {"computing", totals.computing},
              {"asking", totals.asking}, {"gone", totals.gone},       {"unreported", totals.unreported}};
  add_rates(object, totals.rates);
  add_counts(object, totals.counts);
  return object;
}

template <class Row>
Json rows(std::vector<Row> items, const WatchOptions &options, void (*sort)(std::vector<Row> &, analyze::WatchOrder),
          Json (*object)(const Row &)) {
  sort(items, options.order);
  if (options.top > 0 && items.size() > static_cast<std::size_t>(options.top)) items.resize(static_cast<std::size_t>(options.top));
  Json array = Json::array();
  for (const Row &row : items) array.push_back(object(row));
  return array;
}

}  // namespace

std::string watch_json(const analyze::Watched &watched, const WatchJob &job, const WatchOptions &options,
                       std::int64_t interval_ns, bool compact) {
  Json root;
  root["job"] = {{"directory", job.directory}, {"run_id", job.run_id}, {"started", job.started}, {"command", job.command}};
  root["interval_ns"] = interval_ns > 0 ? Json(interval_ns) : Json(nullptr);
  root["totals"] = totals_object(watched.totals);
  root["ranks"] = rows(watched.ranks, options, analyze::sort_ranks, rank_object);
  root["states"] = rows(watched.states, options, analyze::sort_states, state_object);
  root["still_ns"] = watched.still_ns;
  root["stall"] = nullptr;
  if (watched.stall) root["stall"] = {{"states", watched.stall->states}, {"conclusions", watched.stall->conclusions}};
  return json_text(root, compact ? -1 : 2);
}

}  // namespace scope::render
