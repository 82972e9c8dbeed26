// Rank dumps: share/schema/rank-dump.schema.json.

#include <algorithm>
#include <charconv>

#include "model/json_reader.hpp"
#include "model/limits.hpp"
#include "model/rank_record.hpp"
#include "support/files.hpp"
#include "support/text.hpp"
#include "wire/contract.hpp"
#include "wire/live_block.hpp"

namespace scope::model {
namespace {

std::uint64_t unsigned_count(const JsonView &view) { return static_cast<std::uint64_t>(view.count()); }

double not_negative(const JsonView &view) {
  double number = view.number();
  if (number < 0) view.fail("is negative");
  return number;
}

RankStatus parse_status(const JsonView &view) {
  std::string text = view.text();
  using enum RankStatus;
  for (RankStatus status : {finalized, exited, aborted, killed, recovered})
    if (text == to_string(status)) return status;
  view.fail("is \"" + support::shortened(text) + "\", which is no status");
}

std::uint32_t parse_comm(const JsonView &view, std::size_t communicators) {
  std::int64_t index = view.integer(-1, std::numeric_limits<std::int32_t>::max());
  if (index < 0) return wire::none_comm;
  if (static_cast<std::size_t>(index) >= communicators)
    view.fail("is " + std::to_string(index) + ", but there are " + std::to_string(communicators) + " communicators");
  return static_cast<std::uint32_t>(index);
}

void parse_world(const JsonView &world, RankRecord &record) {
  record.world_key = world.at("key").text();
  record.parent_key = world.at("parent").text();
  record.size = static_cast<int>(std::max<std::int64_t>(world.at("size").integer(-1, largest_world), 0));
  record.rank = world.at("rank").small(-1);
  if (record.rank >= record.size)
    world.fail("has rank " + std::to_string(record.rank) + " in a world of " + std::to_string(record.size));
}

void parse_process(const JsonView &process, RankRecord &record) {
  record.host = process.at("host").text();
  record.boot_id = process.at("boot_id").text();
  record.pid = static_cast<std::uint32_t>(process.at("pid").integer(0, std::numeric_limits<std::uint32_t>::max()));
  record.start_time = process.at("start_time").instant();
  record.executable = process.at("executable").text();
  record.threads = process.at("threads").small(0);
  record.cpu_ns = unsigned_count(process.at("cpu_ns"));
  record.max_rss_bytes = unsigned_count(process.at("max_rss_bytes"));
}

void parse_mpi(const JsonView &mpi, RankRecord &record) {
  record.family = mpi.at("family").text();
  record.library = mpi.at("library").text();
  JsonView standard = mpi.at("standard");
  if (standard.size() != 2) standard.fail("is not a pair");
  record.standard_major = standard.at(std::size_t{0}).small();
  record.standard_minor = standard.at(std::size_t{1}).small();
  record.thread_level = mpi.at("thread_level").small();
}

void parse_clock(const JsonView &clock, RankRecord &record) {
  auto pair = [&clock](const char *key, std::uint64_t &ticks, std::uint64_t &ns) {
    JsonView view = clock.at(key);
    if (view.size() != 2) view.fail("is not a pair");
    ticks = view.at(std::size_t{0}).instant();
    ns = view.at(std::size_t{1}).instant();
  };
  record.clock = clock.at("kind").text();
  record.unix_ns = clock.at("unix_ns").instant();
  pair("first", record.scale.first_ticks, record.scale.first_ns);
  pair("last", record.scale.last_ticks, record.scale.last_ns);
  if (record.scale.last_ticks < record.scale.first_ticks || record.scale.last_ns < record.scale.first_ns)
    clock.at("last").fail("is before clock.first");
  record.begin = clock.at("begin").instant();
  record.end = clock.at("end").instant();
  if (record.end != 0 && record.end < record.begin) clock.at("end").fail("is before clock.begin");
  record.last_seen = record.end != 0 ? record.end : record.scale.last_ticks;
}

CommInfo parse_communicator(const JsonView &view) {
  CommInfo comm;
  JsonView key = view.at("key");
  std::string digits = key.text();
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), comm.key, 16);
  if (error != std::errc() || end != digits.data() + digits.size()) key.fail("is no hexadecimal number of 64 bits");
  comm.name = view.at("name").text();
  comm.size = view.at("size").small(0);
  comm.remote_size = view.at("remote_size").small(0);
  comm.foreign = view.at("foreign").flag();
  comm.merged = view.at("merged").flag();
  if (std::optional<JsonView> rank = view.find("rank")) comm.rank = rank->small(0);
  return comm;
}

