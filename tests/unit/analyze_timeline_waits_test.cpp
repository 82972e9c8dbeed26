#include "analyze/timeline_waits.hpp"

#include <gtest/gtest.h>

#include "analyze/timeline.hpp"
#include "timeline_builder.hpp"

namespace {

using namespace scope;
using namespace scope::test;
using analyze::Pattern;

/// What a rank waited, in the order of its calls: pattern, ns, the late rank.
using Waits = std::vector<std::tuple<Pattern, std::int64_t, std::uint32_t>>;

analyze::WaitStates states_of(const TimelineBuilder &built) {
  const analyze::Recording recording(built.timeline());
  return analyze::find_waits(recording, analyze::match(recording));
}
Waits waits_of(const TimelineBuilder &built, std::size_t rank) {
  Waits waits;
  const analyze::WaitStates states = states_of(built);
  for (const analyze::Wait &wait : states.by_rank[rank]) waits.emplace_back(wait.pattern, wait.ns, wait.late_rank);
  return waits;
}

TEST(TimelineWaits, LateSender) {
  TimelineBuilder built(2, 1000);
  built.add(0, 10, 210, to(Call::MPI_Recv, 1));
  built.add(0, 300, 310, to(Call::MPI_Recv, 1));
  built.add(1, 200, 220, to(Call::MPI_Send, 0));
  built.add(1, 230, 240, to(Call::MPI_Send, 0));
  EXPECT_EQ(waits_of(built, 0), (Waits{{Pattern::late_sender, 190, 1}}));
  EXPECT_EQ(waits_of(built, 1), Waits{});
}

TEST(TimelineWaits, LateSenderOfARequestIsThePartOfTheWait) {
  TimelineBuilder built(2, 1000);
  const auto posted = built.add(0, 10, 11, to(Call::MPI_Irecv, 1));
  built.add(0, 150, 260, of(Call::MPI_Wait, Call::MPI_Irecv, 1), timeline::Kind::call, posted);
  built.add(1, 200, 220, to(Call::MPI_Send, 0));
  EXPECT_EQ(waits_of(built, 0), (Waits{{Pattern::late_sender, 50, 1}}));
}

TEST(TimelineWaits, OfManyRequestsTheLatestCountsOnce) {
  TimelineBuilder built(3, 1000);
  const auto first = built.add(0, 10, 11, to(Call::MPI_Irecv, 1));
  const auto second = built.add(0, 12, 13, to(Call::MPI_Irecv, 2, 5));
  const auto third = built.add(0, 14, 15, to(Call::MPI_Isend, 1));
  built.add(0, 100, 400, of(Call::MPI_Waitall, Call::MPI_Irecv, 1), timeline::Kind::call, first);
  built.add(0, 100, 400, of(Call::MPI_Waitall, Call::MPI_Irecv, 2, 5, 0, 64), further, second);
  built.add(0, 100, 400, of(Call::MPI_Waitall, Call::MPI_Isend, 1), further, third);
  built.add(1, 250, 260, to(Call::MPI_Send, 0));
  built.add(1, 270, 280, to(Call::MPI_Recv, 0));
  built.add(2, 390, 395, to(Call::MPI_Send, 0, 5, 0, 64));
  EXPECT_EQ(waits_of(built, 0), (Waits{{Pattern::late_sender, 290, 2}}));
  const auto results = analyze::analyze_timeline(built.timeline());
  ASSERT_EQ(results.wait_states.size(), 1u);
  EXPECT_EQ(results.wait_states[0],
            (model::WaitStateRow{"late-sender", 0, 0, "MPI_Waitall", "MPI_Irecv", 0, 2, -1, 5, 64, 1, 290, 290}));
  EXPECT_EQ(results.calls[0], (model::CallWaiting{"MPI_Waitall", 1, 300, 290, 10}));
}

/// mpi4py's recv is MPI_Mprobe and MPI_Mrecv: the wait is in the probe.
TEST(TimelineWaits, ProbesWaitForTheSender) {
  TimelineBuilder built(2, 1000);
  const auto probe = built.add(0, 10, 205, to(Call::MPI_Mprobe, -1, -1));
  built.add(0, 206, 207, to(Call::MPI_Mrecv, 1), timeline::Kind::call, probe);
  built.add(0, 300, 410, to(Call::MPI_Probe, 1));
  built.add(0, 411, 412, to(Call::MPI_Recv, 1));
  built.add(1, 200, 201, to(Call::MPI_Send, 0));
  built.add(1, 400, 401, to(Call::MPI_Send, 0));
  EXPECT_EQ(waits_of(built, 0), (Waits{{Pattern::late_sender, 190, 1}, {Pattern::late_sender, 100, 1}}));
  const auto rows = analyze::analyze_timeline(built.timeline()).wait_states;
  ASSERT_EQ(rows.size(), 2u);  // whom and what MPI_Mprobe waited for is known though it asked for any
  EXPECT_EQ(rows[0], (model::WaitStateRow{"late-sender", 0, 0, "MPI_Mprobe", "", 0, 1, -1, 0, 8, 1, 190, 190}));
}

/// One that returned without a message waited for nothing, and saw none before it was sent.
TEST(TimelineWaits, ProbesThatOnlyAskWaitForNobody) {
  TimelineBuilder built(2, 1000);
  built.add(0, 10, 12, to(Call::MPI_Iprobe, 1));
  built.add(0, 300, 302, to(Call::MPI_Iprobe, 1));
  built.add(0, 303, 310, to(Call::MPI_Recv, 1));
  built.add(1, 200, 201, to(Call::MPI_Send, 0));
  EXPECT_EQ(waits_of(built, 0), Waits{});
  EXPECT_EQ(states_of(built).clock_violations, 0);
}

TEST(TimelineWaits, LateReceiverOnlyWhereTheSendBlocked) {
  TimelineBuilder built(2, 1000);
  built.add(0, 10, 210, to(Call::MPI_Send, 1));        // blocked
  built.add(0, 220, 230, to(Call::MPI_Send, 1));       // buffered: ended before the receive was posted
  built.add(0, 300, 460, to(Call::MPI_Bsend, 1));      // waits for nobody, however long it takes
  built.add(1, 150, 215, to(Call::MPI_Recv, 0));
  built.add(1, 400, 410, to(Call::MPI_Recv, 0));
  built.add(1, 450, 470, to(Call::MPI_Recv, 0));
  EXPECT_EQ(waits_of(built, 0), (Waits{{Pattern::late_receiver, 140, 1}}));
  EXPECT_EQ(waits_of(built, 1), Waits{});
}

TEST(TimelineWaits, LateReceiverOfANonblockingSend) {
  TimelineBuilder built(2, 1000);
  const auto sent = built.add(0, 10, 11, to(Call::MPI_Issend, 1));
  built.add(0, 100, 310, of(Call::MPI_Wait, Call::MPI_Issend, 1), timeline::Kind::call, sent);
  const auto posted = built.add(1, 300, 301, to(Call::MPI_Irecv, 0));
  built.add(1, 302, 320, of(Call::MPI_Wait, Call::MPI_Irecv, 0), timeline::Kind::call, posted);
  EXPECT_EQ(waits_of(built, 0), (Waits{{Pattern::late_receiver, 200, 1}}));
}

TEST(TimelineWaits, SendrecvWaitsForItsOtherHalf) {
  TimelineBuilder built(3, 1000);
  built.add(0, 10, 350, to(Call::MPI_Sendrecv, 1));
  built.add(0, 10, 350, to(Call::MPI_Sendrecv, 2), received);
  built.add(1, 200, 345, to(Call::MPI_Recv, 0));  // rank 0's send blocks until here
  built.add(2, 340, 341, to(Call::MPI_Send, 0));
  EXPECT_EQ(waits_of(built, 0), (Waits{{Pattern::late_sender, 330, 2}}));
  EXPECT_EQ(waits_of(built, 1), Waits{});
}

/// Ranks 0 to 2 enter at 100, 300, 200 and leave at 400.
TimelineBuilder with_collective(Call call, std::int32_t root = -1, std::int32_t comm = 0) {
  TimelineBuilder built(3, 1000);
  built.add(0, 100, 400, on(call, comm, root));
  built.add(1, 300, 400, on(call, comm, root));
  built.add(2, 200, 400, on(call, comm, root));
  return built;
}

TEST(TimelineWaits, InCollectives) {
  for (auto [call, pattern] : {std::pair{Call::MPI_Barrier, Pattern::wait_barrier}, {Call::MPI_Allreduce, Pattern::wait_nxn},
                               {Call::MPI_Alltoallv_c, Pattern::wait_nxn}, {Call::MPI_Comm_dup, Pattern::wait_nxn},
                               {Call::MPI_File_write_all, Pattern::wait_nxn}, {Call::MPI_Win_fence, Pattern::wait_fence}}) {
    const TimelineBuilder built = with_collective(call);
    EXPECT_EQ(waits_of(built, 0), (Waits{{pattern, 200, 1}})) << wire::info(call).name;
    EXPECT_EQ(waits_of(built, 1), Waits{});
    EXPECT_EQ(waits_of(built, 2), (Waits{{pattern, 100, 1}}));
  }
  EXPECT_EQ(waits_of(with_collective(Call::MPI_Finalize, -1, -1), 0), (Waits{{Pattern::wait_finalize, 200, 1}}));
  EXPECT_EQ(waits_of(with_collective(Call::MPI_Init, -1, -1), 0), Waits{});
  EXPECT_EQ(waits_of(with_collective(Call::MPI_Neighbor_alltoall), 0), Waits{});
}

TEST(TimelineWaits, InRootedCollectives) {
  const TimelineBuilder broadcast = with_collective(Call::MPI_Scatterv, 2);
  EXPECT_EQ(waits_of(broadcast, 0), (Waits{{Pattern::late_broadcast, 100, 2}}));
  EXPECT_EQ(waits_of(broadcast, 1), Waits{});
  EXPECT_EQ(waits_of(broadcast, 2), Waits{});
  const TimelineBuilder reduce = with_collective(Call::MPI_Gather, 0);  // until the first sender has come, at 200
  EXPECT_EQ(waits_of(reduce, 0), (Waits{{Pattern::early_reduce, 100, 2}}));
  EXPECT_EQ(waits_of(reduce, 1), Waits{});
  EXPECT_EQ(waits_of(reduce, 2), Waits{});
}

TEST(TimelineWaits, InScans) {
  const TimelineBuilder built = with_collective(Call::MPI_Scan);
  EXPECT_EQ(waits_of(built, 0), Waits{});
  EXPECT_EQ(waits_of(built, 1), Waits{});
  EXPECT_EQ(waits_of(built, 2), (Waits{{Pattern::early_scan, 100, 1}}));
}

TEST(TimelineWaits, NonblockingCollectivesInTheirWait) {
  TimelineBuilder built(2, 1000);
  const auto begun = built.add(0, 10, 11, on(Call::MPI_Ibcast, 0, 1));
  built.add(0, 50, 260, on(Call::MPI_Wait, 0, 1, Call::MPI_Ibcast), timeline::Kind::call, begun);
  const auto started = built.add(0, 300, 301, on(Call::MPI_Start, 0, -1, Call::MPI_Barrier_init));
  built.add(0, 310, 420, on(Call::MPI_Wait, 0, -1, Call::MPI_Barrier_init), timeline::Kind::call, started);
  built.add(1, 250, 251, on(Call::MPI_Ibcast, 0, 1));
  built.add(1, 400, 401, on(Call::MPI_Start, 0, -1, Call::MPI_Barrier_init));
  EXPECT_EQ(waits_of(built, 0), (Waits{{Pattern::late_broadcast, 200, 1}, {Pattern::wait_barrier, 90, 1}}));
}

TEST(TimelineWaits, InEpochs) {
  TimelineBuilder built(2, 1000);
  built.add(0, 10, 120, on(Call::MPI_Win_start));
  built.add(0, 121, 122, to(Call::MPI_Put, 1, -1));
  built.add(0, 500, 501, on(Call::MPI_Win_complete));
  built.add(1, 100, 101, on(Call::MPI_Win_post));
  built.add(1, 200, 510, on(Call::MPI_Win_wait));
  EXPECT_EQ(waits_of(built, 0), (Waits{{Pattern::late_post, 90, 1}}));
  EXPECT_EQ(waits_of(built, 1), (Waits{{Pattern::early_wait, 300, 0}}));
}

/// A call that ended before the last rank came did not wait for it, whatever the standard calls collective.
TEST(TimelineWaits, NoneWhereTheCallEndedBefore) {
  TimelineBuilder built(2, 1000);
  built.add(0, 10, 20, on(Call::MPI_File_close));
  built.add(1, 300, 310, on(Call::MPI_File_close));
  EXPECT_EQ(waits_of(built, 0), Waits{});
  EXPECT_EQ(states_of(built).clock_violations, 0);
}

TEST(TimelineWaits, SkewOfClocksIsNoWaiting) {
  TimelineBuilder built(2, 1000);
  built.rank(0).clock_error = 40;
  built.rank(1).clock_error = 60;
  built.add(0, 100, 250, to(Call::MPI_Recv, 1));
  built.add(0, 300, 450, to(Call::MPI_Recv, 1));
  built.add(0, 500, 520, to(Call::MPI_Recv, 1));  // received 80 before it was sent: within the errors
  built.add(0, 600, 620, to(Call::MPI_Recv, 1));  // 101 before: not
  built.add(1, 200, 210, to(Call::MPI_Send, 0));
  built.add(1, 401, 410, to(Call::MPI_Send, 0));
  built.add(1, 600, 610, to(Call::MPI_Send, 0));
  built.add(1, 721, 730, to(Call::MPI_Send, 0));
  EXPECT_EQ(waits_of(built, 0), (Waits{{Pattern::late_sender, 101, 1}}));
  EXPECT_EQ(states_of(built).clock_violations, 1);
  EXPECT_EQ(states_of(built).clock_worst_ns, 101);
}

TEST(TimelineWaits, CallsOfOtherThreadsAtTheSameInstantAreKeptApart) {
  TimelineBuilder built(2, 1000);
  const auto posted = built.add(0, 1, 2, to(Call::MPI_Irecv, 1, 1));
  const auto other = built.add(0, 3, 4, to(Call::MPI_Irecv, 1, 2));
  built.add(0, 100, 290, of(Call::MPI_Waitall, Call::MPI_Irecv, 1, 1), timeline::Kind::call, posted);
  built.thread = 1;
  built.add(0, 100, 150, on(Call::MPI_Comm_rank));
  built.thread = 0;
  built.add(0, 100, 290, of(Call::MPI_Waitall, Call::MPI_Irecv, 1, 2), further, other);
  built.add(1, 110, 120, to(Call::MPI_Send, 0, 1));
  built.add(1, 280, 281, to(Call::MPI_Send, 0, 2));
  EXPECT_EQ(waits_of(built, 0), (Waits{{Pattern::late_sender, 180, 1}}));
}

TEST(TimelineWindow, IsTheWholeRunOrWhatAllRanksHave) {
  TimelineBuilder built(3, 1000);
  analyze::Window window = analyze::common_window(built.header());
  EXPECT_EQ(std::tuple(window.from, window.to, window.complete), std::tuple(0, 1000, true));
  built.rank(0).end = built.rank(0).to = 700;  // a rank that ended early cuts nothing
  EXPECT_EQ(analyze::common_window(built.header()).to, 1000);
  built.rank(1).to = 600;
  built.rank(2).to = 500;
  built.rank(2).from = 100;
  window = analyze::common_window(built.header());
  EXPECT_EQ(std::tuple(window.from, window.to, window.complete), std::tuple(100, 500, false));
  built.rank(2).recorded = false;
  window = analyze::common_window(built.header());
  EXPECT_EQ(std::tuple(window.from, window.to, window.complete), std::tuple(0, 600, false));
  EXPECT_EQ(analyze::common_window({}).to, 0);
}

TEST(TimelineWindow, LimitsTheAnalysisAndSaysSo) {
  TimelineBuilder built(3, 1000);
  built.rank(1).to = 500;
  built.rank(1).dropped = 7;
  built.rank(2).recorded = false;
  built.add(0, 100, 200, to(Call::MPI_Recv, 1));
  built.add(0, 300, 600, to(Call::MPI_Recv, 1));
  built.add(0, 700, 800, on(Call::MPI_Barrier));
  built.add(1, 150, 160, to(Call::MPI_Send, 0));
  built.add(1, 450, 460, to(Call::MPI_Send, 0));
  const auto results = analyze::analyze_timeline(built.timeline());
  EXPECT_EQ(results.info, (model::TimelineInfo{"", 5, 0, 500, false}));
  EXPECT_EQ(results.notes.cut, (std::vector<model::TimelineRank>{{0, 1}}));
  EXPECT_EQ(results.notes.without, (std::vector<model::TimelineRank>{{0, 2}}));
  EXPECT_EQ(results.waiting_ns, 50);
  EXPECT_EQ(results.path_ns, 500);
  EXPECT_EQ(results.ranks.rank, (std::vector<int>{0, 1}));
  EXPECT_EQ(results.ranks.mpi_ns, (std::vector<std::int64_t>{100, 20}));
}

TEST(TimelineResults, LongListsAreFoldedWithoutLosingTime) {
  TimelineBuilder built(2, 100'000'000);
  constexpr std::int32_t messages = 700;
  for (std::int32_t i = 0; i < messages; ++i) {
    built.add(0, i * 1000, i * 1000 + 900, to(Call::MPI_Recv, 1, i));
    built.add(1, i * 1000 + 100 + i, i * 1000 + 950, to(Call::MPI_Send, 0, i));
  }
  const auto results = analyze::analyze_timeline(built.timeline());
  ASSERT_EQ(results.wait_states.size(), 513u);
  EXPECT_EQ(results.notes.folded, messages - 512);
  std::int64_t total = 0, waits = 0;
  for (const auto &row : results.wait_states) total += row.total_ns, waits += row.waits;
  EXPECT_EQ(waits, messages);
  EXPECT_EQ(total, results.waiting_ns);
  EXPECT_EQ(total, 100 * messages + messages * (messages - 1) / 2);
  const auto &folded = results.wait_states[0];  // together the longest
  EXPECT_EQ(std::tuple(folded.pattern, folded.rank, folded.call, folded.tag, folded.waits),
            std::tuple("late-sender", 0, "MPI_Recv", -1, 188));
}

}  // namespace
