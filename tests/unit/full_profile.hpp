#pragma once
// A profile in which every field holds a value of its own, so that a field that gets lost or mixed up shows.

#include "model/profile.hpp"

namespace scope::test {

template <class Next>
model::TimelineResults full_timeline_results(Next n) {
  model::TimelineResults results;
  results.info = {"trace.timeline", n(), -5, n(), false};
  results.waiting_ns = n();
  results.path_ns = n();
  results.wait_states = {{"late-sender", 1, 2, "MPI_Waitall", "MPI_Irecv", 0, 4, -1, 6, 7, n(), n(), n()},
                         {"late-broadcast", 0, -1, "MPI_Bcast", "", -1, -1, 3, -1, -1, n(), n(), n()}};
  results.calls = {{"MPI_Waitall", n(), n(), n(), n()}};
  results.ranks = {{0, 1}, {0, 2}, {n(), n()}, {n(), n()}, {n(), n()}, {n(), n()}};
  results.delays = {{1, 2, "main/solve", "", n()}, {0, -1, "", "MPI_Send", n()}};
  results.critical_path = {{1, 2, "main/solve", "", n()}, {0, -1, "", "MPI_Send", n()}};
  results.unmatched = {{1, 0, 2, 3, -1, n(), n()}};
  results.efficiency = {0.5, 0.625, std::nullopt, 0.8125, 1.0 / 7, n(), n(), true};
  results.notes = {n(), n(), n(), n(), n(), n(), n(), n(), n(), n(), n(), {{0, 3}}, {{1, 14}, {1, 15}}};
  return results;
}

inline model::Profile full_profile() {
  using namespace model;
  Profile profile;
  std::int64_t next = 100;
  auto n = [&next] { return ++next; };
  auto per_rank = [&] { return PerRank{{n(), n()}, {n(), n()}, {n(), n()}, {n(), n()}}; };
  profile.metadata = {{"mpiexec", "-n", "2", "./sim", "\xc3\xb6 \"x\"\n\x01"},
                      "label",
                      {{"branch", "main"}, {"k", ""}},
                      "2024-01-02T03:04:05Z",
                      {"node1", "node2"},
                      "openmpi",
                      "Open MPI v4.1.4",
                      "3.1",
                      139,
                      "A CPU",
                      "scope-profiler@0.0.0",
                      "run-1",
                      {{"id", "42"}, {"system", "slurm"}}};
  profile.worlds = {{0, 1, std::nullopt, 1, {}, true, ""}, {1, 3, 0, 1, {1, 2}, false, "", false}};
  profile.ranks = {{0, 0, "node1", n(), "/a", "finalized", 0, std::nullopt, "", n(), n(), n(), n(), n(), 1, 60, 61, 62, 63},
                   {1, 0, "node2", n(), "/b", "killed", 9, 3, "MPI_Recv", n(), n(), n(), n(), n(), 4, 64, 65, 66, 67}};
  profile.totals = {n(), n(), n(), 0.1, n(), n(), n(), n()};
  profile.efficiency = {0.7, std::nullopt, 1.0 / 3};
  CallRow call{"MPI_Send", "point-to-point", n(), n(), n(), n(), n(), 1.5, 1e-7, n(), n(), n(), n(), n(), 0.25, per_rank()};
  profile.calls = {call};
  profile.communicators = {{0, 0, "MPI_COMM_WORLD", 2, 0, false, false, n(), n(), n()},
                           {1, 1, "", 3, 4, true, true, n(), n(), n()}};
  profile.signatures = {{"mpi:send", 1, "MPI_Send", 1, 2, 3, 4, 5, "", n(), n(), n(), n(), n(), n(), n(), n(), {0, 2}},
                        {"mpi:wait", 0, "MPI_Wait", -1, -1, -1, -2, -1, "irecv", n(), n(), n(), n(), n(), n(), n(), n(), {0}}};
  profile.peers = {{{0, 1}, {2, 3}, {4, 5}, {n(), n()}, {n(), n()}}, {{1}, {6}, {7}, {n()}, {9223372036854775807}}};
  profile.sizes = {{"MPI_Send", 4, 7, n(), n(), n()}};
  profile.regions = {{"solve", "main/solve", n(), n(), n(), n(), n(), n(), per_rank(), "solve.c", 12, 91, 92, 93, {94, 95}, {96, 97}, {98, 99}},
                     {"other", "other", n(), n(), n(), n(), n(), n(), per_rank(), "", 0, 0, 0, 0, {}, {}, {}}};
  profile.callsites = {{1, "MPI_Send", "point-to-point",
                        {{"/opt/sim", "0a1b", n(), false, "solver::step", "/src/sim.cpp", 77}, {"", "", 0, true, "größe", "/src/run.py", 5}},
                        n(), n(), n(), n(), n(), n(), n(), n(), {0, 2}},
                       {0, "MPI_Wait", "wait", {}, n(), n(), n(), n(), n(), n(), n(), n(), {0}}};
  profile.findings = {{"late-sender", "high", "text", {{"share", 0.5}, {"waits", 12}}, 1.25}};
  profile.timeline_results = full_timeline_results(n);
  profile.warnings = {{"ranks-missing", "2 ranks"}};
  profile.complete = false;
  return profile;
}

}  // namespace scope::test
