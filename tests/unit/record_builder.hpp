#pragma once
// Rank records made by hand, and their dump's text.

#include <algorithm>
#include <string>
#include <vector>

#include "model/rank_record.hpp"
#include "wire/live_block.hpp"

namespace scope::test {

/// A rank of world "w0" whose ticks are nanoseconds: MPI_Init entered at 1,000, MPI_Finalize left at 101,000.
inline model::RankRecord record_of(int rank, int size) {
  model::RankRecord record;
  record.source = "rank-w0-" + std::to_string(rank) + ".json";
  record.run_id = "run-1";
  record.host = "node1";
  record.executable = "/opt/sim";
  record.library = "Open MPI v4.1.4";
  record.family = "openmpi";
  record.world_key = "w0";
  record.standard_major = 3;
  record.standard_minor = 1;
  record.rank = rank;
  record.size = size;
  record.pid = 100 + static_cast<std::uint32_t>(rank);
  record.start_time = 7;
  record.status = model::RankStatus::finalized;
  record.clock = "monotonic";
  record.scale = {0, 0, 200000, 200000};
  record.unix_ns = 1700000000000000000u;
  record.begin = 1000;
  record.end = record.last_seen = 101000;
  model::CommInfo world;
  world.key = wire::comm_key_world;
  world.name = "MPI_COMM_WORLD";
  world.size = size;
  record.comms = {world};
  return record;
}

inline model::Signature signature(const std::string &call, std::uint64_t calls, std::uint64_t total) {
  model::Signature signature;
  signature.call = call;
  signature.calls = calls;
  signature.total = total;
  signature.min = signature.max = calls > 0 ? total / calls : total;
  signature.sum_sq = calls > 0 ? static_cast<double>(total) * static_cast<double>(total) / static_cast<double>(calls) : 0;
  return signature;
}

/// A send on MPI_COMM_WORLD.
inline model::Signature send_to(int peer, std::int64_t bytes, std::uint64_t calls, std::uint64_t total,
                                const std::string &call = "MPI_Send") {
  model::Signature result = signature(call, calls, total);
  result.comm = 0;
  result.peer = peer;
  result.tag = 0;
  result.bytes = bytes;
  result.bytes_sent = calls * static_cast<std::uint64_t>(bytes);
  return result;
}

/// Statistics of calls that all took the same time, and of several groups of such calls.
inline void add_calls(model::RankRecord &record, const std::string &name, std::uint64_t calls, std::uint64_t ticks) {
  model::CallStats *stats = nullptr;
  for (model::CallStats &known : record.calls)
    if (known.name == name) stats = &known;
  if (!stats) {
    stats = &record.calls.emplace_back();
    stats->name = name;
    stats->min = ticks;
    stats->histogram.resize(wire::histogram_buckets);
  }
  stats->calls += calls;
  stats->total += calls * ticks;
  stats->min = std::min(stats->min, ticks);
  stats->max = std::max(stats->max, ticks);
  stats->sum_sq += static_cast<double>(calls) * static_cast<double>(ticks) * static_cast<double>(ticks);
  stats->histogram[static_cast<std::size_t>(wire::histogram_bucket(ticks))] += calls;
}

/// A rank dump as the shim writes it: rank 1 of 4 with one call and two signatures.
inline std::string dump_text() {
  return R"({"format":"scope-profiler-rank","format_version":1,"exporter":"scope-profiler@0.1.0","run_id":"run-1",
"world":{"key":"w0","parent":"","size":4,"rank":1},
"process":{"host":"node1","boot_id":"boot-1","pid":4711,"start_time":77,"executable":"/opt/sim",
"threads":1,"cpu_ns":5000,"max_rss_bytes":4096},
"mpi":{"family":"openmpi","library":"Open MPI v4.1.4","standard":[3,1],"thread_level":0},
"status":"finalized","abort_code":0,
"clock":{"kind":"tsc","unix_ns":1700000000000000000,"first":[900,5000],"last":[51000,105200],"begin":1000,"end":50000},
"mpi_ticks":70,"cost_ticks":12.5,"untracked_requests":1,"lost_entries":2,"abandoned":3,
"folded":{"tags":4,"bytes":5,"peers":6,"communicators":7},
"in_call":[{"call":"MPI_Recv","peer":2,"tag":9,"bytes":100,"comm":0,"since":49000}],
"communicators":[{"key":"0000000000000000","name":"MPI_COMM_WORLD","size":4,"remote_size":0,"foreign":false,"merged":false},
{"key":"fedcba9876543210","name":"","size":2,"remote_size":3,"foreign":true,"merged":false}],
"calls":[{"name":"MPI_Send","calls":2,"errors":1,"total":30,"min":10,"max":20,"sum_sq":500.0,"bytes_sent":16,"bytes_received":0,
"histogram":[[10,1],[20,1]]}],
"signatures":[{"call":"MPI_Send","request":"","comm":0,"peer":2,"root":-1,"tag":-2,"bytes":8,"completions":0,
"calls":2,"errors":1,"total":30,"min":10,"max":20,"sum_sq":500.0,"bytes_sent":16,"bytes_received":0},
{"call":"MPI_Wait","request":"MPI_Irecv","comm":-1,"peer":-1,"root":-1,"tag":-1,"bytes":-1,"completions":3,
"calls":1,"errors":0,"total":40,"min":40,"max":40,"sum_sq":1600,"bytes_sent":0,"bytes_received":24}],
"end":true})";
}

/// `text` with `from`, which must be there once, replaced.
inline std::string changed(std::string text, const std::string &from, const std::string &to) {
  std::size_t at = text.find(from);
  return at == std::string::npos || text.find(from, at + 1) != std::string::npos ? "bad test" : text.replace(at, from.size(), to);
}

}  // namespace scope::test
