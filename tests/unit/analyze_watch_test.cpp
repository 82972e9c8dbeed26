#include "analyze/watch.hpp"

#include <gtest/gtest.h>

using namespace scope::analyze;
using namespace scope::model;

namespace {

constexpr std::uint64_t s = 1'000'000'000;

LiveRank rank_at(int number, Doing doing, const std::string &call, std::int64_t since_s, const LiveCounts &counts) {
  LiveRank rank;
  rank.rank = number;
  rank.process = "node1-" + std::to_string(100 + number) + "-7";
  rank.host = "node1";
  rank.pid = 100 + number;
  rank.doing = doing;
  rank.call = call;
  rank.comm = doing == Doing::in_call ? 0 : -1;
  rank.since_ns = since_s * static_cast<std::int64_t>(s);
  rank.counts = counts;
  if (doing == Doing::in_call) rank.awaits = call == "MPI_Recv" ? Awaits::message : Awaits::members;
  return rank;
}

LiveRank receiving(int number, int from, std::int64_t since_s, const LiveCounts &counts = {}) {
  LiveRank rank = rank_at(number, Doing::in_call, "MPI_Recv", since_s, counts);
  rank.peer = from;
  rank.tag = 5;
  return rank;
}

LiveWorld world_of(std::vector<LiveRank> ranks, int size = 0) {
  LiveWorld world;
  world.size = size ? size : static_cast<int>(ranks.size());
  LiveCommunicator comm;
  comm.name = "MPI_COMM_WORLD";
  comm.size = world.size;
  comm.world = true;
  for (const LiveRank &rank : ranks) comm.members.push_back(rank.rank);
  world.communicators = {comm};
  world.ranks = std::move(ranks);
  return world;
}

Watched look(const std::vector<LiveWorld> &worlds, const WatchBefore &before = {}, std::uint64_t now = 10 * s) {
  return watch(worlds, before, now, 0, 5 * static_cast<std::int64_t>(s));
}

TEST(Watch, RatesAreWhatWasAddedPerSecond) {
  std::vector<LiveWorld> first{world_of({rank_at(0, Doing::computing, "", 0, {100, 1000, 4000, 1 * s}),
                                         receiving(1, 0, 1, {10, 0, 500, 3 * s})})};
  std::vector<LiveWorld> second{world_of({rank_at(0, Doing::computing, "", 0, {150, 2000, 4000, 1 * s + s / 2}),
                                          receiving(1, 0, 3, {10, 0, 500, 5 * s})})};
  Watched watched = look(second, remember(first, 8 * s));
  const Rates &rank0 = watched.ranks[0].rates, &rank1 = watched.ranks[1].rates, &all = watched.totals.rates;
  EXPECT_EQ(rank0.mpi_share, 0.25);
  EXPECT_EQ(rank0.calls, 25);
  EXPECT_EQ(rank0.bytes_sent, 500);
  EXPECT_EQ(rank0.bytes_received, 0);
  EXPECT_EQ(rank1.mpi_share, 1);
  EXPECT_EQ(rank1.calls, 0);
  EXPECT_EQ(all.mpi_share, 0.625) << "the mean";
  EXPECT_EQ(all.calls, 25) << "the sum";
  EXPECT_EQ(watched.totals.counts, (LiveCounts{160, 2000, 4500, 6 * s + s / 2}));
}

TEST(Watch, NoRatesWithoutAnEarlierLook) {
  std::vector<LiveWorld> one{world_of({receiving(0, 1, 1)})};
  EXPECT_FALSE(look(one).ranks[0].rates.mpi_share);
  EXPECT_FALSE(look(one).totals.rates.calls);
  std::vector<LiveWorld> two{world_of({receiving(0, 1, 1), receiving(1, 0, 1)})};
  Watched watched = look(two, remember(one, 9 * s));
  EXPECT_TRUE(watched.ranks[0].rates.mpi_share);
  EXPECT_FALSE(watched.ranks[1].rates.mpi_share) << "it has just come";
  EXPECT_FALSE(look(one, remember(one, 10 * s)).ranks[0].rates.calls) << "no time has passed";
}

TEST(Watch, WhatADamagedFileSaysStaysInBounds) {
  std::vector<LiveWorld> before{world_of({receiving(0, 1, 1, {100, 100, 100, 9 * s})})};
  std::vector<LiveWorld> after{world_of({receiving(0, 1, 1, {50, 50, 50, 100 * s})})};
  const Rates rates = look(after, remember(before, 9 * s)).ranks[0].rates;
  EXPECT_EQ(rates.calls, 0);
  EXPECT_EQ(rates.mpi_share, 1);
}

TEST(Watch, RanksOfEqualStateAreOneRow) {
  Watched watched = look({world_of({receiving(0, 3, 1), receiving(1, 0, 4), rank_at(2, Doing::computing, "", 0, {}),
                                    receiving(3, 2, 2), rank_at(4, Doing::gone, "", 0, {})},
                                   6)});
  ASSERT_EQ(watched.states.size(), 3u);
  const WatchState &state = watched.states[0];
  EXPECT_EQ(state.ranks, (std::vector<int>{0, 1, 3}));
  EXPECT_EQ(state.first.call, "MPI_Recv");
  EXPECT_EQ(state.first.comm_name, "MPI_COMM_WORLD");
  EXPECT_TRUE(state.many_peers);
  EXPECT_EQ(std::tuple(state.first.peer, state.first.tag), std::tuple(-1, 5));
  EXPECT_EQ(std::tuple(state.since_min_ns, state.since_max_ns), std::tuple(1 * s, 4 * s));
  EXPECT_EQ(watched.states[1].first.doing, Doing::computing);
  EXPECT_EQ(watched.states[2].first.doing, Doing::gone) << "last";
  const WatchTotals &totals = watched.totals;
  EXPECT_EQ(std::tuple(totals.ranks, totals.in_call, totals.computing, totals.asking, totals.gone, totals.unreported),
            std::tuple(5, 3, 1, 0, 1, 1));
}

TEST(Watch, WorldsStayApart) {
  LiveWorld other = world_of({receiving(0, 1, 1)});
  other.id = 1;
  Watched watched = look({world_of({receiving(0, 1, 1)}), other});
  EXPECT_TRUE(watched.several_worlds);
  EXPECT_EQ(watched.states.size(), 2u);
}

TEST(Watch, AStallIsSeenAtTheFirstLook) {
  Watched watched = look({world_of({receiving(0, 1, 7), receiving(1, 0, 6)})});
  EXPECT_EQ(watched.still_ns, static_cast<std::int64_t>(6 * s));
  ASSERT_TRUE(watched.stall);
  EXPECT_EQ(watched.stall->conclusions,
            (std::vector<std::string>{"Deadlock: rank 0 waits for rank 1, rank 1 for rank 0."}));
  EXPECT_FALSE(look({world_of({receiving(0, 1, 7), receiving(1, 0, 4)})}).stall) << "rank 1 has just come";
  EXPECT_FALSE(look({world_of({receiving(0, 1, 7), rank_at(1, Doing::computing, "", 9, {})})}).stall);
}

TEST(Watch, WhatTheObserverSawCounts) {
  std::vector<LiveWorld> worlds{world_of({rank_at(0, Doing::computing, "", 9, {})})};
  EXPECT_TRUE(watch(worlds, {}, 10 * s, 5 * s, 5 * s).stall);
  EXPECT_FALSE(watch(worlds, {}, 10 * s, 5 * s - 1, 5 * s).stall);
}

std::vector<int> numbers(std::vector<WatchRank> ranks, WatchOrder order) {
  sort_ranks(ranks, order);
  std::vector<int> result;
  for (const WatchRank &rank : ranks) result.push_back(rank.rank);
  return result;
}

TEST(Watch, Orders) {
  std::vector<LiveWorld> before{world_of({receiving(0, 1, 0), receiving(1, 1, 0), receiving(2, 1, 0), receiving(3, 1, 0)})};
  std::vector<LiveWorld> after{world_of({receiving(0, 1, 2, {5, 100, 0, s / 2}), receiving(1, 1, 9, {1, 0, 900, s}),
                                         rank_at(2, Doing::computing, "", 99, {9, 0, 0, 0}), rank_at(3, Doing::gone, "", 0, {})})};
  const auto ranks = look(after, remember(before, 9 * s)).ranks;
  EXPECT_EQ(numbers(ranks, WatchOrder::since), (std::vector<int>{1, 0, 2, 3})) << "to compute is no wait";
  EXPECT_EQ(numbers(ranks, WatchOrder::mpi), (std::vector<int>{1, 0, 2, 3}));
  EXPECT_EQ(numbers(ranks, WatchOrder::calls), (std::vector<int>{2, 0, 1, 3}));
  EXPECT_EQ(numbers(ranks, WatchOrder::bytes), (std::vector<int>{1, 0, 2, 3}));
  EXPECT_EQ(numbers(ranks, WatchOrder::rank), (std::vector<int>{0, 1, 2, 3}));
}

}  // namespace
