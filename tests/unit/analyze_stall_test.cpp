#include "analyze/stall.hpp"

#include <gtest/gtest.h>

using namespace scope::analyze;
using namespace scope::model;

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
using Texts = std::vector<std::string>;

LiveRank at(int rank, const std::string &call, std::int64_t seconds, Awaits awaits = Awaits::unknown) {
  LiveRank result;
  result.rank = rank;
  result.doing = call.empty() ? Doing::computing : Doing::in_call;
  result.awaits = awaits;
  result.call = call;
  result.since_ns = seconds * second_ns;
  return result;
}

LiveRank collective(int rank, const std::string &call, std::int64_t seconds, int comm = 0, std::int64_t before = 0) {
  LiveRank result = at(rank, call, seconds, Awaits::members);
  result.comm = comm;
  result.collectives[comm] = before;
  return result;
}

LiveRank receive(int rank, int source, int tag, std::int64_t seconds) {
  LiveRank result = at(rank, "MPI_Recv", seconds, Awaits::message);
  result.comm = 0;
  result.peer = source;
  result.tag = tag;
  return result;
}

LiveRank send(int rank, int destination, int tag, std::int64_t seconds) {
  LiveRank result = at(rank, "MPI_Send", seconds, Awaits::receiver);
  result.comm = 0;
  result.peer = destination;
  result.tag = tag;
  return result;
}

LiveRank gone(int rank, RankStatus end) {
  LiveRank result = at(rank, "", 0);
  result.doing = Doing::gone;
  result.end = end;
  return result;
}

LiveWorld world_of(std::vector<LiveRank> ranks) {
  LiveWorld world;
  world.size = static_cast<int>(ranks.size());
  LiveCommunicator comm;
  comm.name = "MPI_COMM_WORLD";
  comm.size = world.size;
  comm.world = true;
  for (int rank = 0; rank < world.size; ++rank) comm.members.push_back(rank);
  world.communicators = {comm};
  world.ranks = std::move(ranks);
  return world;
}

std::string sentence_of(std::vector<LiveRank> ranks) { return stall_sentence(diagnose({world_of(std::move(ranks))}), 61.4); }

TEST(Stall, HeadToHeadSends) {
  auto first = send(0, 1, 5, 61);
  first.bytes = 1 << 20;
  EXPECT_EQ(
      sentence_of({first, send(1, 0, 6, 60)}),
      "No rank made progress for 61 s: rank 0 is in MPI_Send of 1.00 MiB to rank 1, tag 5 since 61 s; rank 1 is in MPI_Send to "
      "rank 0, tag 6 since 60 s. Deadlock: rank 0 waits for rank 1, rank 1 for rank 0.");
}

TEST(Stall, ARankThatSkipsACollective) {
  std::vector<LiveRank> ranks;
  for (int rank = 0; rank < 7; ++rank) ranks.push_back(collective(rank, "MPI_Barrier", 61 + rank, 0, 4));
  ranks.push_back(receive(7, 3, 42, 61));
  ranks.back().collectives[0] = 4;
  EXPECT_EQ(
      sentence_of(ranks),
      "No rank made progress for 61 s: ranks 0-6 are in MPI_Barrier on comm 0 since 61 s; rank 7 is in MPI_Recv from rank 3, tag "
      "42, which nobody sent, since 61 s. Deadlock: rank 3 waits for rank 7, rank 7 for rank 3.");
}

TEST(Stall, DifferentCollectives) {
  EXPECT_EQ(sentence_of({collective(0, "MPI_Bcast", 9), collective(1, "MPI_Bcast", 8), collective(2, "MPI_Reduce", 7)}),
            "No rank made progress for 61 s: ranks 0, 1 are in MPI_Bcast on comm 0 since 8 s; rank 2 is in MPI_Reduce on comm 0 "
            "since 7 "
            "s. Different collectives on comm 0 at the same time: MPI_Bcast by ranks 0, 1, MPI_Reduce by rank 2.");
}

TEST(Stall, ARootThatIsAheadMakesNoDifferentCollective) {
  // Rank 0 has left the Bcast that 1 waits in, since 2 has not come: nothing is wrong with 0's Barrier.
  EXPECT_EQ(
      sentence_of({collective(0, "MPI_Barrier", 9, 0, 5), collective(1, "MPI_Bcast", 9, 0, 4), at(2, "", 9)}),
      "No rank made progress for 61 s: rank 0 is in MPI_Barrier on comm 0 since 9 s; rank 1 is in MPI_Bcast on comm 0 since 9 s; "
      "rank 2 is computing (outside MPI) since 9 s. MPI_Barrier on comm 0 waits for ranks 1, 2. MPI_Bcast on comm 0 waits for "
      "rank "
      "2, which is computing.");
}

TEST(Stall, ARankThatIsOneCollectiveBehind) {
  EXPECT_EQ(
      sentence_of(
          {collective(0, "MPI_Barrier", 9, 0, 5), collective(1, "MPI_Barrier", 9, 0, 5), collective(2, "MPI_Barrier", 9, 0, 4)}),
      "No rank made progress for 61 s: ranks 0-2 are in MPI_Barrier on comm 0 since 9 s. MPI_Barrier on comm 0 waits for rank 2, "
      "which made 4 collective calls there and not 5.");
}

