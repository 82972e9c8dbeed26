#include "model/live_state.hpp"

#include <gtest/gtest.h>

#include "live_block_builder.hpp"
#include "model/live_progress.hpp"
#include "record_builder.hpp"
#include "temporary_directory.hpp"

using namespace scope::model;
using namespace scope::test;
namespace wire = scope::wire;
using wire::Call;

namespace {

constexpr std::uint64_t now_ns = 150'000;

/// A rank that runs: ticks are nanoseconds.
RankRecord running(int rank, int size) {
  RankRecord record = record_of(rank, size);
  record.source = "live-" + std::to_string(rank);
  record.boot_id = "boot-1";
  record.from_live_block = true;
  record.status = RankStatus::recovered;
  record.end = 0;
  return record;
}

RankRecord in(RankRecord record, const std::string &call, int peer, int tag, const std::string &request = "") {
  record.in_call = {{call, peer, tag, -1, 0, 100'000, request}};
  return record;
}

std::vector<LiveWorld> state(const std::vector<RankRecord> &records,
                             const std::map<std::filesystem::path, LiveFact> &facts = {}) {
  return live_state(records, facts, "boot-1", now_ns);
}

LiveRank only(RankRecord record) {
  auto worlds = state({std::move(record)});
  return worlds.empty() || worlds[0].ranks.empty() ? LiveRank{} : worlds[0].ranks[0];
}

TEST(LiveState, WhatACallAwaits) {
  struct Case {
    const char *call, *request;
    Awaits awaits;
    bool certain;
  };
  for (const Case &one :
       {Case{"MPI_Recv", "", Awaits::message, true}, Case{"MPI_Probe", "", Awaits::message, true},
        Case{"MPI_Ssend", "", Awaits::receiver, true}, Case{"MPI_Sendrecv", "", Awaits::unknown, true},
        Case{"MPI_Barrier", "", Awaits::members, true}, Case{"MPI_Comm_split", "", Awaits::members, true},
        Case{"MPI_Comm_create_group", "", Awaits::unknown, true}, Case{"MPI_Isend", "", Awaits::unknown, true},
        Case{"MPI_Ibarrier", "", Awaits::unknown, true}, Case{"MPI_Wait", "MPI_Irecv", Awaits::message, true},
        Case{"MPI_Wait", "MPI_Ssend_init", Awaits::receiver, true}, Case{"MPI_Wait", "MPI_Iallreduce", Awaits::members, true},
        Case{"MPI_Waitall", "MPI_Irecv", Awaits::message, false}, Case{"MPI_Waitany", "", Awaits::unknown, false}}) {
    LiveRank rank = only(in(running(0, 1), one.call, 0, 3, one.request));
    EXPECT_EQ(rank.doing, Doing::in_call) << one.call;
    EXPECT_EQ(rank.awaits, one.awaits) << one.call << " " << one.request;
    EXPECT_EQ(rank.certain, one.certain) << one.call;
  }
  LiveRank rank = only(in(running(0, 1), "MPI_Recv", 0, 3));
  EXPECT_EQ(std::tuple(rank.peer, rank.tag, rank.comm, rank.since_ns), std::tuple(0, 3, 0, 50'000));
}

TEST(LiveState, OtherThreadsMakeACallLessCertain) {
  RankRecord record = in(running(0, 1), "MPI_Recv", 0, 3);
  record.threads = 2;
  EXPECT_FALSE(only(record).certain);
  record.in_call.push_back(record.in_call[0]);
  EXPECT_TRUE(only(record).certain);
}

TEST(LiveState, WhoIsGone) {
  RankRecord dumped = record_of(1, 4), dead = in(running(2, 4), "MPI_Recv", 0, 1), asking = in(running(3, 4), "MPI_Test", -1, -1);
  add_calls(asking, "MPI_Test", 10, 1);
  add_calls(asking, "MPI_Iprobe", 20, 1);
  add_calls(asking, "MPI_Send", 30, 1);
  auto worlds = state({running(0, 4), dumped, dead, asking},
                      {{"live-0", {true, false, 70}}, {"live-2", {false, false, 70}}, {"live-3", {true, true, 60}}});
  ASSERT_EQ(worlds.size(), 1u);
  const auto &ranks = worlds[0].ranks;
  ASSERT_EQ(ranks.size(), 4u);
  EXPECT_EQ(std::tuple(ranks[0].doing, ranks[0].since_ns), std::tuple(Doing::computing, 70));
  EXPECT_EQ(std::tuple(ranks[1].doing, ranks[1].end), std::tuple(Doing::gone, RankStatus::finalized));
  EXPECT_EQ(std::tuple(ranks[2].doing, ranks[2].end), std::tuple(Doing::gone, RankStatus::recovered));
  EXPECT_EQ(std::tuple(ranks[3].doing, ranks[3].call, ranks[3].since_ns), std::tuple(Doing::asking, "MPI_Iprobe", 60));
  ASSERT_EQ(worlds[0].communicators.size(), 1u);
  EXPECT_TRUE(worlds[0].communicators[0].world);
  EXPECT_EQ(worlds[0].communicators[0].members, (std::vector<int>{0, 1, 2, 3}));
}

TEST(LiveState, WorldsThatHaveEndedAreLeftOut) { EXPECT_EQ(state({record_of(0, 2), record_of(1, 2)}).size(), 0u); }

TEST(LiveState, CollectivesAreCounted) {
  RankRecord record = running(0, 2);
  for (auto [call, calls] : {std::pair("MPI_Barrier", 3u), {"MPI_Ibcast", 2u}, {"MPI_Comm_dup", 1u}, {"MPI_Send", 9u}}) {
    record.signatures.push_back(signature(call, calls, 0));
    record.signatures.back().comm = 0;
  }
  LiveRank rank = only(record);
  EXPECT_EQ(rank.collectives, (std::map<int, std::int64_t>{{0, 6}}));
  EXPECT_EQ(rank.begun, (std::map<std::pair<std::string, int>, std::int64_t>{{{"MPI_Ibcast", 0}, 2}}));
  EXPECT_TRUE(rank.counts_all);
  add_calls(record, "MPI_Pcontrol", 1, 1);
  EXPECT_FALSE(only(record).counts_all);
}

TEST(LiveState, WhatARankHasDoneSoFar) {
  RankRecord record = in(running(0, 1), "MPI_Recv", 0, 3);
  record.mpi_ticks = 700;
  record.calls.push_back({"MPI_Send", 3, 0, 1, 1, 1, 0, 24, 0, {}});
  record.calls.push_back({"MPI_Recv", 2, 0, 1, 1, 1, 0, 0, 16, {}});
  LiveRank rank = only(record);
  EXPECT_EQ(rank.counts, (LiveCounts{5, 24, 16, 700 + 50'000})) << "the call that it is in included";
  EXPECT_EQ(std::tuple(rank.process, rank.host, rank.pid), std::tuple("node1-100-7", "node1", 100));
  record.in_call.clear();
  EXPECT_EQ(only(record).counts.mpi_ns, 700);
}

/// Writes live blocks and reads their progress.
struct Blocks {
  TemporaryDirectory directory;
  std::filesystem::path write(const LiveBlockBuilder &block) { return directory.write("live", block.bytes); }
};

TEST(LiveState, TheRequestOfAWaitIsRead) {
  Blocks blocks;
  auto thread = idle_thread(0);
  thread.current = {id(Call::MPI_Wait), id(Call::MPI_Irecv), wire::none_comm, 2, 5, 8, 40'000, 0, 0};
  LiveBlockBuilder block;
  block.add_thread(0, thread);
  auto in_call = read_live_block(blocks.write(block)).in_call;
  ASSERT_EQ(in_call.size(), 1u);
  EXPECT_EQ(in_call[0].request_call, "MPI_Irecv");
  thread.current.request_call = no_call;
  LiveBlockBuilder other;
  other.add_thread(0, thread);
  EXPECT_EQ(read_live_block(blocks.write(other)).in_call.at(0).request_call, "");
}

TEST(LiveProgress, PositionAndWork) {
  Blocks blocks;
  auto thread = idle_thread(70);
  thread.current.since = 40'000;
  LiveBlockBuilder idle;
  idle.add_thread(0, thread);
  wire::Entry wait = entry(Call::MPI_Testall, 50, 1, 1, 1);
  wait.completions = 2;
  idle.add_entries(0, {entry(Call::MPI_Send, 3, 1, 1, 1), wait, entry(Call::MPI_Iprobe, 99, 1, 1, 1)});
  idle.add_stats(0, lost(Call::MPI_Recv, {5, 6}));
  idle.add_stats(0, lost(Call::MPI_Test, {5, 6}));
  auto progress = read_live_progress(blocks.write(idle));
  ASSERT_TRUE(progress);
  EXPECT_EQ(progress->mpi_ticks, 70u);
  EXPECT_FALSE(progress->in_work);
  EXPECT_EQ(read_live_work(blocks.write(idle)), 3u + 2u + 2u);

  for (auto [call, in_work] :
       {std::pair(Call::MPI_Recv, true), {Call::MPI_Test, false}, {Call::MPI_Iprobe, false}, {Call::MPI_Probe, true}}) {
    LiveBlockBuilder inside;
    thread.current.call = id(call);
    inside.add_thread(0, thread);
    auto other = read_live_progress(blocks.write(inside));
    ASSERT_TRUE(other);
    EXPECT_EQ(other->in_work, in_work);
    EXPECT_NE(other->position, progress->position);
  }
}

TEST(LiveProgress, DamagedBlocksTellNothing) {
  Blocks blocks;
  LiveBlockBuilder good;
  auto at = good.add_thread(0, idle_thread(70));
  auto damaged = [&](auto change) {
    LiveBlockBuilder copy = good;
    change(copy);
    auto file = blocks.write(copy);
    return !read_live_progress(file) && !read_live_work(file);
  };
  EXPECT_FALSE(damaged([](LiveBlockBuilder &) {}));
  EXPECT_TRUE(damaged([](LiveBlockBuilder &block) { block.bytes[0] = 'x'; }));
  EXPECT_TRUE(damaged([](LiveBlockBuilder &block) { block.bytes.resize(100); }));
  EXPECT_TRUE(damaged([&](LiveBlockBuilder &block) { block.put(at + offsetof(wire::ItemHeader, bytes), std::uint64_t{0}); }));
  EXPECT_TRUE(
      damaged([&](LiveBlockBuilder &block) { block.put(at + offsetof(wire::ItemHeader, bytes), std::uint64_t{1} << 40); }));
  EXPECT_FALSE(read_live_progress(blocks.directory.path / "missing"));
}

}  // namespace
