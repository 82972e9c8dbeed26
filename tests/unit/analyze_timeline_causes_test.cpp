// Delays' origins, the critical path, efficiencies.

#include <gtest/gtest.h>

#include "analyze/timeline.hpp"
#include "analyze/timeline_track.hpp"
#include "timeline_builder.hpp"

namespace {

using namespace scope;
using namespace scope::test;

model::TimelineResults results_of(const TimelineBuilder &built) { return analyze::analyze_timeline(built.timeline()); }

using Rows = std::vector<std::tuple<int, std::string, std::string, std::int64_t>>;
Rows delays_of(const model::TimelineResults &results) {
  Rows rows;
  for (const auto &row : results.delays) rows.emplace_back(row.rank, row.region, row.call, row.caused_ns);
  return rows;
}
Rows path_of(const model::TimelineResults &results) {
  Rows rows;
  for (const auto &row : results.critical_path) rows.emplace_back(row.rank, row.region, row.call, row.path_ns);
  return rows;
}
std::int64_t sum_of(const Rows &rows) {
  std::int64_t sum = 0;
  for (const auto &row : rows) sum += std::get<3>(row);
  return sum;
}

TEST(TimelineTrack, IsWhatARankDidWhen) {
  TimelineBuilder built(1, 100);
  built.region(0, 10, 60, "a");
  built.add(0, 20, 30, on(Call::MPI_Barrier));
  built.region(0, 30, 50, "a/b");
  built.add(0, 40, 50, on(Call::MPI_Allreduce));
  built.add(0, 70, 80, on(Call::MPI_Barrier));
  const analyze::Recording recording(built.timeline());
  const analyze::Track track = analyze::tracks_of(recording).at(0);
  std::vector<std::tuple<std::int64_t, std::string, std::string>> stretches;
  for (const analyze::Stretch &stretch : track)
    stretches.emplace_back(stretch.begin, analyze::region_name(recording, stretch.activity), analyze::call_name(stretch.activity));
  EXPECT_EQ(stretches, (decltype(stretches){{10, "a", ""}, {20, "a", "MPI_Barrier"}, {30, "a/b", ""}, {40, "a/b", "MPI_Allreduce"},
                                            {50, "a", ""}, {60, "", ""}, {70, "", "MPI_Barrier"}, {80, "", ""}}));
  analyze::TrackCursor cursor(track);
  Rows walked;
  auto note = [&](analyze::Activity activity, std::int64_t ns) {
    walked.emplace_back(0, analyze::region_name(recording, activity), analyze::call_name(activity), ns);
  };
  cursor.walk(45, 75, note);
  cursor.walk(0, 25, note);
  EXPECT_EQ(walked, (Rows{{0, "", "MPI_Barrier", 5}, {0, "", "", 10}, {0, "a", "", 10}, {0, "a/b", "MPI_Allreduce", 5},
                          {0, "a", "MPI_Barrier", 5}, {0, "a", "", 10}, {0, "", "", 10}}));
}

/// Rank 1 sends late, since it computed in "solve" and did a collective with rank 2 before.
TEST(TimelineDelays, AreWhatTheLateRankDid) {
  TimelineBuilder built(3, 500);
  const auto pair = built.communicator({1, 2});
  built.add(0, 100, 310, to(Call::MPI_Recv, 1));
  built.add(1, 90, 140, on(Call::MPI_Allreduce, pair));
  built.region(1, 150, 290, "solve");
  built.add(1, 300, 305, to(Call::MPI_Send, 0));
  built.add(2, 90, 140, on(Call::MPI_Allreduce, pair));
  const auto results = results_of(built);
  EXPECT_EQ(results.waiting_ns, 200);
  EXPECT_EQ(delays_of(results), (Rows{{1, "solve", "", 140}, {1, "", "MPI_Allreduce", 40}, {1, "", "", 20}}));
  EXPECT_EQ(results.ranks.caused_ns, (std::vector<std::int64_t>{0, 200, 0}));
}

/// Rank 2 waits for rank 1, which waits for rank 0: both waits come from rank 0, as long as that one is what they wait for.
TEST(TimelineDelays, GoToTheEndOfTheChain) {
  TimelineBuilder built(3, 400);
  built.rank(2).end = built.rank(2).to = 500;
  built.add(0, 200, 201, to(Call::MPI_Send, 1));
  built.add(1, 50, 210, to(Call::MPI_Recv, 0));
  built.add(1, 260, 261, to(Call::MPI_Send, 2));
  built.add(2, 20, 265, to(Call::MPI_Recv, 1));
  const auto results = results_of(built);
  EXPECT_EQ(results.waiting_ns, 150 + 240);
  // Until 50, rank 1 computes; until 200 both wait for rank 0; then rank 1 receives (10) and computes (50).
  EXPECT_EQ(delays_of(results), (Rows{{0, "", "", 300}, {1, "", "", 30 + 50}, {1, "", "MPI_Recv", 10}}));
  EXPECT_EQ(results.notes.unattributed_ns, 0);
  EXPECT_EQ(path_of(results),
            (Rows{{2, "", "", 235}, {0, "", "", 200}, {1, "", "", 50}, {1, "", "MPI_Recv", 10}, {2, "", "MPI_Recv", 5}}));
  EXPECT_EQ(results.path_ns, 500);
}

/// Two threads of two ranks wait for each other crosswise: thread 0 of rank 0 for thread 1 of rank 1, and the other way round.
TEST(TimelineDelays, AreThoseOfTheThreadThatIsWaitedFor) {
  TimelineBuilder built(2, 500);
  for (std::size_t rank : {0u, 1u}) {
    const auto other = static_cast<std::int32_t>(1 - rank);
    built.thread = 0;
    built.add(rank, 10, 310, to(Call::MPI_Recv, other));
    built.thread = 1;
    built.region(rank, 20, 290, "work");
    built.add(rank, 300, 305, to(Call::MPI_Send, other));
  }
  const auto results = results_of(built);
  EXPECT_EQ(results.waiting_ns, 2 * 290);
  EXPECT_EQ(results.notes.unattributed_ns, 0);
  EXPECT_EQ(delays_of(results), (Rows{{0, "work", "", 270}, {1, "work", "", 270}, {0, "", "", 20}, {1, "", "", 20}}));
  EXPECT_EQ(sum_of(path_of(results)), 500);
}

/// What two ranks with jumped clocks seem to wait for each other is not charged to anybody, and nothing hangs.
TEST(TimelineDelays, RanksThatSeemToWaitForEachOther) {
  TimelineBuilder built(2, 500);
  built.add(0, 10, 400, to(Call::MPI_Recv, 1));
  built.add(0, 350, 360, to(Call::MPI_Send, 1));
  built.add(1, 10, 400, to(Call::MPI_Recv, 0));
  built.add(1, 300, 310, to(Call::MPI_Send, 0));
  const auto results = results_of(built);
  EXPECT_EQ(results.waiting_ns, 290 + 340);
  EXPECT_EQ(results.notes.unattributed_ns + sum_of(delays_of(results)), results.waiting_ns);
  EXPECT_EQ(results.notes.unattributed_ns, 290);
  EXPECT_EQ(sum_of(path_of(results)), 500);
  EXPECT_TRUE(results.efficiency.approximate);
}

/// Ten steps; in each, another of four ranks is slow.
TimelineBuilder steps() {
  TimelineBuilder built(4, 10'000);
  for (std::int64_t step = 0; step < 10; ++step)
    for (std::size_t rank = 0; rank < 4; ++rank) {
      const std::int64_t work = rank == static_cast<std::size_t>(step) % 4 ? 900 : 500;
      built.region(rank, step * 1000, step * 1000 + work, "work");
      built.add(rank, step * 1000 + work, step * 1000 + 1000, on(Call::MPI_Barrier));
    }
  return built;
}

TEST(TimelineCriticalPath, FollowsTheSlowRankOfEachStep) {
  const auto results = results_of(steps());
  EXPECT_EQ(results.waiting_ns, 10 * 3 * 400);
  EXPECT_EQ(delays_of(results), (Rows{{0, "work", "", 3600}, {1, "work", "", 3600}, {2, "work", "", 2400}, {3, "work", "", 2400}}));
  // Rank 0 is slow in steps 0, 4 and 8. The path goes from the end of rank 0 back to the slow rank of each step.
  const Rows path = path_of(results);
  EXPECT_EQ(sum_of(path), 10'000);
  std::int64_t work = 0, barriers = 0;
  for (const auto &[rank, region, call, ns] : path) (call.empty() ? work : barriers) += ns;
  EXPECT_EQ(work, 10 * 900);
  EXPECT_EQ(barriers, 10 * 100);
}

TEST(TimelineEfficiency, SplitsCommunicationIntoSerialisationAndTransfer) {
  const auto results = results_of(steps());
  const auto &split = results.efficiency;
  // Useful: ranks 0 and 1 have 3 x 900 + 7 x 500 = 6200, the others 2 x 900 + 8 x 500 = 5800. Ideal: ten times 900.
  EXPECT_EQ(split.run_ns, 10'000);
  EXPECT_EQ(split.ideal_ns, 9'000);
  EXPECT_DOUBLE_EQ(*split.load_balance, 6000.0 / 6200);
  EXPECT_DOUBLE_EQ(*split.serialisation, 6200.0 / 9000);
  EXPECT_DOUBLE_EQ(*split.transfer, 0.9);
  EXPECT_DOUBLE_EQ(*split.communication, 0.62);
  EXPECT_DOUBLE_EQ(*split.parallel, 0.6);
  EXPECT_FALSE(split.approximate);
}

/// A chain: each rank receives, computes 100, sends. All of it is serialisation but for 10 a message.
TEST(TimelineEfficiency, OfAChain) {
  TimelineBuilder built(4, 430);
  for (std::int32_t rank = 0; rank < 4; ++rank) {
    const std::int64_t begin = rank * 110;
    if (rank > 0) built.add(static_cast<std::size_t>(rank), 0, begin, to(Call::MPI_Recv, rank - 1));
    if (rank < 3) built.add(static_cast<std::size_t>(rank), begin + 100, begin + 105, to(Call::MPI_Send, rank + 1));
    if (rank < 3) built.add(static_cast<std::size_t>(rank), begin + 105, 430, on(Call::MPI_Finalize, -1));
    else built.add(3, 430, 430, on(Call::MPI_Finalize, -1));
  }
  const auto split = results_of(built).efficiency;
  EXPECT_EQ(split.ideal_ns, 400);
  EXPECT_DOUBLE_EQ(*split.serialisation, 100.0 / 400);
  EXPECT_DOUBLE_EQ(*split.transfer, 400.0 / 430);
  EXPECT_DOUBLE_EQ(*split.load_balance, 1.0);
}

TEST(TimelineEfficiency, KeepsLateReceiversAndNonblockingOverlap) {
  TimelineBuilder built(2, 300);
  built.add(0, 10, 120, to(Call::MPI_Ssend, 1));     // until the receive is posted, at 100
  const auto sent = built.add(0, 130, 135, to(Call::MPI_Isend, 1));
  built.add(0, 230, 235, of(Call::MPI_Wait, Call::MPI_Isend, 1), timeline::Kind::call, sent);
  built.add(1, 100, 125, to(Call::MPI_Recv, 0));
  const auto posted = built.add(1, 126, 128, to(Call::MPI_Irecv, 0));
  built.add(1, 138, 200, of(Call::MPI_Wait, Call::MPI_Irecv, 0), timeline::Kind::call, posted);
  const auto split = results_of(built).efficiency;
  // Ideal, rank 0: computes until 10, waits until 100, computes 10, sends at 110, computes 95 and then 65: 270.
  // Rank 1: 100, 1, 10 (the message is sent at 110, so it waits for nothing at 111), 100: 211.
  EXPECT_EQ(split.ideal_ns, 270);
  EXPECT_DOUBLE_EQ(*split.transfer, 270.0 / 300);
  EXPECT_DOUBLE_EQ(*split.serialisation, 211.0 / 270);
}

TEST(TimelineEfficiency, OfNothing) {
  EXPECT_FALSE(results_of(TimelineBuilder(0, 0)).efficiency.parallel);
  const auto idle = results_of(TimelineBuilder(2, 100)).efficiency;
  EXPECT_EQ(idle.parallel, 1.0);
  EXPECT_EQ(idle.transfer, 1.0);
}

}  // namespace
