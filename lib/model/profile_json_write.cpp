// The merged profile as JSON: share/schema/summary.schema.json.

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

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
  ordered_json json = {{"command", metadata.command},
          {"label", metadata.label},
          {"tags", metadata.tags},
          {"started", metadata.started},
          {"hosts", metadata.hosts},
          {"launcher", metadata.launcher},
          {"mpi", {{"library", text_or_null(metadata.mpi_library)}, {"standard", text_or_null(metadata.mpi_standard)}}},
          {"exit_status", metadata.exit_status},
          {"cpu", metadata.cpu},
          {"run_id", metadata.run_id}};
  if (!metadata.batch.empty()) json["batch"] = metadata.batch;
  return json;
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
          {"threads", rank.threads},
          {"calls", rank.calls},
          {"bytes_sent", rank.bytes_sent},
          {"bytes_received", rank.bytes_received},
          {"startup_ns", rank.startup_ns}};
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

ordered_json json_of(const RankSpread &spread) {
  ordered_json extremes = json_of(spread.of_extremes);
  extremes["index"] = spread.extremes;
  return {{"ranks", spread.ranks},
          {"shares", spread_shares},
          {"calls", spread.calls},
          {"total_ns", spread.total_ns},
          {"bytes_sent", spread.bytes_sent},
          {"bytes_received", spread.bytes_received},
          {"extremes", extremes}};
}

bool folds(const PerRank &per_rank, PerRankForm form) {
  return form == PerRankForm::by_size && per_rank.total_ns.size() > most_ranks_in_full;
}

/// More runs than that say little to anyone, and of 100,000 ranks they could be 50,000 in every row.
constexpr std::size_t most_runs = 1024;

/// Runs as [first, last, step] above some ranks.
void add_ranks(const RankSet &ranks, ordered_json &row) {
  if (ranks.size() <= most_ranks_in_full) {
    row["ranks"] = std::vector<int>(ranks.begin(), ranks.end());
    return;
  }
  row["ranks"] = ordered_json::array();
  row["rank_count"] = ranks.size();
  if (ranks.runs().size() > most_runs) return;
  ordered_json &runs = row["rank_runs"] = ordered_json::array();
  for (const RankSet::Run &run : ranks.runs()) runs.push_back({run.first, run.last, run.step});
}

/// What signatures and call sites are measured by.
template <class Row>
void add_measures(const Row &row, ordered_json &json) {
  json["calls"] = row.calls;
  json["completions"] = row.completions;
  json["errors"] = row.errors;
  json["total_ns"] = row.total_ns;
  json["min_ns"] = row.min_ns;
  json["max_ns"] = row.max_ns;
  json["bytes_sent"] = row.bytes_sent;
  json["bytes_received"] = row.bytes_received;
}

ordered_json json_of(const CallRow &row, PerRankForm form) {
  const bool spread = row.spread || folds(row.per_rank, form);
  ordered_json per_rank = spread ? json_of(row.spread ? *row.spread : spread_of(row.per_rank)) : json_of(row.per_rank);
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
          {"per_rank", per_rank}};
}

ordered_json json_of(const SignatureRow &row) {
  ordered_json json = {{"region", row.region},
          {"world", row.world},
          {"call", row.call},
          {"comm", row.comm},
          {"peer", row.peer},
          {"root", row.root},
          {"tag", row.tag},
          {"bytes", row.bytes},
          {"request", text_or_null(row.request)}};
  add_measures(row, json);
  add_ranks(row.ranks, json);
  return json;
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
  ordered_json json = {{"world", row.world},
          {"call", row.call},
          {"kind", row.kind},
          {"stack", stack}};
  add_measures(row, json);
  add_ranks(row.ranks, json);
  return json;
}

RankSpread spread_of(const RegionRow &row) {
  if (row.spread) return *row.spread;
  RankSpread spread = spread_of(row.per_rank);
  spread.self_ns = quantiles_of(row.rank_self_ns);
  spread.mpi_ns = quantiles_of(row.rank_mpi_ns);
  spread.mpi_calls = quantiles_of(row.rank_mpi_calls);
  return spread;
}

