#include "dump.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <new>

#include "json.hpp"
#include "live_block.hpp"
#include "memory.hpp"
#include "procfs.hpp"
#include "wire/contract.hpp"
#include "wire/mpi_calls.hpp"

namespace scope::preload {

namespace {

const char *family_name(wire::Family family) {
  return family == wire::Family::open_mpi ? "openmpi" : family == wire::Family::mpich ? "mpich" : "unknown";
}

const char *state_name(wire::State state) {
  switch (state) {
    case wire::State::finalized: return "finalized";
    case wire::State::aborted: return "aborted";
    default: return "exited";
  }
}

const char *call_name(std::uint16_t call) { return call < wire::call_count ? wire::calls[call].name : ""; }
std::int64_t comm_number(std::uint32_t comm) { return comm == wire::none_comm ? -1 : static_cast<std::int64_t>(comm); }

template <class Action>
void each_item(wire::Item type, Action action) {
  const char *base = reinterpret_cast<const char *>(live);
  for (std::uint64_t at = (sizeof(wire::Header) + 63) / 64 * 64; at < live->used;) {
    const wire::ItemHeader *item = reinterpret_cast<const wire::ItemHeader *>(base + at);
    if (item->type == type) action(item);
    at += item->bytes;
  }
}

void write_pair(JsonWriter &json, const char *key, const wire::ClockPair &pair) {
  json.begin_array(key);
  json.element(pair.ticks);
  json.element(pair.monotonic_ns);
  json.end_array();
}

void write_head(JsonWriter &json) {
  const wire::Header &head = *live;
  json.text("format", wire::dump_format);
  json.number("format_version", wire::dump_version);
  json.text("exporter", "scope-profiler@" SCOPE_VERSION);
  json.text("run_id", head.run_id);
  json.begin_object("world");
  json.text("key", head.world_key);
  json.text("parent", head.parent_key);
  json.number("size", head.size);
  json.number("rank", head.rank);
  json.end_object();
  json.begin_object("process");
  json.text("host", head.host);
  json.text("boot_id", head.boot_id);
  json.number("pid", head.pid);
  json.unsigned_number("start_time", head.start_time);
  json.text("executable", head.executable);
  json.number("threads", head.threads);
  json.unsigned_number("cpu_ns", head.cpu_ns);
  json.unsigned_number("max_rss_bytes", head.max_rss_bytes);
  json.end_object();
  json.begin_object("mpi");
  json.text("family", family_name(head.family));
  json.text("library", head.library);
  json.begin_array("standard");
  json.element(static_cast<std::uint64_t>(head.standard_major));
  json.element(static_cast<std::uint64_t>(head.standard_minor));
  json.end_array();
  json.number("thread_level", head.thread_level);
  json.end_object();
  json.text("status", state_name(head.state));
  json.number("abort_code", head.abort_code);
}

void write_times(JsonWriter &json) {
  const wire::Header &head = *live;
  json.begin_object("clock");
  json.text("kind", head.clock == wire::ClockKind::tsc ? "tsc" : "monotonic");
  json.unsigned_number("unix_ns", head.unix_ns);
  write_pair(json, "first", head.first);
  write_pair(json, "last", head.last);
  json.unsigned_number("begin", head.begin);
  json.unsigned_number("end", head.end);
  json.end_object();
  std::uint64_t sum = 0;
  each_item(wire::Item::thread, [&](const wire::ItemHeader *item) { sum += reinterpret_cast<const wire::ThreadItem *>(item)->mpi_ticks; });
  json.unsigned_number("mpi_ticks", head.union_until ? head.mpi_union : sum);
  json.real("cost_ticks", static_cast<double>(head.cost_ticks_x256) / 256);
  json.unsigned_number("clock_ticks", head.clock_ticks);
  json.unsigned_number("untracked_requests", head.untracked_requests);
  json.unsigned_number("lost_entries", head.lost_entries);
  json.unsigned_number("abandoned", head.abandoned);
  json.begin_object("folded");
  json.unsigned_number("tags", head.folded.tags);
  json.unsigned_number("bytes", head.folded.bytes);
  json.unsigned_number("peers", head.folded.peers);
  json.unsigned_number("communicators", head.folded.communicators);
  json.unsigned_number("sites", head.folded.sites);
  json.end_object();
}

void write_current(JsonWriter &json) {
  json.begin_array("in_call");
  each_item(wire::Item::thread, [&](const wire::ItemHeader *item) {
    const wire::Current &current = reinterpret_cast<const wire::ThreadItem *>(item)->current;
    if (current.call >= wire::call_count) return;
    json.begin_object();
    json.text("call", call_name(current.call));
    json.number("peer", current.peer);
    json.number("tag", current.tag);
    json.number("bytes", current.bytes);
    json.number("comm", comm_number(current.comm));
    json.unsigned_number("since", current.since);
    if (live->site_depth) json.unsigned_number("site", current.site);
    json.end_object();
  });
  json.end_array();
}

void write_communicators(JsonWriter &json) {
  json.begin_array("communicators");
  each_item(wire::Item::comms, [&](const wire::ItemHeader *item) {
    const wire::CommsItem *comms = reinterpret_cast<const wire::CommsItem *>(item);
    for (std::uint32_t i = 0; i < comms->count; ++i) {
      const wire::CommRecord &record = comms->records()[i];
      json.new_line();
      json.begin_object();
      json.hex("key", record.key);
      json.text("name", record.name);
      json.number("size", record.size);
      json.number("remote_size", record.remote_size);
      if (record.rank_plus_1 > 0) json.number("rank", record.rank_plus_1 - 1);
      json.boolean("foreign", record.foreign);
      json.boolean("merged", record.merged);
      json.end_object();
    }
  });
  json.end_array();
}

template <class Counted>
void write_counts(JsonWriter &json, const Counted &counted) {
  json.unsigned_number("calls", counted.calls);
  json.unsigned_number("errors", counted.errors);
  json.unsigned_number("total", counted.total);
  json.unsigned_number("min", counted.min == ~std::uint64_t{0} ? 0 : counted.min);
  json.unsigned_number("max", counted.max);
  json.real("sum_sq", counted.sum_sq.value());
  json.unsigned_number("bytes_sent", counted.bytes_sent);
  json.unsigned_number("bytes_received", counted.bytes_received);
}

void write_histogram(JsonWriter &json, const std::uint64_t *counts) {
  json.begin_array("histogram");
  for (int bucket = 0; bucket < wire::histogram_buckets; ++bucket) {
    if (!counts[bucket]) continue;
    json.begin_array();
    json.element(static_cast<std::uint64_t>(bucket));
    json.element(counts[bucket]);
    json.end_array();
  }
  json.end_array();
}

/// Adds an entry, or what was lost, to the figures of its procedure.
template <class Counted>
void add_counts(wire::CallStatsItem &sum, const Counted &counted) {
  sum.calls += counted.calls;
  sum.errors += counted.errors;
  sum.total += counted.total;
  if (counted.min < sum.min) sum.min = counted.min;
  if (counted.max > sum.max) sum.max = counted.max;
  sum.sum_sq.add(counted.sum_sq);
  sum.bytes_sent += counted.bytes_sent;
  sum.bytes_received += counted.bytes_received;
}

/// One procedure's statistics, all threads added up.
void write_call(JsonWriter &json, std::uint16_t call) {
  static wire::CallStatsItem sum;
  memset(&sum, 0, sizeof sum);
  sum.min = ~std::uint64_t{0};
  each_item(wire::Item::entries, [&](const wire::ItemHeader *item) {
    const wire::EntriesItem *entries = reinterpret_cast<const wire::EntriesItem *>(item);
    for (std::uint32_t i = 0; i < entries->count; ++i)
      if (entries->entries()[i].key.call == call) add_counts(sum, entries->entries()[i]);
  });
  each_item(wire::Item::call_stats, [&](const wire::ItemHeader *item) {
    const wire::CallStatsItem *stats = reinterpret_cast<const wire::CallStatsItem *>(item);
    if (stats->call != call) return;
    add_counts(sum, *stats);
    for (int i = 0; i < wire::histogram_buckets; ++i) sum.histogram[i] += stats->calls_in(i);
  });
  if (!sum.calls) return;
  json.new_line();
  json.begin_object();
  json.text("name", call_name(call));
  write_counts(json, sum);
  write_histogram(json, sum.histogram);
  json.end_object();
}

void write_calls(JsonWriter &json) {
  static bool seen[wire::call_count];
  memset(seen, 0, sizeof seen);
  each_item(wire::Item::call_stats, [&](const wire::ItemHeader *item) { seen[reinterpret_cast<const wire::CallStatsItem *>(item)->call] = true; });
  json.begin_array("calls");
  for (int call = 0; call < wire::call_count; ++call)
    if (seen[call]) write_call(json, static_cast<std::uint16_t>(call));
  json.end_array();
}

void write_signatures(JsonWriter &json) {
  json.begin_array("signatures");
  each_item(wire::Item::entries, [&](const wire::ItemHeader *item) {
    const wire::EntriesItem *entries = reinterpret_cast<const wire::EntriesItem *>(item);
    for (std::uint32_t i = 0; i < entries->count; ++i) {
      const wire::Entry &entry = entries->entries()[i];
      if (!entry.calls && !entry.completions) continue;
      json.new_line();
      json.begin_object();
      json.text("call", call_name(entry.key.call));
      json.text("request", call_name(entry.key.request_call));
      json.number("comm", comm_number(entry.key.comm));
      json.number("peer", entry.key.peer);
      json.number("root", entry.key.root);
      json.number("tag", entry.key.tag);
      json.number("bytes", entry.key.bytes);
      if (live->site_depth) json.unsigned_number("site", entry.key.site);
      json.unsigned_number("completions", entry.completions);
      write_counts(json, entry);
      json.end_object();
    }
  });
  json.end_array();
}

template <class Record, class Write>
void write_records(JsonWriter &json, const char *key, wire::Item type, Write write) {
  json.begin_array(key);
  each_item(type, [&](const wire::ItemHeader *item) {
    const wire::RecordsItem<Record> *part = reinterpret_cast<const wire::RecordsItem<Record> *>(item);
    for (std::uint32_t i = 0; i < part->count; ++i) write(part->records()[i]);
  });
  json.end_array();
}

void write_build_id(JsonWriter &json, const wire::ModuleRecord &record) {
  char text[2 * sizeof record.build_id + 1];
  static constexpr char digits[] = "0123456789abcdef";
  for (std::uint32_t i = 0; i < record.build_id_bytes; ++i) {
    text[2 * i] = digits[record.build_id[i] >> 4];
    text[2 * i + 1] = digits[record.build_id[i] & 15];
  }
  text[2 * record.build_id_bytes] = 0;
  json.text("build_id", text);
}

void write_callsites(JsonWriter &json) {
  if (!live->site_depth) return;
  json.new_line();
  json.begin_object("callsites");
  json.number("depth", live->site_depth);
  json.text("foreign_python", live->foreign_python);
  write_records<wire::ModuleRecord>(json, "modules", wire::Item::modules, [&](const wire::ModuleRecord &record) {
    json.begin_object();
    json.text("path", record.path);
    write_build_id(json, record);
    json.boolean("python", record.python != 0);
    json.end_object();
  });
  write_records<wire::FrameRecord>(json, "frames", wire::Item::frames, [&](const wire::FrameRecord &record) {
    json.begin_object();
    json.number("module", record.module == wire::none_module ? -1 : static_cast<std::int64_t>(record.module));
    json.unsigned_number("offset", record.offset);
    json.text("function", record.function);
    json.end_object();
  });
  write_records<wire::SiteRecord>(json, "sites", wire::Item::sites, [&](const wire::SiteRecord &record) {
    json.begin_array();
    for (std::uint32_t i = 0; i < record.count; ++i) json.element(record.frames[i]);
    json.end_array();
  });
  json.end_object();
}

}  // namespace

void write_record(JsonWriter &json) {
  json.begin_object();
  write_head(json);
  write_times(json);
  write_current(json);
  write_communicators(json);
  write_callsites(json);
  write_calls(json);
  write_signatures(json);
  json.new_line();
  json.boolean("end", true);
  json.end_object();
}

namespace {

bool write_file(const char *path) {
  unlink(path);  // whatever lies there is no part of ours: nothing is written through a link
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return false;
  fchmod(file, 0600);  // the program's mask may take the owner's own rights
  static JsonWriter json(-1);
  new (&json) JsonWriter(file);
  write_record(json);
  bool written = json.finish();
  return close(file) == 0 && written;
}

}  // namespace

bool write_dump(const char *run_dir) {
  // A limit on file sizes would send the program SIGXFSZ: the live block, which is there already, then stays the truth.
  rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < (64u << 20)) return false;
  static char path[4096 + 256], temporary[4096 + 256];
  copy_text(path, sizeof path, run_dir);
  append_text(path, sizeof path, "/");
  append_text(path, sizeof path, wire::dump_prefix);
  append_text(path, sizeof path, live->world_key);
  append_text(path, sizeof path, "-");
  append_number(path, sizeof path, static_cast<std::uint64_t>(live->rank));
  append_text(path, sizeof path, wire::dump_suffix);
  copy_text(temporary, sizeof temporary, path);
  append_text(temporary, sizeof temporary, ".part");
  if (write_file(temporary) && rename(temporary, path) == 0) return true;
  unlink(temporary);
  return false;
}

}  // namespace scope::preload