TEST(Stall, AReceiveWithTheWrongTag) {
  auto sender = collective(0, "MPI_Barrier", 9);
  sender.messages.sent[{0, 1, 41}] = 2;
  sender.messages.sent[{0, 1, 42}] = 3;
  auto receiver = receive(1, 0, 42, 9);
  receiver.messages.received[{0, 0, 42}] = 3;
  EXPECT_EQ(
      sentence_of({sender, receiver}),
      "No rank made progress for 61 s: rank 0 is in MPI_Barrier on comm 0 since 9 s; rank 1 is in MPI_Recv from rank 0, tag 42, "
      "which nobody sent, since 9 s. Deadlock: rank 0 waits for rank 1, rank 1 for rank 0. Rank 0 sent tag 41 twice, which was "
      "not received; nobody sent tag 42.");
}

TEST(Stall, NothingIsSaidOfMessagesThatAreNotCountedExactly) {
  auto sender = collective(0, "MPI_Barrier", 9);
  sender.messages.sent[{0, 1, 41}] = 2;
  sender.messages.exact = false;
  EXPECT_EQ(
      sentence_of({sender, receive(1, 0, 42, 9)}),
      "No rank made progress for 61 s: rank 0 is in MPI_Barrier on comm 0 since 9 s; rank 1 is in MPI_Recv from rank 0, tag 42 "
      "since 9 s. Deadlock: rank 0 waits for rank 1, rank 1 for rank 0.");
}

TEST(Stall, AnOpenReceiveMayHaveTakenTheOtherTag) {
  auto sender = at(0, "", 9);
  sender.messages.sent[{0, 1, 41}] = 1;
  auto receiver = receive(1, 0, 42, 9);
  receiver.messages.open_receives = 1;
  EXPECT_EQ(diagnose({world_of({sender, receiver})}).conclusions, (Texts{"Rank 1 waits for rank 0, which is computing."}));
  receiver.messages.open_receives = 0;
  EXPECT_EQ(diagnose({world_of({sender, receiver})}).conclusions,
            (Texts{"Rank 1 waits for rank 0, which is computing.",
                   "Rank 0 sent tag 41 once, which was not received; nobody sent tag 42."}));
}

TEST(Stall, AMessageThatIsThereIsNotWaitedFor) {
  auto sender = collective(0, "MPI_Barrier", 9);
  sender.messages.sent[{0, 1, 42}] = 1;
  EXPECT_EQ(
      sentence_of({sender, receive(1, 0, 42, 9)}),
      "No rank made progress for 61 s: rank 0 is in MPI_Barrier on comm 0 since 9 s; rank 1 is in MPI_Recv from rank 0, tag 42 "
      "since 9 s. MPI_Barrier on comm 0 waits for rank 1.");
}

TEST(Stall, ASendAndTheReceiveThatFitsIt) {
  EXPECT_EQ(diagnose({world_of({send(0, 1, 5, 9), receive(1, -1, -1, 9)})}).conclusions, Texts{});
}

TEST(Stall, ARankThatComputes) {
  EXPECT_EQ(
      sentence_of({collective(0, "MPI_Allreduce", 12), at(1, "", 11), collective(2, "MPI_Allreduce", 10)}),
      "No rank made progress for 61 s: ranks 0, 2 are in MPI_Allreduce on comm 0 since 10 s; rank 1 is computing (outside MPI) "
      "since 11 s. MPI_Allreduce on comm 0 waits for rank 1, which is computing.");
}

TEST(Stall, ARankThatIsGone) {
  EXPECT_EQ(
      sentence_of({collective(0, "MPI_Barrier", 12), gone(1, RankStatus::recovered), receive(2, 1, 0, 12)}),
      "No rank made progress for 61 s: rank 0 is in MPI_Barrier on comm 0 since 12 s; rank 1 is gone (it ended without "
      "MPI_Finalize); rank 2 is in MPI_Recv from rank 1, tag 0, which nobody sent, since 12 s. MPI_Barrier on comm 0 waits for "
      "ranks 1, 2. Rank 2 waits for rank 1, which is gone.");
  EXPECT_EQ(diagnose({world_of({gone(0, RankStatus::finalized), gone(1, RankStatus::finalized), receive(2, 1, 0, 12)})}),
            (StallReport{{"ranks 0, 1 have finished", "rank 2 is in MPI_Recv from rank 1, tag 0, which nobody sent, since 12 s"},
                         {"Rank 2 waits for rank 1, which has finished."}}));
}

TEST(Stall, ARankInFinalizeTakesPartNoMore) {
  auto last = collective(1, "MPI_Finalize", 3);
  last.finalizing = true;
  EXPECT_EQ(
      sentence_of({receive(0, 1, 4, 5), last}),
      "No rank made progress for 61 s: rank 0 is in MPI_Recv from rank 1, tag 4, which nobody sent, since 5 s; rank 1 is in "
      "MPI_Finalize since 3 s. Rank 0 waits for rank 1, which is in MPI_Finalize.");
}

