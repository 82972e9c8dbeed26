// The merged profile as JSON: share/schema/summary.schema.json.

#include <algorithm>

#include <nlohmann/json.hpp>

#include "model/profile.hpp"
#include "model/profile_json_parts.hpp"
#include "support/files.hpp"
#include "support/text.hpp"
#include "wire/contract.hpp"

namespace scope::model {
namespace {

using nlohmann::ordered_json;

ordered_json text_or_null(const std::string &text) { return text.empty() ? ordered_json() : ordered_json(text); }

template <class Number>
ordered_json number_or_null(const std::optional<Number> &number) {
  return number ? ordered_json(*number) : ordered_json();
}

ordered_json json_of(const Metadata &metadata) {
  return {{"command", metadata.command},
          {"label", metadata.label},
          {"tags", metadata.tags},
          {"started", metadata.started},
          {"hosts", metadata.hosts},
          {"launcher", metadata.launcher},
          {"mpi", {{"library", text_or_null(metadata.mpi_library)}, {"standard", text_or_null(metadata.mpi_standard)}}},
          {"exit_status", metadata.exit_status},
          {"cpu", metadata.cpu},
          {"run_id", metadata.run_id}};
}

ordered_json json_of(const World &world) {
  return {{"id", world.id},
          {"size", world.size},
          {"parent", number_or_null(world.parent)},
          {"ranks_reported", world.ranks_reported},
          {"missing", world.missing},
          {"complete", world.complete},
          {"mpi", world.mpi}};
}

ordered_json json_of(const Rank &rank) {
  return {{"world", rank.world},
          {"rank", rank.rank},
          {"host", rank.host},
          {"pid", rank.pid},
          {"executable", rank.executable},
          {"status", rank.status},
          {"signal", rank.signal == 0 ? ordered_json() : ordered_json(rank.signal)},
          {"abort_code", number_or_null(rank.abort_code)},
          {"in_call", text_or_null(rank.in_call)},
          {"wall_ns", rank.wall_ns},
          {"mpi_ns", rank.mpi_ns},
          {"cpu_ns", rank.cpu_ns},
          {"max_rss_bytes", rank.max_rss_bytes},
          {"overhead_ns", rank.overhead_ns},
          {"threads", rank.threads}};
}

}  // namespace

ordered_json json_of(const Totals &totals) {
  return {{"wall_ns", totals.wall_ns},       {"wall_sum_ns", totals.wall_sum_ns},
          {"mpi_ns", totals.mpi_ns},         {"mpi_share", totals.mpi_share},
          {"calls", totals.calls},           {"bytes_sent", totals.bytes_sent},
          {"bytes_received", totals.bytes_received}, {"overhead_ns", totals.overhead_ns}};
}

ordered_json json_of(const Efficiency &efficiency) {
  return {{"parallel", number_or_null(efficiency.parallel)},
          {"load_balance", number_or_null(efficiency.load_balance)},
          {"communication", number_or_null(efficiency.communication)}};
}

namespace {

ordered_json json_of(const PerRank &per_rank) {
  return {{"calls", per_rank.calls},
          {"total_ns", per_rank.total_ns},
          {"bytes_sent", per_rank.bytes_sent},
          {"bytes_received", per_rank.bytes_received}};
}

ordered_json json_of(const CallRow &row) {
  return {{"name", row.name},
          {"kind", row.kind},
          {"calls", row.calls},
          {"errors", row.errors},
          {"total_ns", row.total_ns},
          {"min_ns", row.min_ns},
          {"max_ns", row.max_ns},
          {"mean_ns", row.mean_ns},
          {"std_ns", row.std_ns},
          {"p50_ns", row.p50_ns},
          {"p95_ns", row.p95_ns},
          {"p99_ns", row.p99_ns},
          {"bytes_sent", row.bytes_sent},
          {"bytes_received", row.bytes_received},
          {"imbalance", row.imbalance},
          {"per_rank", json_of(row.per_rank)}};
}

ordered_json json_of(const SignatureRow &row) {
  return {{"region", row.region},
          {"world", row.world},
          {"call", row.call},
          {"comm", row.comm},
          {"peer", row.peer},
          {"root", row.root},
          {"tag", row.tag},
          {"bytes", row.bytes},
          {"request", text_or_null(row.request)},
          {"calls", row.calls},
          {"completions", row.completions},
          {"errors", row.errors},
          {"total_ns", row.total_ns},
          {"min_ns", row.min_ns},
          {"max_ns", row.max_ns},
          {"bytes_sent", row.bytes_sent},
          {"bytes_received", row.bytes_received},
          {"ranks", row.ranks}};
}

ordered_json json_of(const PeerMatrix &matrix) {
  return {{"world", matrix.world},
          {"src", matrix.src},
          {"dst", matrix.dst},
          {"messages", matrix.messages},
          {"bytes", matrix.bytes}};
}

ordered_json json_of(const SizeRow &row) {
  return {{"call", row.call},   {"bytes_from", row.bytes_from}, {"bytes_to", row.bytes_to},
          {"calls", row.calls}, {"bytes", row.bytes},           {"total_ns", row.total_ns}};
}

ordered_json json_of(const CommunicatorRow &row) {
  return {{"id", row.id},
          {"world", row.world},
          {"name", row.name},
          {"size", row.size},
          {"remote_size", row.remote_size},
          {"foreign", row.foreign},
          {"merged", row.merged},
          {"calls", row.calls},
          {"total_ns", row.total_ns},
          {"bytes", row.bytes}};
}

ordered_json json_of(const SiteFrame &frame) {
  return {{"function", text_or_null(frame.function)},
          {"file", text_or_null(frame.file)},
          {"line", frame.line == 0 ? ordered_json() : ordered_json(frame.line)},
          {"python", frame.python},
          {"module", text_or_null(frame.module)},
          {"build_id", text_or_null(frame.build_id)},
          {"offset", frame.offset}};
}

ordered_json json_of(const CallSiteRow &row) {
  ordered_json stack = ordered_json::array();
  for (const SiteFrame &frame : row.stack) stack.push_back(json_of(frame));
  return {{"world", row.world},
          {"call", row.call},
          {"kind", row.kind},
          {"stack", stack},
          {"calls", row.calls},
          {"completions", row.completions},
          {"errors", row.errors},
          {"total_ns", row.total_ns},
          {"min_ns", row.min_ns},
          {"max_ns", row.max_ns},
          {"bytes_sent", row.bytes_sent},
          {"bytes_received", row.bytes_received},
          {"ranks", row.ranks}};
}

ordered_json json_of(const RegionRow &row) {
  ordered_json source;
  if (!row.source_file.empty()) source = {{"file", row.source_file}, {"line", row.source_line}};
  ordered_json per_rank = json_of(row.per_rank);
  if (!row.rank_self_ns.empty()) {
    per_rank["self_ns"] = row.rank_self_ns;
    per_rank["mpi_ns"] = row.rank_mpi_ns;
    per_rank["mpi_calls"] = row.rank_mpi_calls;
  }
  return {{"name", row.name},
          {"path", row.path},
          {"calls", row.calls},
          {"total_ns", row.total_ns},
          {"self_ns", row.self_ns},
          {"mpi_ns", row.mpi_ns},
          {"mpi_calls", row.mpi_calls},
          {"mpi_self_ns", row.mpi_self_ns},
          {"mpi_self_calls", row.mpi_self_calls},
          {"min_ns", row.min_ns},
          {"max_ns", row.max_ns},
          {"per_rank", per_rank},
          {"source", source}};
}

ordered_json json_of(const Finding &finding) {
  return {{"id", finding.id},
          {"severity", finding.severity},
          {"text", finding.text},
          {"evidence", finding.evidence},
          {"seconds_lost", finding.seconds_lost}};
}

ordered_json json_of(const Warning &warning) { return {{"id", warning.id}, {"text", warning.text}}; }

template <class Row>
ordered_json rows_of(const std::vector<Row> &rows) {
  ordered_json array = ordered_json::array();
  for (const Row &row : rows) array.push_back(json_of(row));
  return array;
}

ordered_json json_of(const Profile &profile) {
  return {{"format", wire::summary_format},
          {"format_version", wire::summary_version},
          {"exporter", profile.metadata.exporter},
          {"time_unit", "ns"},
          {"complete", profile.complete},
          {"metadata", json_of(profile.metadata)},
          {"worlds", rows_of(profile.worlds)},
          {"ranks", rows_of(profile.ranks)},
          {"totals", json_of(profile.totals)},
          {"efficiency", json_of(profile.efficiency)},
          {"calls", rows_of(profile.calls)},
          {"signatures", rows_of(profile.signatures)},
          {"peers", {{"p2p", json_of(profile.peers.p2p)}, {"rma", json_of(profile.peers.rma)}}},
          {"sizes", rows_of(profile.sizes)},
          {"communicators", rows_of(profile.communicators)},
          {"callsites", rows_of(profile.callsites)},
          {"regions", rows_of(profile.regions)},
          {"findings", rows_of(profile.findings)},
          {"repeats", rows_of(profile.repeats)},
          {"timeline", profile.timeline_results ? json_of(*profile.timeline_results) : ordered_json()},
          {"warnings", rows_of(profile.warnings)}};
}

/// What goes on one line: scalars, and arrays of them.
bool is_flat(const ordered_json &value) {
  if (value.is_object()) return value.empty();
  return !value.is_array() || std::none_of(value.begin(), value.end(), [](const auto &item) { return item.is_structured(); });
}

/// Indented by one space a level; arrays of numbers stay on a line, so that the file is small and can be read. Invalid UTF-8
/// becomes U+FFFD.
void print(const ordered_json &value, std::size_t level, std::string &text) {
  if (is_flat(value)) {
    text += value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    return;
  }
  text += value.is_object() ? "{" : "[";
  const char *separator = "\n";
  for (const auto &[key, item] : value.items()) {
    text += separator;
    text.append(level + 1, ' ');
    if (value.is_object()) text += ordered_json(key).dump(-1, ' ', false, ordered_json::error_handler_t::replace) + ": ";
    print(item, level + 1, text);
    separator = ",\n";
  }
  text += "\n";
  text.append(level, ' ');
  text += value.is_object() ? "}" : "]";
}

}  // namespace

std::string to_json(const Profile &profile) {
  std::string text;
  print(json_of(profile), 0, text);
  return support::json_terminal_safe(text) + "\n";
}

void write_profile(const Profile &profile, const std::filesystem::path &file) {
  support::write_file_atomically(file, to_json(profile), file.extension() == ".gz", true);
}

}  // namespace scope::model
