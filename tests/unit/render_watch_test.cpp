#include "render/watch.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/text.hpp"

using namespace scope::analyze;
using namespace scope::render;
using scope::model::Doing;

namespace {

constexpr std::int64_t s = 1'000'000'000;

WatchRank row(int rank, Doing doing, const std::string &call, int peer, std::int64_t since_ns) {
  WatchRank result;
  result.rank = rank;
  result.host = "node1";
  result.pid = 100 + rank;
  result.doing = doing;
  result.call = call;
  result.peer = peer;
  result.comm = doing == Doing::in_call ? 0 : -1;
  result.comm_name = doing == Doing::in_call ? "MPI_COMM_WORLD" : "";
  result.since_ns = since_ns;
  result.rates = {0.5, 1234.4, 2048, 0};
  result.counts = {12345, 1 << 20, 2 << 20, 7 * s};
  return result;
}

Watched sample() {
  Watched watched;
  watched.ranks = {row(0, Doing::in_call, "MPI_Recv", 1, 12 * s), row(1, Doing::computing, "", -1, 0),
                   row(2, Doing::in_call, "MPI_Recv", 1, 3 * s), row(3, Doing::gone, "", -1, 0)};
  watched.ranks[3].end = scope::model::RankStatus::finalized;
  watched.ranks[3].rates = {};
  watched.states = {{watched.ranks[0], {0, 2}, false, 3 * s, 12 * s}, {watched.ranks[1], {1}, false, 0, 0}, {watched.ranks[3], {3}, false, 0, 0}};
  watched.totals = {4, 2, 1, 0, 1, 0, {0.5, 3703.2, 6144, 0}, {49380, 4 << 20, 8 << 20, 28 * s}};
  return watched;
}

const WatchJob job{"/scratch/.scope-profiler-abc", "run-1", "2024-05-06T07:08:09Z", {"mpiexec", "-n", "4", "./my sim"}};

Style style_of(int width) { return {false, false, width}; }

TEST(WatchScreen, RanksInAFixedWidth) {
  EXPECT_EQ(watch_screen(sample(), job, {}, style_of(106), 24, "q quits"),
            "scope-profiler watch: mpiexec -n 4 './my sim'\n"
            "4 ranks: 2 in MPI, 1 computing, 1 gone; started 2024-05-06T07:08:09Z\n"
            "MPI 50.0 %, 3,703 calls/s, 6.00 KiB/s sent, 0 B/s received\n"
            "So far 49,380 calls, 4.00 MiB sent, 8.00 MiB received\n"
            "rank  does              peer  tag  communicator      since     MPI  calls/s    sent/s  received/s  host\n"
            "   0  MPI_Recv             1    -  MPI_COMM_WORLD  12.00 s  50.0 %    1,234  2.00 KiB         0 B  node1\n"
            "   2  MPI_Recv             1    -  MPI_COMM_WORLD  3.000 s  50.0 %    1,234  2.00 KiB         0 B  node1\n"
            "   1  computing            -    -                        -  50.0 %    1,234  2.00 KiB         0 B  node1\n"
            "   3  gone (finalized)     -    -                        -       -        -         -           -  node1\n"
            "q quits\n");
}

TEST(WatchScreen, AStallIsAWarning) {
  Watched watched = sample();
  watched.still_ns = 12 * s + 1;
  watched.stall = StallReport{{"states are in the table"}, {"Deadlock: rank 0 waits for rank 1, rank 1 for rank 0."}};
  const std::string screen = watch_screen(watched, job, {}, {true, false, 80}, 24, "");
  EXPECT_NE(screen.find("\x1b[33mWarning: no rank made progress for 12 s.\x1b[0m\n"
                        "\x1b[33mDeadlock: rank 0 waits for rank 1, rank 1 for rank 0.\x1b[0m\n"),
            std::string::npos);
  EXPECT_EQ(screen.find("in the table"), std::string::npos);
}

/// A thousand ranks, each in a Recv from another one, and two states more.
Watched many() {
  Watched watched;
  for (int i = 0; i < 1000; ++i) watched.ranks.push_back(row(i, Doing::in_call, "MPI_Recv", (i + 1) % 1000, s));
  WatchState receiving{watched.ranks[0], {}, true, s, s};
  receiving.first.peer = -1;
  for (int i = 0; i < 1000; ++i) receiving.ranks.push_back(i);
  watched.states = {receiving};
  watched.totals.ranks = watched.totals.in_call = 1000;
  return watched;
}

TEST(WatchScreen, ManyRanksAreShownByState) {
  const std::string screen = watch_screen(many(), job, {}, style_of(100), 24, "q quits");
  EXPECT_NE(screen.find("ranks  which  does      peer  tag  communicator      since"), std::string::npos) << screen;
  EXPECT_NE(screen.find("1,000  0-999  MPI_Recv  many    -  MPI_COMM_WORLD  1.000 s"), std::string::npos) << screen;
}

TEST(WatchScreen, FitsEveryWindow) {
  for (int width : {40, 57, 80, 200})
    for (int height : {8, 10, 24, 60})
      for (WatchRows rows : {WatchRows::automatic, WatchRows::ranks, WatchRows::states})
        for (const Watched &watched : {sample(), many()}) {
          WatchOptions options;
          options.rows = rows;
          const std::string screen = watch_screen(watched, job, options, style_of(width), height, "q quits");
          int lines = 0;
          for (std::size_t begin = 0, end; (end = screen.find('\n', begin)) != std::string::npos; begin = end + 1) {
            ++lines;
            EXPECT_LE(scope::support::display_width(screen.substr(begin, end - begin)), width) << screen;
          }
          EXPECT_LE(lines, height) << screen;
          EXPECT_TRUE(screen.ends_with("q quits\n"));
        }
}

TEST(WatchScreen, RowsThatHaveNoRoomAreCounted) {
  WatchOptions options;
  options.rows = WatchRows::ranks;
  const std::string screen = watch_screen(many(), job, options, style_of(80), 10, "q quits");
  EXPECT_NE(screen.find("\n... and 996 more\nq quits\n"), std::string::npos) << screen;
  options.top = 1;
  EXPECT_NE(watch_screen(many(), job, options, style_of(80), 24, "").find("\n... and 999 more\n"), std::string::npos);
}

TEST(WatchLines, OneStateALine) {
  Watched watched = sample();
  watched.still_ns = 12 * s;
  watched.stall = StallReport{{}, {"Rank 1 is late."}};
  EXPECT_EQ(watch_lines(watched, {}, "07:08:09"),
            "07:08:09 4 ranks: 2 in MPI, 1 computing, 1 gone; MPI 50.0 %, 3,703 calls/s, 6.00 KiB/s sent, 0 B/s received\n"
            "  ranks 0,2: MPI_Recv, peer 1 on MPI_COMM_WORLD, since 12.00 s\n"
            "  rank 1: computing\n"
            "  rank 3: gone (finalized)\n"
            "  Warning: no rank made progress for 12 s.\n"
            "  Rank 1 is late.\n");
}

TEST(WatchJson, EveryValue) {
  const std::string text = watch_json(sample(), job, {}, s, true);
  EXPECT_EQ(text.find('\n'), text.size() - 1) << "one line";
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["job"], nlohmann::json::parse(R"({"directory": "/scratch/.scope-profiler-abc", "run_id": "run-1",
    "started": "2024-05-06T07:08:09Z", "command": ["mpiexec", "-n", "4", "./my sim"]})"));
  EXPECT_EQ(json["interval_ns"], s);
  EXPECT_EQ(json["totals"], nlohmann::json::parse(R"({"ranks": 4, "in_call": 2, "computing": 1, "asking": 0, "gone": 1,
    "unreported": 0, "mpi_share": 0.5, "calls_per_s": 3703.2, "bytes_sent_per_s": 6144.0, "bytes_received_per_s": 0.0,
    "calls": 49380, "bytes_sent": 4194304, "bytes_received": 8388608, "mpi_ns": 28000000000})"));
  ASSERT_EQ(json["ranks"].size(), 4u);
  EXPECT_EQ(json["ranks"][0], nlohmann::json::parse(R"({"world": 0, "rank": 0, "host": "node1", "pid": 100,
    "doing": "in-call", "end": null, "call": "MPI_Recv", "request": null, "comm": 0, "comm_name": "MPI_COMM_WORLD", "peer": 1,
    "tag": null, "bytes": null, "since_ns": 12000000000, "mpi_share": 0.5, "calls_per_s": 1234.4, "bytes_sent_per_s": 2048.0,
    "bytes_received_per_s": 0.0, "calls": 12345, "bytes_sent": 1048576, "bytes_received": 2097152, "mpi_ns": 7000000000})"));
  EXPECT_EQ(json["ranks"][3]["end"], "finalized");
  EXPECT_TRUE(json["ranks"][3]["since_ns"].is_null());
  ASSERT_EQ(json["states"].size(), 3u);
  EXPECT_EQ(json["states"][0]["ranks"], (std::vector<int>{0, 2}));
  EXPECT_EQ(json["states"][0]["since_min_ns"], 3 * s);
  EXPECT_TRUE(json["stall"].is_null());
  WatchOptions options;
  options.top = 1;
  EXPECT_EQ(nlohmann::json::parse(watch_json(sample(), job, options, 0, false))["ranks"].size(), 1u);
}

}  // namespace
