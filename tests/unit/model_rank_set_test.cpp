#include "model/rank_set.hpp"

#include <gtest/gtest.h>

namespace {

using scope::model::RankSet;
using Run = RankSet::Run;
using Runs = std::vector<Run>;
using Ints = std::vector<int>;

Ints ranks_of(const RankSet &set) { return {set.begin(), set.end()}; }

TEST(RankSet, KeepsRanksInRunsOfEqualSteps) {
  RankSet all;
  for (int rank = 0; rank < 100'000; ++rank) all.push_back(rank);
  EXPECT_EQ(all.runs(), (Runs{{0, 99'999, 1}}));
  EXPECT_EQ(all.size(), 100'000u);
  EXPECT_EQ(RankSet({1, 3, 5, 7, 8, 9, 20}).runs(), (Runs{{1, 7, 2}, {8, 9, 1}, {20, 20, 1}}));
  EXPECT_EQ(ranks_of({1, 3, 5, 7, 8, 9, 20}), (Ints{1, 3, 5, 7, 8, 9, 20}));
  EXPECT_TRUE(ranks_of({}).empty());
}

TEST(RankSet, TheSameRankAgainIsOne) {
  RankSet set{4, 4, 9, 9};
  EXPECT_EQ(ranks_of(set), (Ints{4, 9}));
  EXPECT_EQ(set.size(), 2u);
  EXPECT_EQ(set.front(), 4);
  EXPECT_EQ(set.back(), 9);
}

TEST(RankSet, JoinsIntoWhatTheRanksInOrderWouldHaveMade) {
  RankSet set{0, 2, 4};
  set.join({1, 2, 3});
  EXPECT_EQ(set, RankSet({0, 1, 2, 3, 4}));
  EXPECT_EQ(set.runs().size(), 1u);
  set.join({});
  EXPECT_EQ(set.size(), 5u);
  RankSet empty;
  empty.join({7});
  EXPECT_EQ(ranks_of(empty), Ints{7});
}

TEST(RankSet, WhatIsNotKnownHasASizeAndNoRanks) {
  RankSet set = RankSet::unknown(50'000);
  EXPECT_EQ(set.size(), 50'000u);
  EXPECT_FALSE(set.empty());
  EXPECT_TRUE(ranks_of(set).empty());
  set.join({1, 2});
  EXPECT_EQ(set, RankSet::unknown(50'000));
}

}  // namespace