/// What calls and signatures have in common.
template <class Counted>
void parse_counted(const JsonView &view, Counted &row) {
  row.calls = unsigned_count(view.at("calls"));
  row.errors = unsigned_count(view.at("errors"));
  row.total = unsigned_count(view.at("total"));
  row.min = unsigned_count(view.at("min"));
  row.max = unsigned_count(view.at("max"));
  row.sum_sq = not_negative(view.at("sum_sq"));
  row.bytes_sent = unsigned_count(view.at("bytes_sent"));
  row.bytes_received = unsigned_count(view.at("bytes_received"));
  if (row.calls > 0 && row.min > row.max)
    view.fail("has a minimum of " + std::to_string(row.min) + " above its maximum of " + std::to_string(row.max));
}

CallStats parse_call(const JsonView &view) {
  CallStats call;
  call.name = view.at("name").text();
  parse_counted(view, call);
  call.histogram.assign(wire::histogram_buckets, 0);
  JsonView histogram = view.at("histogram");
  for (const JsonView pair : histogram.elements()) {
    if (pair.size() != 2) pair.fail("is not a pair");
    std::int64_t bucket = pair.at(std::size_t{0}).integer(0, wire::histogram_buckets - 1);
    std::uint64_t &count = call.histogram[static_cast<std::size_t>(bucket)];
    add_to(count, unsigned_count(pair.at(std::size_t{1})));
  }
  return call;
}

/// Dumps of runs without call sites have no such key.
std::uint32_t parse_site(const JsonView &view, std::size_t sites) {
  auto site = view.find("site");
  if (!site) return 0;
  std::int64_t number = site->integer(0, wire::site_other);
  if (number != wire::site_other && number > static_cast<std::int64_t>(sites))
    site->fail("is " + std::to_string(number) + ", but there are " + std::to_string(sites) + " call sites");
  return static_cast<std::uint32_t>(number);
}

std::size_t index_of(const JsonView &view, std::size_t length, const char *of) {
  std::int64_t index = view.integer(0, std::numeric_limits<std::int32_t>::max());
  if (static_cast<std::size_t>(index) >= length)
    view.fail("is " + std::to_string(index) + ", but there are " + std::to_string(length) + " " + of);
  return static_cast<std::size_t>(index);
}

CallSites parse_callsites(const JsonView &view) {
  CallSites result;
  result.depth = static_cast<int>(view.at("depth").integer(1, wire::site_depth_limit));
  result.foreign_python = view.at("foreign_python").text();
  JsonView modules = view.at("modules"), frames = view.at("frames"), sites = view.at("sites");
  for (const JsonView frame : frames.elements()) {
    CodeFrame &one = result.frames.emplace_back();
    if (frame.at("module").integer(-1, std::numeric_limits<std::int32_t>::max()) >= 0) {
      JsonView module = modules.at(index_of(frame.at("module"), modules.size(), "modules"));
      one.module = module.at("path").text();
      one.build_id = module.at("build_id").text();
      one.python = module.at("python").flag();
    }
    one.offset = frame.at("offset").instant();
    one.function = frame.at("function").text();
  }
  for (const JsonView site : sites.elements()) {
    if (site.size() == 0 || site.size() > wire::site_depth_limit) site.fail("has " + std::to_string(site.size()) + " frames");
    auto &one = result.sites.emplace_back();
    for (const JsonView frame : site.elements())
      one.push_back(static_cast<std::uint32_t>(index_of(frame, result.frames.size(), "frames")));
  }
  return result;
}

