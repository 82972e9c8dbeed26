// The merged profile from JSON: share/schema/summary.schema.json.

#include "model/json_reader.hpp"
#include "model/profile.hpp"
#include "model/profile_json_parts.hpp"
#include "model/python_profile_json.hpp"
#include "support/files.hpp"
#include "support/heap.hpp"
#include "wire/contract.hpp"

namespace scope::model {
namespace {

/// What reading a text and working with the profile takes, in sizes of the text.
constexpr std::size_t memory_of_text = 6;

std::vector<std::string> texts(const JsonView &array) {
  std::vector<std::string> result;
  for (const JsonView item : array.elements()) result.push_back(item.text());
  return result;
}

std::vector<int> small_numbers(const JsonView &array, int lowest) {
  std::vector<int> result;
  result.reserve(array.size());
  for (const JsonView item : array.elements()) result.push_back(item.small(lowest));
  return result;
}

/// Times, counts and bytes of the profile: sums over ranks may be larger than a rank's counts.
std::int64_t amount(const JsonView &view) { return view.integer(0, std::numeric_limits<std::int64_t>::max()); }

std::vector<std::int64_t> amounts(const JsonView &array) {
  std::vector<std::int64_t> result;
  result.reserve(array.size());
  for (const JsonView item : array.elements()) result.push_back(amount(item));
  return result;
}

void expect_length(const JsonView &array, std::size_t length, const char *of) {
  if (array.size() != length)
    array.fail("has " + std::to_string(array.size()) + " elements, there are " + std::to_string(length) + " " + of);
}

int index_in(const JsonView &view, std::size_t length, const char *of, int lowest = 0) {
  int index = view.small(lowest);
  if (index >= 0 && static_cast<std::size_t>(index) >= length)
    view.fail("is " + std::to_string(index) + ", there are " + std::to_string(length) + " " + of);
  return index;
}

Metadata parse_metadata(const JsonView &root) {
  JsonView view = root.at("metadata");
  Metadata metadata;
  metadata.exporter = root.at("exporter").text();
  metadata.command = texts(view.at("command"));
  metadata.label = view.at("label").text();
  JsonView tags = view.at("tags");
  for (const auto &[key, value] : tags.members()) metadata.tags[key] = value.text();
  metadata.started = view.at("started").text();
  metadata.hosts = texts(view.at("hosts"));
  metadata.launcher = view.at("launcher").text();
  metadata.mpi_library = view.at("mpi").at("library").text_or_null();
  metadata.mpi_standard = view.at("mpi").at("standard").text_or_null();
  metadata.exit_status = view.at("exit_status").small();
  metadata.cpu = view.at("cpu").text();
  metadata.run_id = view.at("run_id").text();
  if (auto batch = view.find("batch"))
    for (const auto &[key, value] : batch->members()) metadata.batch[key] = value.text();
  return metadata;
}

World parse_world(const JsonView &view, const Profile &profile) {
  World world;
  world.id = view.at("id").small(0);
  if (static_cast<std::size_t>(world.id) != profile.worlds.size())
    view.at("id").fail("is " + std::to_string(world.id) + ", expected " + std::to_string(profile.worlds.size()));
  world.size = static_cast<int>(view.at("size").integer(0, largest_world));
  if (auto parent = view.find("parent")) world.parent = index_in(*parent, profile.worlds.size(), "worlds before it");
  world.ranks_reported = view.at("ranks_reported").small(0);
  world.missing = small_numbers(view.at("missing"), 0);
  world.complete = view.at("complete").flag();
  if (auto mpi = view.find("mpi")) world.mpi = mpi->flag();
  return world;
}

Rank parse_rank(const JsonView &view, const Profile &profile) {
  Rank rank;
  rank.world = index_in(view.at("world"), profile.worlds.size(), "worlds");
  rank.rank = view.at("rank").small(0);
  rank.host = view.at("host").text();
  rank.pid = amount(view.at("pid"));
  rank.executable = view.at("executable").text();
  rank.status = view.at("status").text();
  if (auto signal = view.find("signal")) rank.signal = signal->small(1);
  if (auto code = view.find("abort_code")) rank.abort_code = code->small();
  rank.in_call = view.at("in_call").text_or_null();
  rank.wall_ns = amount(view.at("wall_ns"));
  rank.mpi_ns = amount(view.at("mpi_ns"));
  rank.cpu_ns = amount(view.at("cpu_ns"));
  rank.max_rss_bytes = amount(view.at("max_rss_bytes"));
  rank.overhead_ns = amount(view.at("overhead_ns"));
  rank.threads = view.at("threads").small(1);
  auto later = [&view](const char *key) {  // not in the first files of this version
    auto found = view.find(key);
    return found ? amount(*found) : 0;
  };
  rank.calls = later("calls");
  rank.bytes_sent = later("bytes_sent");
  rank.bytes_received = later("bytes_received");
  rank.startup_ns = later("startup_ns");
  return rank;
}

/// What the first files of this version say by procedure only.
void fill_ranks(Profile &profile) {
  for (const CallRow &row : profile.calls) {
    for (std::size_t i = 0; i < row.per_rank.calls.size(); ++i) {
      Rank &rank = profile.ranks[i];
      add_to(rank.calls, row.per_rank.calls[i]);
      add_to(rank.bytes_sent, row.per_rank.bytes_sent[i]);
      add_to(rank.bytes_received, row.per_rank.bytes_received[i]);
      if (is_startup(row.name)) add_to(rank.startup_ns, row.per_rank.total_ns[i]);
    }
  }
}

}  // namespace

Totals parse_totals(const JsonView &view) {
  Totals totals;
  totals.wall_ns = amount(view.at("wall_ns"));
  totals.wall_sum_ns = amount(view.at("wall_sum_ns"));
  totals.mpi_ns = amount(view.at("mpi_ns"));
  totals.mpi_share = view.at("mpi_share").number();
  totals.calls = amount(view.at("calls"));
  totals.bytes_sent = amount(view.at("bytes_sent"));
  totals.bytes_received = amount(view.at("bytes_received"));
  totals.overhead_ns = amount(view.at("overhead_ns"));
  return totals;
}

Efficiency parse_efficiency(const JsonView &view) {
  auto ratio = [&view](const char *key) {
    auto found = view.find(key);
    return found ? std::optional(found->number()) : std::nullopt;
  };
  return {ratio("parallel"), ratio("load_balance"), ratio("communication")};
}

namespace {

PerRank parse_columns(const JsonView &view, std::size_t ranks) {
  auto column = [&](const char *key) {
    JsonView array = view.at(key);
    expect_length(array, ranks, "ranks");
    return amounts(array);
  };
  return {column("calls"), column("total_ns"), column("bytes_sent"), column("bytes_received")};
}

Quantiles parse_quantiles(const JsonView &array) {
  expect_length(array, spread_shares.size(), "shares");
  Quantiles result{};
  std::size_t i = 0;
  for (const JsonView item : array.elements()) result[i++] = amount(item);
  for (i = 1; i < result.size(); ++i)
    if (result[i] < result[i - 1]) array.fail("falls");
  return result;
}

RankSpread parse_spread(const JsonView &view, std::size_t ranks) {
  RankSpread spread;
  spread.ranks = static_cast<std::size_t>(view.at("ranks").integer(1, largest_count));
  if (spread.ranks != ranks) view.at("ranks").fail("is " + std::to_string(spread.ranks) + ", there are " + std::to_string(ranks));
  JsonView shares = view.at("shares");
  expect_length(shares, spread_shares.size(), "shares that are read");
  std::size_t i = 0;
  for (const JsonView share : shares.elements())
    if (share.number() != spread_shares[i++]) share.fail("is not " + std::to_string(spread_shares[i - 1]));
  spread.calls = parse_quantiles(view.at("calls"));
  spread.total_ns = parse_quantiles(view.at("total_ns"));
  spread.bytes_sent = parse_quantiles(view.at("bytes_sent"));
  spread.bytes_received = parse_quantiles(view.at("bytes_received"));
  auto later = [&view](const char *key) {
    auto found = view.find(key);
    return found ? parse_quantiles(*found) : Quantiles{};
  };
  spread.self_ns = later("self_ns");
  spread.mpi_ns = later("mpi_ns");
  spread.mpi_calls = later("mpi_calls");
  JsonView extremes = view.at("extremes"), index = extremes.at("index");
  for (const JsonView item : index.elements()) spread.extremes.push_back(static_cast<std::size_t>(index_in(item, ranks, "ranks")));
  spread.of_extremes = parse_columns(extremes, spread.extremes.size());
  return spread;
}

/// A value for each rank, or how they spread.
template <class Row>
void parse_per_rank(const JsonView &view, std::size_t ranks, Row &row) {
  if (view.find("shares")) row.spread = parse_spread(view, ranks);
  else row.per_rank = parse_columns(view, ranks);
}

RankSet parse_ranks(const JsonView &row) {
  JsonView array = row.at("ranks");
  RankSet ranks;
  auto ascending = [&ranks](const JsonView &view, int rank) {
    if (!ranks.empty() && rank <= ranks.back()) view.fail("is not above the rank before it");
    ranks.push_back(rank);
  };
  for (const JsonView item : array.elements()) ascending(item, item.small(0));
  auto count = row.find("rank_count");
  if (!count) return ranks;
  const auto size = static_cast<std::size_t>(count->integer(0, largest_world));
  auto runs = row.find("rank_runs");
  if (!runs) return RankSet::unknown(size);
  for (const JsonView run : runs->elements()) {
    if (run.size() != 3) run.fail("is not first, last and step");
    const int first = run.at(std::size_t{0}).small(0), step = run.at(std::size_t{2}).small(1);
    const auto last = static_cast<int>(run.at(std::size_t{1}).integer(first, largest_world));
    if ((last - first) % step != 0) run.fail("does not end on a step");
    if (ranks.size() + static_cast<std::size_t>((last - first) / step) + 1 > size) run.fail("is beyond rank_count");
    for (int rank = first; rank <= last; rank += step) ascending(run, rank);
  }
  if (ranks.size() != size) runs->fail("holds " + std::to_string(ranks.size()) + " ranks, not " + std::to_string(size));
  return ranks;
}

/// What signatures and call sites are measured by.
template <class Row>
void parse_measures(const JsonView &view, Row &row) {
  row.calls = amount(view.at("calls"));
  row.completions = amount(view.at("completions"));
  row.errors = amount(view.at("errors"));
  row.total_ns = amount(view.at("total_ns"));
  row.min_ns = amount(view.at("min_ns"));
  row.max_ns = amount(view.at("max_ns"));
  row.bytes_sent = amount(view.at("bytes_sent"));
  row.bytes_received = amount(view.at("bytes_received"));
}

CallRow parse_call(const JsonView &view, const Profile &profile) {
  CallRow row;
  row.name = view.at("name").text();
  row.kind = view.at("kind").text();
  row.calls = amount(view.at("calls"));
  row.errors = amount(view.at("errors"));
  row.total_ns = amount(view.at("total_ns"));
  row.min_ns = amount(view.at("min_ns"));
  row.max_ns = amount(view.at("max_ns"));
  row.mean_ns = view.at("mean_ns").number();
  row.std_ns = view.at("std_ns").number();
  row.p50_ns = amount(view.at("p50_ns"));
  row.p95_ns = amount(view.at("p95_ns"));
  row.p99_ns = amount(view.at("p99_ns"));
  row.bytes_sent = amount(view.at("bytes_sent"));
  row.bytes_received = amount(view.at("bytes_received"));
  row.imbalance = view.at("imbalance").number();
  parse_per_rank(view.at("per_rank"), profile.ranks.size(), row);
  return row;
}

SignatureRow parse_signature(const JsonView &view, const Profile &profile) {
  SignatureRow row;
  row.region = view.at("region").text();
  row.world = index_in(view.at("world"), profile.worlds.size(), "worlds");
  row.call = view.at("call").text();
  row.comm = index_in(view.at("comm"), profile.communicators.size(), "communicators", -1);
  row.peer = view.at("peer").small();
  row.root = view.at("root").small();
  row.tag = view.at("tag").small();
  row.bytes = view.at("bytes").integer(-1, std::numeric_limits<std::int64_t>::max());
  row.request = view.at("request").text_or_null();
  parse_measures(view, row);
  row.ranks = parse_ranks(view);
  return row;
}

PeerMatrix parse_matrix(const JsonView &view, const Profile &profile) {
  PeerMatrix matrix;
  JsonView worlds = view.at("world");
  matrix.world.reserve(worlds.size());
  for (const JsonView world : worlds.elements()) matrix.world.push_back(index_in(world, profile.worlds.size(), "worlds"));
  for (const char *key : {"src", "dst", "messages", "bytes"}) expect_length(view.at(key), worlds.size(), "in peers.*.world");
  matrix.src = small_numbers(view.at("src"), 0);
  matrix.dst = small_numbers(view.at("dst"), 0);
  matrix.messages = amounts(view.at("messages"));
  matrix.bytes = amounts(view.at("bytes"));
  return matrix;
}

SizeRow parse_size(const JsonView &view, const Profile &) {
  SizeRow row;
  row.call = view.at("call").text();
  row.bytes_from = amount(view.at("bytes_from"));
  row.bytes_to = amount(view.at("bytes_to"));
  row.calls = amount(view.at("calls"));
  row.bytes = amount(view.at("bytes"));
  row.total_ns = amount(view.at("total_ns"));
  return row;
}

CommunicatorRow parse_communicator(const JsonView &view, const Profile &profile) {
  CommunicatorRow row;
  row.id = view.at("id").small(0);
  if (static_cast<std::size_t>(row.id) != profile.communicators.size())
    view.at("id").fail("is " + std::to_string(row.id) + ", expected " + std::to_string(profile.communicators.size()));
  row.world = index_in(view.at("world"), profile.worlds.size(), "worlds");
  row.name = view.at("name").text();
  row.size = view.at("size").small(0);
  row.remote_size = view.at("remote_size").small(0);
  row.foreign = view.at("foreign").flag();
  row.merged = view.at("merged").flag();
  row.calls = amount(view.at("calls"));
  row.total_ns = amount(view.at("total_ns"));
  row.bytes = amount(view.at("bytes"));
  return row;
}

SiteFrame parse_frame(const JsonView &view) {
  SiteFrame frame;
  frame.function = view.at("function").text_or_null();
  frame.file = view.at("file").text_or_null();
  view.at("line");  // there, if only as null
  if (auto line = view.find("line")) frame.line = line->small(1);
  frame.python = view.at("python").flag();
  frame.module = view.at("module").text_or_null();
  frame.build_id = view.at("build_id").text_or_null();
  frame.offset = amount(view.at("offset"));
  return frame;
}

CallSiteRow parse_callsite(const JsonView &view, const Profile &profile) {
  CallSiteRow row;
  row.world = index_in(view.at("world"), profile.worlds.size(), "worlds");
  row.call = view.at("call").text();
  row.kind = view.at("kind").text();
  JsonView stack = view.at("stack");
  for (const JsonView frame : stack.elements()) row.stack.push_back(parse_frame(frame));
  parse_measures(view, row);
  row.ranks = parse_ranks(view);
  return row;
}

RegionRow parse_region(const JsonView &view, const Profile &profile) {
  RegionRow row;
  row.name = view.at("name").text();
  row.path = view.at("path").text();
  row.calls = amount(view.at("calls"));
  row.total_ns = amount(view.at("total_ns"));
  row.self_ns = amount(view.at("self_ns"));
  row.mpi_ns = amount(view.at("mpi_ns"));
  auto later = [&view](const char *key) {  // not in the first files of this version
    auto found = view.find(key);
    return found ? amount(*found) : 0;
  };
  row.mpi_calls = later("mpi_calls");
  row.mpi_self_ns = later("mpi_self_ns");
  row.mpi_self_calls = later("mpi_self_calls");
  row.min_ns = amount(view.at("min_ns"));
  row.max_ns = amount(view.at("max_ns"));
  JsonView per_rank = view.at("per_rank");
  parse_per_rank(per_rank, profile.ranks.size(), row);
  auto column = [&](const char *key, std::vector<std::int64_t> &values) {
    auto array = row.spread ? std::nullopt : per_rank.find(key);
    if (!array) return;
    expect_length(*array, profile.ranks.size(), "ranks");
    values = amounts(*array);
  };
  column("self_ns", row.rank_self_ns);
  column("mpi_ns", row.rank_mpi_ns);
  column("mpi_calls", row.rank_mpi_calls);
  if (auto source = view.find("source")) {
    row.source_file = source->at("file").text();
    row.source_line = source->at("line").small(0);
  }
  return row;
}

Finding parse_finding(const JsonView &view, const Profile &) {
  Finding finding;
  finding.id = view.at("id").text();
  finding.severity = view.at("severity").text();
  finding.text = view.at("text").text();
  JsonView evidence = view.at("evidence");
  for (const auto &[key, value] : evidence.members()) finding.evidence[key] = value.number();
  finding.seconds_lost = view.at("seconds_lost").number();
  return finding;
}

Warning parse_warning(const JsonView &view, const Profile &) { return {view.at("id").text(), view.at("text").text()}; }

/// Every element of the array `key`. The rows that were read before it are at hand for checks.
template <class Row>
void parse_rows(const JsonView &root, const char *key, std::vector<Row> &rows, const Profile &profile,
                Row (*parse)(const JsonView &, const Profile &)) {
  JsonView array = root.at(key);
  for (const JsonView row : array.elements()) rows.push_back(parse(row, profile));
}

}  // namespace

Profile parse_profile(const std::string &text, const std::filesystem::path &name) {
  const std::string file = name.string();
  const JsonDocument document(text, file);
  const JsonView root = document.root();
  if (auto format = root.find("format"); format && format->text() == python_format) {
    check_format(root, file, python_format, python_version);
    return parse_python_profile(root);
  }
  check_format(root, file, wire::summary_format, wire::summary_version);
  Profile profile;
  profile.complete = root.at("complete").flag();
  profile.metadata = parse_metadata(root);
  parse_rows(root, "worlds", profile.worlds, profile, parse_world);
  parse_rows(root, "ranks", profile.ranks, profile, parse_rank);
  profile.totals = parse_totals(root.at("totals"));
  profile.efficiency = parse_efficiency(root.at("efficiency"));
  parse_rows(root, "calls", profile.calls, profile, parse_call);
  if (!profile.ranks.empty() && !root.at("ranks").at(std::size_t{0}).find("calls")) fill_ranks(profile);
  parse_rows(root, "communicators", profile.communicators, profile, parse_communicator);
  parse_rows(root, "signatures", profile.signatures, profile, parse_signature);
  profile.peers.p2p = parse_matrix(root.at("peers").at("p2p"), profile);
  profile.peers.rma = parse_matrix(root.at("peers").at("rma"), profile);
  parse_rows(root, "sizes", profile.sizes, profile, parse_size);
  if (root.find("callsites")) parse_rows(root, "callsites", profile.callsites, profile, parse_callsite);  // not in the first files
  parse_rows(root, "regions", profile.regions, profile, parse_region);
  parse_rows(root, "findings", profile.findings, profile, parse_finding);
  if (auto repeats = root.find("repeats")) profile.repeats = parse_repeats(*repeats);
  if (auto timeline = root.find("timeline")) profile.timeline_results = parse_timeline(*timeline, profile);
  parse_rows(root, "warnings", profile.warnings, profile, parse_warning);
  return profile;
}

Profile read_profile(const std::filesystem::path &file) {
  std::error_code none;
  const auto size = std::filesystem::file_size(file, none);
  if (!none) support::expect_memory(memory_of_text * size);
  return parse_profile(support::read_file(file), file);
}

}  // namespace scope::model