TEST(Stall, AnySource) {
  EXPECT_EQ(
      sentence_of({receive(0, -1, -1, 5), collective(1, "MPI_Barrier", 4), collective(2, "MPI_Barrier", 4)}),
      "No rank made progress for 61 s: rank 0 is in MPI_Recv from any source, any tag, which nobody sent, since 5 s; ranks 1, 2 "
      "are in MPI_Barrier on comm 0 since 4 s. MPI_Barrier on comm 0 waits for rank 0. Nobody is left to send to rank 0: all "
      "others wait or have ended.");
  // As long as one may send, nothing is concluded.
  EXPECT_EQ(diagnose({world_of({receive(0, -1, 3, 5), at(1, "", 4)})}).conclusions, Texts{});
}

TEST(Stall, ThreeReceivesInACircle) {
  EXPECT_EQ(diagnose({world_of({receive(0, 2, 5, 9), receive(1, 0, 5, 9), receive(2, 1, 5, 9), collective(3, "MPI_Barrier", 9)})})
                .conclusions,
            (Texts{"Deadlock: rank 0 waits for rank 2, rank 2 for rank 1, rank 1 for rank 0."}));
}

TEST(Stall, APollingRank) {
  auto asking = at(0, "", 9);
  asking.doing = Doing::asking;
  asking.call = "MPI_Iprobe";
  EXPECT_EQ(
      sentence_of({asking, collective(1, "MPI_Barrier", 9)}),
      "No rank made progress for 61 s: rank 0 asks with MPI_Iprobe again and again, in vain, since 9 s; rank 1 is in MPI_Barrier "
      "on comm 0 since 9 s. MPI_Barrier on comm 0 waits for rank 0, which asks in vain.");
}

TEST(Stall, Waits) {
  auto wait = receive(0, 1, 5, 9);
  wait.call = "MPI_Wait";
  wait.request = "MPI_Irecv";
  wait.messages.open_receives = 1;
  auto other = collective(1, "MPI_Wait", 9);
  other.request = "MPI_Ibarrier";
  other.begun[{"MPI_Ibarrier", 0}] = 2;
  EXPECT_EQ(diagnose({world_of({wait, other})}),
            (StallReport{{"rank 0 is in MPI_Wait of MPI_Irecv from rank 1, tag 5, which nobody sent, since 9 s",
                          "rank 1 is in MPI_Wait of MPI_Ibarrier on comm 0 since 9 s"},
                         {"Deadlock: rank 0 waits for rank 1, rank 1 for rank 0."}}));
  // The first of several requests may have been completed: it is shown, and nothing follows from it.
  wait.call = "MPI_Waitall";
  wait.certain = false;
  EXPECT_EQ(diagnose({world_of({wait, other})}),
            (StallReport{{"rank 0 is in MPI_Waitall (first request: MPI_Irecv from rank 1, tag 5) since 9 s",
                          "rank 1 is in MPI_Wait of MPI_Ibarrier on comm 0 since 9 s"},
                         {"MPI_Ibarrier on comm 0 waits for rank 0."}}));
}

TEST(Stall, CommunicatorsOfTheProgram) {
  LiveWorld world = world_of({collective(0, "MPI_Bcast", 9, 3), at(1, "", 9), collective(2, "MPI_Bcast", 9, 3)});
  world.communicators.push_back({3, "rows", 2, false, false, {0, 2}});
  EXPECT_EQ(diagnose({world}),
            (StallReport{
                {"ranks 0, 2 are in MPI_Bcast on comm 3 (rows) since 9 s", "rank 1 is computing (outside MPI) since 9 s"}, {}}));
}

TEST(Stall, SeveralWorldsAndProcessesInInit) {
  LiveWorld starting;
  starting.id = 1;
  starting.size = 2;
  starting.initialised = false;
  starting.ranks = {at(0, "MPI_Init", 4), at(1, "MPI_Init", 4)};
  EXPECT_EQ(
      diagnose({world_of({receive(0, 1, 5, 9), at(1, "", 9)}), starting}),
      (StallReport{{"rank 0 of world 0 is in MPI_Recv from rank 1, tag 5, which nobody sent, since 9 s",
                    "rank 1 of world 0 is computing (outside MPI) since 9 s", "2 processes of world 1 are in MPI_Init since 4 s"},
                   {"World 0: Rank 0 waits for rank 1, which is computing."}}));
}

TEST(Stall, AtMost23Lines) {
  std::vector<LiveRank> ranks;
  for (int rank = 0; rank < 40; ++rank) ranks.push_back(receive(rank, 40, rank, 9));
  ranks.push_back(at(40, "", 9));
  auto lines = stall_lines(diagnose({world_of(ranks)}), 2.5);
  ASSERT_EQ(lines.size(), 23u);
  EXPECT_EQ(lines[0], "no rank made progress for 2 s:");
  EXPECT_EQ(lines[1], "  rank 0 is in MPI_Recv from rank 40, tag 0, which nobody sent, since 9 s");
  EXPECT_EQ(lines[16], "  and 26 more states");
  EXPECT_EQ(lines[22], "  and 35 more remarks");
}

}  // namespace
