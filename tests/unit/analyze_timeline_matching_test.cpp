#include "analyze/timeline_matching.hpp"

#include <gtest/gtest.h>

#include "model/call_table.hpp"
#include "timeline_builder.hpp"

namespace {

using namespace scope;
using namespace scope::test;
using analyze::none;

/// Which event of which rank is the partner of this one: {rank, place}; {-1, -1} none.
std::pair<int, int> partner(const TimelineBuilder &built, const analyze::Matches &matches, std::uint32_t rank,
                            std::uint32_t place) {
  const analyze::Recording recording(built.timeline());
  const std::uint32_t found = matches.partner[recording.first[rank] + place];
  if (found == none) return {-1, -1};
  const std::uint32_t other = recording.rank_of(found);
  return {static_cast<int>(other), static_cast<int>(found - recording.first[other])};
}

analyze::Matches match(const TimelineBuilder &built) { return analyze::match(analyze::Recording(built.timeline())); }

using At = std::pair<int, int>;

TEST(TimelineMatching, BlockingInOrderByTagAndCommunicator) {
  TimelineBuilder built(2, 100);
  const std::int32_t other = built.communicator({1, 0});
  built.add(0, 1, 2, to(Call::MPI_Send, 1, 7));
  built.add(0, 3, 4, to(Call::MPI_Ssend, 1, 8));
  built.add(0, 5, 6, to(Call::MPI_Send_c, 1, 7));
  built.add(0, 7, 8, to(Call::MPI_Bsend, 1, 7, other));
  built.add(1, 1, 9, to(Call::MPI_Recv, 0, 7, other));
  built.add(1, 9, 10, to(Call::MPI_Recv, 0, 8));
  built.add(1, 11, 12, to(Call::MPI_Recv, 0, 7));
  built.add(1, 13, 14, to(Call::MPI_Recv, 0, 7));
  const auto matches = match(built);
  EXPECT_EQ(partner(built, matches, 0, 0), At(1, 2));
  EXPECT_EQ(partner(built, matches, 0, 1), At(1, 1));
  EXPECT_EQ(partner(built, matches, 0, 2), At(1, 3));
  EXPECT_EQ(partner(built, matches, 0, 3), At(1, 0));
  EXPECT_EQ(partner(built, matches, 1, 2), At(0, 0));
  EXPECT_EQ(matches.notes.messages, 4);
  EXPECT_EQ(matches.notes.unmatched_sends + matches.notes.unmatched_receives, 0);
}

/// MPI 4.1, 3.5: the order of receives is that in which they were posted, also where they complete otherwise.
TEST(TimelineMatching, NonblockingByPostingNotByCompletion) {
  TimelineBuilder built(2, 100);
  built.add(0, 1, 2, to(Call::MPI_Isend, 1));
  built.add(0, 3, 4, to(Call::MPI_Isend, 1));
  const auto first = built.add(1, 1, 2, to(Call::MPI_Irecv, -1, -1));  // any source, any tag
  const auto second = built.add(1, 3, 4, to(Call::MPI_Irecv, 0));
  built.add(1, 5, 6, of(Call::MPI_Wait, Call::MPI_Irecv, 0), timeline::Kind::call, second);
  built.add(1, 7, 8, of(Call::MPI_Test, Call::MPI_Irecv, 0), timeline::Kind::call, first);
  const auto matches = match(built);
  EXPECT_EQ(partner(built, matches, 1, 2), At(0, 1));
  EXPECT_EQ(partner(built, matches, 1, 3), At(0, 0));
  EXPECT_EQ(partner(built, matches, 0, 0), At(1, 3));
  EXPECT_EQ(partner(built, matches, 1, 0), At(-1, -1));
  EXPECT_EQ(matches.notes.messages, 2);
}

TEST(TimelineMatching, PersistentAtEachStartAndPartitionedApart) {
  TimelineBuilder built(2, 100);
  built.add(0, 1, 2, to(Call::MPI_Send_init, 1));
  built.add(0, 3, 4, of(Call::MPI_Start, Call::MPI_Send_init, 1));
  built.add(0, 5, 6, of(Call::MPI_Start, Call::MPI_Psend_init, 1));
  built.add(0, 7, 8, of(Call::MPI_Start, Call::MPI_Send_init, 1));
  const auto all = built.add(1, 1, 2, of(Call::MPI_Startall, Call::MPI_Precv_init, 0));
  const auto part = built.add(1, 1, 2, of(Call::MPI_Startall, Call::MPI_Recv_init, 0), further_start);
  built.add(1, 5, 9, of(Call::MPI_Waitall, Call::MPI_Precv_init, 0), timeline::Kind::call, all);
  built.add(1, 5, 9, of(Call::MPI_Waitall, Call::MPI_Recv_init, 0), further, part);
  const auto again = built.add(1, 10, 11, of(Call::MPI_Start, Call::MPI_Recv_init, 0));
  built.add(1, 12, 13, of(Call::MPI_Wait, Call::MPI_Recv_init, 0), timeline::Kind::call, again);
  const auto matches = match(built);
  EXPECT_EQ(partner(built, matches, 0, 0), At(-1, -1)) << "an init sends nothing";
  EXPECT_EQ(partner(built, matches, 0, 1), At(1, 3));
  EXPECT_EQ(partner(built, matches, 0, 2), At(1, 2));
  EXPECT_EQ(partner(built, matches, 0, 3), At(1, 5));
}

TEST(TimelineMatching, BothHalvesOfSendrecvAndIsendrecv) {
  TimelineBuilder built(2, 100);
  for (std::size_t rank : {0u, 1u}) {
    const auto other = static_cast<std::int32_t>(1 - rank);
    built.add(rank, 1, 5, to(Call::MPI_Sendrecv, other, 1));
    built.add(rank, 1, 5, to(Call::MPI_Sendrecv, other, 1), received);
    const auto begun = built.add(rank, 6, 7, to(Call::MPI_Isendrecv, other, 1));
    built.add(rank, 8, 9, of(Call::MPI_Wait, Call::MPI_Isendrecv, other, 1), timeline::Kind::call, begun);
    built.add(rank, 8, 9, of(Call::MPI_Wait, Call::MPI_Isendrecv, other, 1), received, begun);
  }
  const auto matches = match(built);
  EXPECT_EQ(partner(built, matches, 0, 0), At(1, 1));
  EXPECT_EQ(partner(built, matches, 0, 1), At(1, 0));
  EXPECT_EQ(partner(built, matches, 0, 2), At(1, 4));
  EXPECT_EQ(partner(built, matches, 0, 4), At(1, 2));
  EXPECT_EQ(partner(built, matches, 0, 3), At(-1, -1));
  EXPECT_EQ(matches.notes.messages, 4);
}

/// MPI 4.1, 3.8.2: MPI_Mprobe takes the message; a receive in between gets the next one.
TEST(TimelineMatching, WhatMprobeFoundBelongsToIt) {
  TimelineBuilder built(2, 100);
  built.add(0, 1, 2, to(Call::MPI_Send, 1));
  built.add(0, 3, 4, to(Call::MPI_Send, 1));
  built.add(0, 5, 6, to(Call::MPI_Send, 1));
  const auto probe = built.add(1, 5, 6, to(Call::MPI_Mprobe, -1, -1));
  built.add(1, 6, 7, to(Call::MPI_Probe, 0));
  built.add(1, 7, 8, to(Call::MPI_Recv, 0));
  built.add(1, 9, 10, to(Call::MPI_Mrecv, 0), timeline::Kind::call, probe);
  const auto late = built.add(1, 11, 12, to(Call::MPI_Improbe, 0));
  const auto taken = built.add(1, 13, 14, to(Call::MPI_Imrecv, 0), timeline::Kind::call, late);
  built.add(1, 15, 16, of(Call::MPI_Wait, Call::MPI_Imrecv, 0), timeline::Kind::call, taken);
  const auto matches = match(built);
  EXPECT_EQ(partner(built, matches, 1, 3), At(0, 0));
  EXPECT_EQ(partner(built, matches, 1, 0), At(0, 0)) << "the probe waited for that one";
  EXPECT_EQ(partner(built, matches, 1, 1), At(0, 1)) << "a probe sees the next that is received";
  EXPECT_EQ(partner(built, matches, 1, 2), At(0, 1));
  EXPECT_EQ(partner(built, matches, 1, 6), At(0, 2));
  EXPECT_EQ(partner(built, matches, 0, 0), At(1, 3));
  EXPECT_EQ(matches.notes.messages, 3);
}

TEST(TimelineMatching, WhatHasNoPartnerIsListedByChannel) {
  TimelineBuilder built(3, 100);
  built.add(0, 1, 2, to(Call::MPI_Send, 1, 5));
  built.add(0, 3, 4, to(Call::MPI_Send, 1, 5));
  built.add(0, 5, 6, to(Call::MPI_Send, -1, 5));                       // MPI_PROC_NULL
  built.add(0, 7, 8, to(Call::MPI_Send, 2, 5));
  built.add(1, 1, 2, to(Call::MPI_Irecv, 0, 5));                       // cancelled: nothing completes it
  built.add(1, 3, 4, of(Call::MPI_Wait, Call::none, -1), timeline::Kind::call, 0);
  built.add(1, 5, 6, to(Call::MPI_Recv, 2, 9));
  const auto matches = match(built);
  ASSERT_EQ(matches.unmatched.size(), 3u);
  EXPECT_EQ(matches.unmatched[0], (model::UnmatchedRow{0, 0, 0, 1, 5, 2, 0}));
  EXPECT_EQ(matches.unmatched[1], (model::UnmatchedRow{0, 0, 2, 1, 9, 0, 1}));
  EXPECT_EQ(matches.unmatched[2], (model::UnmatchedRow{0, 0, 0, 2, 5, 1, 0}));
  EXPECT_EQ(matches.notes.unmatched_sends, 3);
  EXPECT_EQ(matches.notes.unmatched_receives, 1);
  EXPECT_EQ(matches.notes.messages, 0);
}

TEST(TimelineMatching, WhereATimelineEndedNothingIsMissing) {
  TimelineBuilder built(3, 100);
  built.rank(1).to = 50;
  built.rank(2).recorded = false;
  built.add(0, 60, 61, to(Call::MPI_Send, 1));
  built.add(0, 62, 63, to(Call::MPI_Recv, 1));
  built.add(0, 64, 65, to(Call::MPI_Send, 2));
  const auto matches = match(built);
  EXPECT_TRUE(matches.unmatched.empty());
  EXPECT_EQ(matches.notes.beyond_window, 2);
}

TEST(TimelineMatching, CommunicatorsThatStandForManyAreLeftOut) {
  TimelineBuilder built(2, 100);
  built.header().communicators.push_back({1, 0, 2, 0, {}});
  built.add(0, 1, 2, to(Call::MPI_Send, 1, 0, 1));
  built.add(0, 3, 4, on(Call::MPI_Barrier, 1));
  built.add(1, 1, 2, to(Call::MPI_Recv, 0, 0, 1));
  built.add(1, 3, 4, on(Call::MPI_Barrier, 1));
  const auto matches = match(built);
  EXPECT_EQ(matches.notes.messages + matches.notes.collectives, 0);
  EXPECT_TRUE(matches.unmatched.empty());
}

/// Of a spawned world's ranks, the numbers are those of other ranks here.
TEST(TimelineMatching, IntercommunicatorsWithinAWorldOnly) {
  TimelineBuilder built(4, 100);
  built.header().communicators.push_back({1, 0, 2, 2, {}});
  built.header().communicators.push_back({2, 0, 2, 2, {}});
  for (std::int32_t comm : {1, 2}) {
    built.add(0, 10 * comm, 10 * comm + 1, to(Call::MPI_Send, 1, 0, comm));
    built.add(1, 10 * comm, 10 * comm + 1, to(Call::MPI_Recv, 0, 0, comm));
  }
  built.add(2, 30, 31, on(Call::MPI_Barrier, 2));  // a third rank: the remote group is of this world, too
  const auto matches = match(built);
  EXPECT_EQ(partner(built, matches, 0, 0), At(-1, -1));
  EXPECT_EQ(partner(built, matches, 0, 1), At(1, 1));
  EXPECT_TRUE(matches.unmatched.empty());
}

const analyze::Operation &operation(const TimelineBuilder &built, const analyze::Matches &matches, std::uint32_t rank,
                                    std::uint32_t place) {
  const analyze::Recording recording(built.timeline());
  return matches.operations[matches.partner[recording.first[rank] + place]];
}

TEST(TimelineMatching, CollectivesByOrderOnTheirCommunicator) {
  TimelineBuilder built(3, 100);
  const std::int32_t pair = built.communicator({2, 0});
  built.add(0, 1, 9, on(Call::MPI_Bcast, pair, 1));
  built.add(0, 10, 11, on(Call::MPI_Ibarrier));
  built.add(0, 12, 13, on(Call::MPI_Bcast_c, 0, 2));
  built.add(1, 20, 21, on(Call::MPI_Ibarrier));
  built.add(1, 22, 23, on(Call::MPI_Bcast, 0, 2));
  built.add(2, 5, 6, on(Call::MPI_Ibarrier));
  built.add(2, 7, 8, on(Call::MPI_Bcast, pair, 1));
  built.add(2, 9, 30, on(Call::MPI_Bcast, 0, 2));
  const auto matches = match(built);
  EXPECT_EQ(matches.notes.collectives, 3);
  EXPECT_EQ(matches.notes.mismatched_collectives + matches.notes.partial_collectives, 0);
  const auto &barrier = operation(built, matches, 1, 0);
  EXPECT_EQ(barrier.shape, analyze::Shape::barrier);
  EXPECT_TRUE(barrier.whole);
  EXPECT_EQ(barrier.last, 3u);   // numbers: rank 0 has 0 to 2, rank 1 has 3 and 4, rank 2 has 5 to 7
  EXPECT_EQ(barrier.first, 5u);
  const auto &broadcast = operation(built, matches, 2, 1);
  EXPECT_EQ(broadcast.root, 0u) << "rank 1 of {2, 0} is world rank 0";
  EXPECT_EQ(operation(built, matches, 1, 1).root, 7u);
}

TEST(TimelineMatching, PersistentCollectivesMayStartInAnyOrder) {
  TimelineBuilder built(2, 100);
  built.add(0, 1, 2, on(Call::MPI_Allreduce_init));
  built.add(0, 3, 4, on(Call::MPI_Start, 0, -1, Call::MPI_Allreduce_init));
  built.add(0, 5, 6, on(Call::MPI_Start, 0, -1, Call::MPI_Barrier_init));
  built.add(1, 3, 4, on(Call::MPI_Startall, 0, -1, Call::MPI_Barrier_init));
  built.add(1, 3, 4, on(Call::MPI_Startall, 0, -1, Call::MPI_Allreduce_init), further_start);
  const auto matches = match(built);
  EXPECT_EQ(matches.notes.collectives, 2);
  EXPECT_EQ(operation(built, matches, 0, 1).shape, analyze::Shape::all_to_all);
  const auto &sum = operation(built, matches, 0, 1);
  EXPECT_EQ(std::vector(matches.members.begin() + sum.begin, matches.members.begin() + sum.end),
            (std::vector<std::uint32_t>{1, 4}));
  EXPECT_EQ(operation(built, matches, 0, 2).shape, analyze::Shape::barrier);
}

TEST(TimelineMatching, CollectivesThatSomeDoNotHaveAreNotWhole) {
  TimelineBuilder built(3, 100);
  built.rank(2).recorded = false;
  built.add(0, 1, 2, on(Call::MPI_Barrier));
  built.add(0, 3, 4, on(Call::MPI_Allreduce));
  built.add(0, 5, 6, on(Call::MPI_Barrier));
  built.add(0, 7, 8, on(Call::MPI_Finalize, -1));
  built.add(1, 1, 2, on(Call::MPI_Barrier));
  built.add(1, 3, 4, on(Call::MPI_Barrier));
  built.add(1, 7, 9, on(Call::MPI_Finalize, -1));
  const auto matches = match(built);
  EXPECT_TRUE(operation(built, matches, 0, 0).whole) << "of those that have a timeline";
  EXPECT_FALSE(operation(built, matches, 0, 1).whole);
  EXPECT_TRUE(operation(built, matches, 0, 3).whole);
  EXPECT_EQ(matches.notes.mismatched_collectives, 1);
  EXPECT_EQ(matches.notes.partial_collectives, 1);
  EXPECT_EQ(matches.notes.collectives, 2);
}

TEST(TimelineMatching, EpochsOfRemoteMemoryAccess) {
  TimelineBuilder built(3, 100);
  built.add(0, 1, 12, on(Call::MPI_Win_start));
  built.add(0, 13, 14, to(Call::MPI_Put, 1, -1));
  built.add(0, 15, 16, to(Call::MPI_Get, 2, -1));
  built.add(0, 40, 41, on(Call::MPI_Win_complete));
  built.add(0, 50, 51, on(Call::MPI_Win_start));
  built.add(0, 52, 53, to(Call::MPI_Put, 1, -1));
  built.add(0, 60, 61, on(Call::MPI_Win_complete));
  for (std::size_t target : {1u, 2u}) {
    const auto late = static_cast<std::int64_t>(target) * 5;
    built.add(target, late, late + 1, on(Call::MPI_Win_post));
    built.add(target, 20, 42, on(Call::MPI_Win_wait));
  }
  built.add(1, 45, 46, on(Call::MPI_Win_post));
  built.add(1, 47, 62, on(Call::MPI_Win_wait));
  const auto matches = match(built);
  EXPECT_EQ(partner(built, matches, 0, 0), At(2, 0)) << "the later of two posts";
  EXPECT_EQ(partner(built, matches, 1, 1), At(0, 3));
  EXPECT_EQ(partner(built, matches, 2, 1), At(0, 3));
  EXPECT_EQ(partner(built, matches, 0, 4), At(1, 2));
  EXPECT_EQ(partner(built, matches, 1, 3), At(0, 6));
}

/// Over the whole table: the analysis of timelines and the one of stalls agree, but for what is told here.
TEST(TimelineRoles, CollectiveProceduresOfTheTable) {
  std::size_t count = 0;
  for (const wire::CallInfo &call : wire::calls) {
    const std::string_view name = call.name;
    const bool collective = analyze::collective_over(call) != analyze::Over::nobody;
    count += collective ? 1 : 0;
    const bool sets_up = call.kind == wire::Kind::COLLECTIVE && call.mode == wire::Mode::PERSISTENT;
    const bool on_file = call.kind == wire::Kind::IO && collective;
    EXPECT_EQ(collective, sets_up ? false : on_file ? true : model::is_collective(call)) << name;
    const bool never = call.rule == wire::Rule::INIT || call.kind == wire::Kind::POINT_TO_POINT || call.kind == wire::Kind::WAIT;
    EXPECT_FALSE(collective && never) << name;
    const bool rooted = collective && call.kind == wire::Kind::COLLECTIVE && call.find(wire::Role::ROOT) >= 0;
    const analyze::Shape shape = analyze::shape_of(call);
    EXPECT_TRUE(!rooted || shape == analyze::Shape::root_to_all || shape == analyze::Shape::all_to_root) << name;
  }
  EXPECT_EQ(count, 161u);
  for (const char *name :
       {"MPI_File_read_at_all", "MPI_File_write_ordered_begin", "MPI_File_set_view", "MPI_File_iread_all_c", "MPI_File_sync"})
    EXPECT_EQ(analyze::collective_over(*model::find_call(name)), analyze::Over::file) << name;
  for (const char *name : {"MPI_File_read_at", "MPI_File_seek", "MPI_File_call_errhandler", "MPI_Win_lock_all",
                           "MPI_Comm_create_group", "MPI_Comm_set_info", "MPI_Win_post", "MPI_Init"})
    EXPECT_EQ(analyze::collective_over(*model::find_call(name)), analyze::Over::nobody) << name;
}

TEST(TimelineRoles, ShapesOfOperations) {
  using analyze::Shape;
  for (auto [name, shape] : {std::pair{"MPI_Iscan_c", Shape::prefix},
                             {"MPI_Scan_init", Shape::prefix},
                             {"MPI_Exscan", Shape::prefix},
                             {"MPI_Allreduce_init", Shape::all_to_all},
                             {"MPI_Ireduce_scatter", Shape::all_to_all},
                             {"MPI_Iscatterv", Shape::root_to_all},
                             {"MPI_Gatherv_init_c", Shape::all_to_root},
                             {"MPI_Ibarrier", Shape::barrier},
                             {"MPIX_Barrier_init", Shape::barrier},
                             {"MPI_Neighbor_alltoall", Shape::none},
                             {"MPI_Win_fence", Shape::fence},
                             {"MPI_Comm_dup", Shape::all_to_all},
                             {"MPI_Comm_free", Shape::none},
                             {"MPI_Comm_disconnect", Shape::all_to_all},
                             {"MPI_Finalize", Shape::finalize},
                             {"MPI_Send", Shape::none}})
    EXPECT_EQ(analyze::shape_of(*model::find_call(name)), shape) << name;
}

}  // namespace
