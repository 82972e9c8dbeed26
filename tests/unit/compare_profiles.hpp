#pragma once
// Series made by hand: a profile of two ranks with repetitions of given wall times.

#include <string>
#include <vector>

#include "compare/measurements.hpp"
#include "compare/verdict.hpp"
#include "model/repeats.hpp"

namespace scope::test {

/// Ranks compute 60 % and are in MPI_Allreduce for 40 % of `wall_ns`; 100 calls of 8 bytes, 10 messages of 80 bytes 0 -> 1.
inline model::Profile series_run(double wall_ns, std::int64_t allreduces = 200) {
  model::Profile profile;
  const auto wall = static_cast<std::int64_t>(wall_ns), mpi = wall * 4 / 10;
  profile.metadata.command = {"mpiexec", "-n", "2", "/a/sim"};
  profile.metadata.mpi_library = "Open MPI v4.1.4";
  profile.metadata.hosts = {"node1"};
  profile.metadata.started = "2026-01-02T03:04:05Z";
  profile.metadata.run_id = "0123456789abcdef";
  profile.worlds = {{0, 2, std::nullopt, 2, {}, true, ""}};
  for (int rank = 0; rank < 2; ++rank) {
    model::Rank row;
    row.rank = rank;
    row.host = "node1";
    row.status = "finalized";
    row.wall_ns = wall;
    row.mpi_ns = mpi;
    profile.ranks.push_back(row);
  }
  model::CallRow call;
  call.name = "MPI_Allreduce";
  call.kind = "collective";
  call.calls = allreduces;
  call.total_ns = 2 * mpi;
  call.p50_ns = call.p95_ns = call.p99_ns = call.max_ns = mpi / 100;
  call.bytes_sent = call.bytes_received = 8 * allreduces;
  call.per_rank = {{allreduces / 2, allreduces / 2}, {mpi, mpi}, {4 * allreduces, 4 * allreduces}, {4 * allreduces, 4 * allreduces}};
  profile.calls = {call};
  profile.totals = {wall, 2 * wall, 2 * mpi, 0.4, allreduces, 8 * allreduces, 8 * allreduces, 0};
  profile.efficiency = {0.6, 1.0, 0.6};
  profile.peers.p2p = {{0}, {0}, {1}, {10}, {800}};
  model::CommunicatorRow comm;
  comm.name = "MPI_COMM_WORLD";
  comm.size = 2;
  comm.calls = allreduces;
  profile.communicators = {comm};
  model::SignatureRow signature;
  signature.call = "MPI_Allreduce";
  signature.comm = 0;
  signature.calls = allreduces;
  signature.bytes_sent = 8 * allreduces;
  profile.signatures = {signature};
  return profile;
}

inline model::Profile series(const std::vector<double> &walls, std::int64_t allreduces = 200) {
  std::vector<model::Repetition> repetitions;
  for (double wall : walls) repetitions.push_back({series_run(wall, allreduces), static_cast<std::int64_t>(wall) + 1});
  return model::join_repeats(std::move(repetitions));
}

inline compare::Measurements measured(const std::vector<double> &walls, std::int64_t allreduces = 200) {
  return compare::measurements_of(series(walls, allreduces));
}

inline compare::Measurements measured(const model::Profile &profile) { return compare::measurements_of(profile); }

/// The verdict of a metric; a metric that is not there fails the test by its empty name.
inline compare::Verdict verdict_of(const compare::CheckResult &result, const std::string &metric) {
  for (const compare::Verdict &verdict : result.verdicts)
    if (verdict.metric == metric) return verdict;
  return {};
}

}  // namespace scope::test
