#pragma once
// A small profile made by hand: four ranks, four procedures, names that try to break a layout. Sums fit together.

#include <string>

#include "analyze/efficiency.hpp"
#include "model/profile.hpp"

namespace scope::test {

inline const std::string long_call = "MPI_Neighbor_alltoallw_init_with_a_name_that_never_seems_to_end_c";
inline const std::string wide_host = "計算ノード";                  // ten columns, five characters
inline const std::string markup_name = "a|b `c` <i>\"d\", e</i>";  // Markdown, HTML and CSV
inline const std::string control_name = "\x1b[31mred\r\nline";     // colours and line ends

inline model::Rank sample_rank(int rank, const std::string &host, std::int64_t mpi_ns) {
  model::Rank result;
  result.rank = rank;
  result.host = host;
  result.pid = 1000 + rank;
  result.executable = "/opt/sim/heat";
  result.status = "finalized";
  result.wall_ns = 10'000'000;
  result.mpi_ns = mpi_ns;
  result.cpu_ns = 9'000'000;
  result.max_rss_bytes = 64 << 20;
  result.overhead_ns = 200 * (rank + 1);
  return result;
}

inline model::CallRow sample_call(const std::string &name, const std::string &kind, model::PerRank per_rank) {
  model::CallRow row;
  row.name = name;
  row.kind = kind;
  for (std::int64_t calls : per_rank.calls) row.calls += calls;
  for (std::int64_t time : per_rank.total_ns) row.total_ns += time;
  for (std::int64_t bytes : per_rank.bytes_sent) row.bytes_sent += bytes;
  for (std::int64_t bytes : per_rank.bytes_received) row.bytes_received += bytes;
  row.mean_ns = static_cast<double>(row.total_ns) / static_cast<double>(row.calls);
  row.min_ns = 1'000;
  row.max_ns = 600'000;
  row.p50_ns = 90'000;
  row.p95_ns = 500'000;
  row.p99_ns = 590'000;
  row.per_rank = std::move(per_rank);
  return row;
}

inline void add_sample_calls(model::Profile &profile) {
  profile.calls = {
      sample_call("MPI_Allreduce", "collective",
                  {{2, 2, 2, 2}, {500'000, 1'000'000, 1'500'000, 1'000'000}, {16, 16, 16, 16}, {16, 16, 16, 16}}),
      sample_call("MPI_Recv", "point-to-point", {{0, 10, 0, 5}, {0, 800'000, 0, 700'000}, {0, 0, 0, 0}, {0, 10'240, 0, 20'480}}),
      sample_call(long_call, "collective", {{1, 1, 1, 1}, {200'000, 200'000, 800'000, 300'000}, {0, 0, 0, 0}, {0, 0, 0, 0}}),
      sample_call("MPI_Send", "point-to-point", {{10, 0, 5, 0}, {300'000, 0, 700'000, 0}, {10'240, 0, 20'480, 0}, {0, 0, 0, 0}}),
  };
}

inline model::SignatureRow sample_signature(const std::string &call, int comm, std::int64_t calls, std::int64_t total_ns,
                                            std::int64_t bytes_sent) {
  model::SignatureRow row;
  row.call = call;
  row.comm = comm;
  row.calls = calls;
  row.total_ns = total_ns;
  row.bytes_sent = bytes_sent;
  return row;
}

inline model::CommunicatorRow sample_communicator(int id, const std::string &name, int size, std::int64_t calls,
                                                  std::int64_t total_ns, std::int64_t bytes) {
  model::CommunicatorRow row;
  row.id = id;
  row.name = name;
  row.size = size;
  row.calls = calls;
  row.total_ns = total_ns;
  row.bytes = bytes;
  return row;
}

inline void add_sample_communicators(model::Profile &profile) {
  profile.signatures = {sample_signature("MPI_Allreduce", 0, 6, 3'000'000, 48), sample_signature("MPI_Recv", 0, 15, 1'500'000, 0),
                        sample_signature(long_call, 2, 4, 1'500'000, 0), sample_signature("MPI_Allreduce", 1, 2, 1'000'000, 16),
                        sample_signature("MPI_Send", 0, 15, 1'000'000, 30'720)};
  profile.communicators = {sample_communicator(0, "MPI_COMM_WORLD", 4, 36, 5'500'000, 30'768),
                           sample_communicator(1, markup_name, 2, 2, 1'000'000, 16),
                           sample_communicator(2, control_name, 4, 4, 1'500'000, 0)};
}

/// U = 9, 8, 7, 8 ms of 10: load balance 8/9, communication 0.9, parallel efficiency 0.8. MPI is 8 of 40 ms.
inline model::Profile sample_profile() {
  model::Profile profile;
  profile.metadata.command = {"mpiexec", "-n", "4", "./heat", "it's hot"};
  profile.metadata.started = "2024-05-01T12:00:00Z";
  profile.metadata.hosts = {"node1", wide_host};
  profile.metadata.launcher = "openmpi";
  profile.metadata.mpi_library = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4";
  profile.worlds.emplace_back();
  profile.worlds[0].size = 4;
  profile.worlds[0].ranks_reported = 4;
  profile.ranks = {sample_rank(0, "node1", 1'000'000), sample_rank(1, "node1", 2'000'000), sample_rank(2, wide_host, 3'000'000),
                   sample_rank(3, wide_host, 2'000'000)};
  add_sample_calls(profile);
  add_sample_communicators(profile);
  profile.totals.wall_ns = 10'000'000;
  profile.totals.wall_sum_ns = 40'000'000;
  profile.totals.mpi_ns = 8'000'000;
  profile.totals.mpi_share = 0.2;
  profile.totals.calls = 42;
  profile.totals.bytes_sent = 30'784;
  profile.totals.bytes_received = 30'784;
  profile.totals.overhead_ns = 2'000;
  profile.peers.p2p = {{0, 0}, {0, 2}, {1, 3}, {10, 5}, {10'240, 20'480}};
  profile.peers.rma = {{0}, {1}, {0}, {4}, {10'240}};
  profile.sizes = {{"MPI_Allreduce", 8, 15, 8, 64, 4'000'000},
                   {"MPI_Send", 1024, 2047, 10, 10'240, 300'000},
                   {"MPI_Send", 4096, 8191, 5, 20'480, 700'000}};
  analyze::analyze(profile);
  return profile;
}

/// The sample after an accident: a fifth rank never reported, rank 2 was killed, and there are warnings.
inline model::Profile broken_profile(int warnings) {
  model::Profile profile = sample_profile();
  profile.metadata.exit_status = 137;
  profile.worlds[0].size = 5;
  profile.worlds[0].missing = {4};
  profile.worlds[0].complete = false;
  profile.complete = false;
  profile.ranks[2].status = "killed";
  profile.ranks[2].signal = 9;
  profile.ranks[2].in_call = "MPI_Send";
  for (int i = 0; i < warnings; ++i)
    profile.warnings.push_back({"warning-" + std::to_string(i),
                                "The file of rank " + std::to_string(i) +
                                    " could not be read: it ends in the middle of a number, which is what a full disk leaves; " +
                                    "free some space and run again, or look at what is left with --keep-dumps."});
  return profile;
}

}  // namespace scope::test
