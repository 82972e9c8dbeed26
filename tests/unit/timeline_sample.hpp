#pragma once
// Timelines for tests.

#include <filesystem>

#include "timeline/file.hpp"

namespace scope::test {

/// Two ranks on two hosts; rank 0 has two threads, a region, a Waitall that completes two requests and a Sendrecv.
inline timeline::Timeline small_timeline() {
  using namespace timeline;
  using wire::Call;
  Timeline line;
  line.header.start_unix_ns = 1'700'000'000'000'000'000;
  line.header.run_id = "run-1";
  line.header.ranks = {{.world = 0, .rank = 0, .host = "node1", .begin = 0, .end = 9000, .from = 0, .to = 9000, .threads = 2},
                       {.world = 0,
                        .rank = 1,
                        .host = "node\"2\"",
                        .begin = 5,
                        .end = 8000,
                        .from = 5,
                        .to = 7000,
                        .dropped = 3,
                        .clock_error = 250}};
  line.header.communicators = {{.id = 0, .world = 0, .size = 2, .remote_size = 0, .members = {0, 1}}};
  line.header.regions = {"solve", "solve/halo"};
  line.signatures = {{.call = Call::MPI_Isend, .comm = 0, .peer = 1, .tag = 7, .bytes = 80},
                     {.call = Call::MPI_Irecv, .comm = 0, .tag = 7, .bytes = 80},
                     {.call = Call::MPI_Waitall, .request_call = Call::MPI_Isend, .comm = 0, .peer = 1, .tag = 7, .bytes = 80},
                     {.call = Call::MPI_Waitall, .request_call = Call::MPI_Irecv, .comm = 0, .peer = 1, .tag = 7, .bytes = 64},
                     {.call = Call::MPI_Sendrecv, .comm = 0, .peer = 1, .tag = -2, .bytes = 8, .site = 2},
                     {.call = Call::MPI_Bcast, .comm = 0, .root = 1, .bytes = std::int64_t{1} << 40},
                     {.call = Call::MPI_Recv, .comm = 0, .peer = 0, .tag = 7, .bytes = 80}};
  line.events = {{{.begin = 10, .end = 8000, .what = 0, .kind = Kind::region},
                  {.begin = 10, .end = 900, .what = 1, .kind = Kind::region},
                  {.begin = 20, .end = 30, .what = 0},
                  {.begin = 25, .end = 1025, .what = 5, .thread = 1},
                  {.begin = 31, .end = 35, .what = 1},
                  {.begin = 40, .end = 600, .what = 2, .start = 2},
                  {.begin = 40, .end = 600, .what = 3, .start = 4, .kind = Kind::completion},
                  {.begin = 950, .end = 1200, .what = 4},
                  {.begin = 950, .end = 1200, .what = 6, .kind = Kind::receive}},
                 {{.begin = 100, .end = 5'000, .what = 6}, {.begin = 5'000, .end = 5'000, .what = 0}}};
  return line;
}

inline void write_timeline(const std::filesystem::path &file, const timeline::Timeline &line) {
  timeline::Writer writer(file, line.header);
  for (std::uint32_t rank = 0; rank < line.events.size(); ++rank) writer.add(rank, line.events[rank], line.signatures);
  writer.finish();
}

}  // namespace scope::test
