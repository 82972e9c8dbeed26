// One entry of the merged profile's repeats[]. Columns instead of rows: the printer keeps an array of numbers on one line.

#include "model/profile_json_parts.hpp"

namespace scope::model {
namespace {

using nlohmann::ordered_json;

constexpr std::int64_t any_amount = std::numeric_limits<std::int64_t>::max();

/// A column of the table that `length` rows have.
std::vector<std::int64_t> amounts(const JsonView &table, const char *key, std::size_t length) {
  JsonView array = table.at(key);
  if (array.size() != length)
    array.fail("has " + std::to_string(array.size()) + " elements, there are " + std::to_string(length) + " names");
  std::vector<std::int64_t> result;
  result.reserve(length);
  for (const JsonView item : array.elements()) result.push_back(item.integer(0, any_amount));
  return result;
}

std::vector<std::string> names(const JsonView &array) {
  std::vector<std::string> result;
  for (const JsonView item : array.elements()) result.push_back(item.text());
  return result;
}

RepeatCalls parse_calls(const JsonView &view) {
  RepeatCalls calls;
  calls.name = names(view.at("name"));
  const std::size_t length = calls.name.size();
  calls.calls = amounts(view, "calls", length);
  calls.total_ns = amounts(view, "total_ns", length);
  calls.p50_ns = amounts(view, "p50_ns", length);
  calls.p95_ns = amounts(view, "p95_ns", length);
  calls.p99_ns = amounts(view, "p99_ns", length);
  calls.max_ns = amounts(view, "max_ns", length);
  calls.bytes_sent = amounts(view, "bytes_sent", length);
  calls.bytes_received = amounts(view, "bytes_received", length);
  JsonView imbalance = view.at("imbalance");
  if (imbalance.size() != length)
    imbalance.fail("has " + std::to_string(imbalance.size()) + " elements, there are " + std::to_string(length) + " names");
  for (const JsonView item : imbalance.elements()) calls.imbalance.push_back(item.number());
  return calls;
}

RepeatRegions parse_regions(const JsonView &view) {
  RepeatRegions regions;
  regions.path = names(view.at("path"));
  const std::size_t length = regions.path.size();
  regions.calls = amounts(view, "calls", length);
  regions.total_ns = amounts(view, "total_ns", length);
  regions.max_ns = amounts(view, "max_ns", length);
  return regions;
}

Repeat parse_repeat(const JsonView &view) {
  Repeat repeat;
  repeat.started = view.at("started").text();
  repeat.elapsed_ns = view.at("elapsed_ns").integer(0, any_amount);
  repeat.exit_status = view.at("exit_status").small();
  repeat.complete = view.at("complete").flag();
  repeat.chosen = view.at("chosen").flag();
  repeat.totals = parse_totals(view.at("totals"));
  repeat.efficiency = parse_efficiency(view.at("efficiency"));
  repeat.messages = view.at("messages").integer(0, any_amount);
  repeat.calls = parse_calls(view.at("calls"));
  repeat.regions = parse_regions(view.at("regions"));
  JsonView digests = view.at("digests");
  repeat.peers_digest = digests.at("peers").text();
  repeat.communicators_digest = digests.at("communicators").text();
  return repeat;
}

ordered_json json_of(const RepeatCalls &calls) {
  return {{"name", calls.name},
          {"calls", calls.calls},
          {"total_ns", calls.total_ns},
          {"p50_ns", calls.p50_ns},
          {"p95_ns", calls.p95_ns},
          {"p99_ns", calls.p99_ns},
          {"max_ns", calls.max_ns},
          {"bytes_sent", calls.bytes_sent},
          {"bytes_received", calls.bytes_received},
          {"imbalance", calls.imbalance}};
}

ordered_json json_of(const RepeatRegions &regions) {
  return {{"path", regions.path}, {"calls", regions.calls}, {"total_ns", regions.total_ns}, {"max_ns", regions.max_ns}};
}

}  // namespace

std::vector<Repeat> parse_repeats(const JsonView &array) {
  std::vector<Repeat> repeats;
  for (const JsonView item : array.elements()) repeats.push_back(parse_repeat(item));
  return repeats;
}

ordered_json json_of(const Repeat &repeat) {
  return {{"started", repeat.started},
          {"elapsed_ns", repeat.elapsed_ns},
          {"exit_status", repeat.exit_status},
          {"complete", repeat.complete},
          {"chosen", repeat.chosen},
          {"totals", json_of(repeat.totals)},
          {"efficiency", json_of(repeat.efficiency)},
          {"messages", repeat.messages},
          {"calls", json_of(repeat.calls)},
          {"regions", json_of(repeat.regions)},
          {"digests", {{"peers", repeat.peers_digest}, {"communicators", repeat.communicators_digest}}}};
}

}  // namespace scope::model