ordered_json per_rank_of(const RegionRow &row, PerRankForm form) {
  ordered_json per_rank;
  if (row.spread || folds(row.per_rank, form)) {
    const RankSpread spread = spread_of(row);
    per_rank = json_of(spread);
    per_rank["self_ns"] = spread.self_ns;
    per_rank["mpi_ns"] = spread.mpi_ns;
    per_rank["mpi_calls"] = spread.mpi_calls;
    return per_rank;
  }
  per_rank = json_of(row.per_rank);
  if (row.rank_self_ns.empty()) return per_rank;
  per_rank["self_ns"] = row.rank_self_ns;
  per_rank["mpi_ns"] = row.rank_mpi_ns;
  per_rank["mpi_calls"] = row.rank_mpi_calls;
  return per_rank;
}

ordered_json json_of(const RegionRow &row, PerRankForm form) {
  ordered_json source;
  if (!row.source_file.empty()) source = {{"file", row.source_file}, {"line", row.source_line}};
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
          {"per_rank", per_rank_of(row, form)},
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

/// The profile's text, key by key: a document of all of it in memory would take ten times the text.
class Writer {
 public:
  void value(const char *key, const ordered_json &value) {
    open(key);
    print(value, 1, text_);
  }

  template <class Row, class... Form>
  void rows(const char *key, const std::vector<Row> &rows, Form... form) {
    open(key);
    if (rows.empty()) {
      text_ += "[]";
      return;
    }
    const char *separator = "[\n";
    for (const Row &row : rows) {
      text_ += separator;
      text_.append(2, ' ');
      print(json_of(row, form...), 2, text_);
      separator = ",\n";
    }
    text_ += "\n ]";
  }

  void peers(const Peers &peers) {
    open("peers");
    text_ += "{\n";
    matrix("p2p", peers.p2p);
    text_ += ",\n";
    matrix("rma", peers.rma);
    text_ += "\n }";
  }

  std::string finished() && {
    text_ += "\n}\n";
    return support::json_terminal_safe(text_);
  }

 private:
  void open(const char *key) {
    text_ += text_.empty() ? "{\n \"" : ",\n \"";
    text_ += key;
    text_ += "\": ";
  }

  void matrix(const char *name, const PeerMatrix &matrix) {
    text_.append("  \"").append(name).append("\": {\n");
    column("world", matrix.world, ",\n");
    column("src", matrix.src, ",\n");
    column("dst", matrix.dst, ",\n");
    column("messages", matrix.messages, ",\n");
    column("bytes", matrix.bytes, "\n  }");
  }

  template <class Number>
  void column(const char *name, const std::vector<Number> &numbers, const char *end) {
    text_.append("   \"").append(name).append("\": [");
    char digits[24];
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (i) text_ += ',';
      text_.append(digits, std::to_chars(digits, digits + sizeof digits, numbers[i]).ptr);
    }
    text_.append("]").append(end);
  }

  std::string text_;
};

}  // namespace

std::string to_json(const Profile &profile, PerRankForm form) {
  Writer writer;
  writer.value("format", wire::summary_format);
  writer.value("format_version", wire::summary_version);
  writer.value("exporter", profile.metadata.exporter);
  writer.value("time_unit", "ns");
  writer.value("complete", profile.complete);
  writer.value("metadata", json_of(profile.metadata));
  writer.rows("worlds", profile.worlds);
  writer.rows("ranks", profile.ranks);
  writer.value("totals", json_of(profile.totals));
  writer.value("efficiency", json_of(profile.efficiency));
  writer.rows("calls", profile.calls, form);
  writer.rows("signatures", profile.signatures);
  writer.peers(profile.peers);
  writer.rows("sizes", profile.sizes);
  writer.rows("communicators", profile.communicators);
  writer.rows("callsites", profile.callsites);
  writer.rows("regions", profile.regions, form);
  writer.rows("findings", profile.findings);
  writer.rows("repeats", profile.repeats);
  writer.value("timeline", profile.timeline_results ? json_of(*profile.timeline_results) : ordered_json());
  writer.rows("warnings", profile.warnings);
  return std::move(writer).finished();
}

void write_profile(const Profile &profile, const std::filesystem::path &file, PerRankForm form) {
  support::write_file_atomically(file, to_json(profile, form), file.extension() == ".gz", true);
}

}  // namespace scope::model