Signature parse_signature(const JsonView &view, std::size_t communicators, std::size_t sites) {
  Signature signature;
  signature.call = view.at("call").text();
  signature.request_call = view.at("request").text();
  signature.comm = parse_comm(view.at("comm"), communicators);
  signature.peer = view.at("peer").small(wire::folded);
  signature.root = view.at("root").small();
  signature.tag = view.at("tag").small(wire::folded);
  signature.bytes = view.at("bytes").integer(-1, largest_count);
  parse_counted(view, signature);
  signature.completions = unsigned_count(view.at("completions"));
  signature.site = parse_site(view, sites);
  return signature;
}

InCall parse_in_call(const JsonView &view, std::size_t communicators, std::size_t sites) {
  InCall in_call;
  in_call.call = view.at("call").text();
  in_call.peer = view.at("peer").small();
  in_call.tag = view.at("tag").small();
  in_call.bytes = view.at("bytes").integer(-1, largest_count);
  in_call.comm = parse_comm(view.at("comm"), communicators);
  in_call.since = view.at("since").instant();
  in_call.site = parse_site(view, sites);
  return in_call;
}

void parse_losses(const JsonView &root, RankRecord &record) {
  record.untracked_requests = unsigned_count(root.at("untracked_requests"));
  record.lost_entries = unsigned_count(root.at("lost_entries"));
  record.abandoned = unsigned_count(root.at("abandoned"));
  JsonView folded = root.at("folded");
  record.folded.tags = unsigned_count(folded.at("tags"));
  record.folded.bytes = unsigned_count(folded.at("bytes"));
  record.folded.peers = unsigned_count(folded.at("peers"));
  record.folded.communicators = unsigned_count(folded.at("communicators"));
  if (auto sites = folded.find("sites")) record.folded.sites = unsigned_count(*sites);
}

/// Every element of the array `key`, as `parse` makes it.
template <class Row, class Parse>
void parse_rows(const JsonView &root, const char *key, std::vector<Row> &rows, Parse parse) {
  JsonView array = root.at(key);
  rows.reserve(array.size());
  for (const JsonView row : array.elements()) rows.push_back(parse(row));
}

}  // namespace

RankRecord parse_rank_dump(const std::string &text, const std::filesystem::path &name) {
  const std::string file = name.string();
  const JsonDocument document(text, file);
  const JsonView root = document.root();
  check_format(root, file, wire::dump_format, wire::dump_version);
  std::optional<JsonView> end = root.find("end");
  if (!end || !end->flag()) root.fail("is truncated: it has no end mark");
  RankRecord record;
  record.source = name;
  record.run_id = root.at("run_id").text();
  parse_world(root.at("world"), record);
  parse_process(root.at("process"), record);
  parse_mpi(root.at("mpi"), record);
  record.status = parse_status(root.at("status"));
  record.abort_code = root.at("abort_code").small();
  parse_clock(root.at("clock"), record);
  record.mpi_ticks = unsigned_count(root.at("mpi_ticks"));
  record.cost_ticks = not_negative(root.at("cost_ticks"));
  parse_losses(root, record);
  parse_rows(root, "communicators", record.comms, parse_communicator);
  if (auto callsites = root.find("callsites")) record.callsites = parse_callsites(*callsites);
  std::size_t communicators = record.comms.size(), sites = record.callsites.sites.size();
  parse_rows(root, "in_call", record.in_call, [=](const JsonView &view) { return parse_in_call(view, communicators, sites); });
  parse_rows(root, "calls", record.calls, parse_call);
  parse_rows(root, "signatures", record.signatures, [=](const JsonView &view) { return parse_signature(view, communicators, sites); });
  return record;
}

RankRecord read_rank_dump(const std::filesystem::path &file) { return parse_rank_dump(support::read_file(file, largest_rank_file), file); }

}  // namespace scope::model
