#include "model/rank_spread.hpp"

#include <numeric>

#include <gtest/gtest.h>

namespace {

using namespace scope::model;

TEST(RankSpread, QuantilesAreValuesOfRanks) {
  std::vector<std::int64_t> values(100);
  std::iota(values.begin(), values.end(), 1);
  EXPECT_EQ(quantiles_of(values), (Quantiles{1, 5, 25, 50, 75, 95, 100}));
  EXPECT_EQ(quantiles_of({30, 10, 20}), (Quantiles{10, 10, 10, 20, 30, 30, 30}));
  EXPECT_EQ(quantiles_of({7}), (Quantiles{7, 7, 7, 7, 7, 7, 7}));
  EXPECT_EQ(quantiles_of({}), Quantiles{});
}

TEST(RankSpread, ExtremesAreTheShortestAndTheLongestByTimeThenIndex) {
  PerRank per_rank;
  for (int rank = 0; rank < 100; ++rank) {
    per_rank.total_ns.push_back(rank % 50 * 10);  // each time twice
    per_rank.calls.push_back(rank);
    per_rank.bytes_sent.push_back(rank + 1000);
    per_rank.bytes_received.push_back(0);
  }
  const RankSpread spread = spread_of(per_rank);
  EXPECT_EQ(spread.ranks, 100u);
  EXPECT_EQ(spread.extremes, (std::vector<std::size_t>{0, 50, 1, 51, 2, 52, 3, 53, 46, 96, 47, 97, 48, 98, 49, 99}));
  EXPECT_EQ(spread.of_extremes.total_ns, (std::vector<std::int64_t>{0, 0, 10, 10, 20, 20, 30, 30, 460, 460, 470, 470, 480, 480, 490, 490}));
  EXPECT_EQ(spread.of_extremes.calls.back(), 99);
  EXPECT_EQ(spread.of_extremes.bytes_sent.front(), 1000);
  EXPECT_EQ(spread.total_ns, (Quantiles{0, 20, 120, 240, 370, 470, 490}));
}

TEST(RankSpread, OfFewRanksEachIsAnExtremeOnce) {
  PerRank per_rank{{1, 2, 3}, {30, 10, 20}, {0, 0, 0}, {0, 0, 0}};
  EXPECT_EQ(spread_of(per_rank).extremes, (std::vector<std::size_t>{1, 2, 0}));
  PerRank ten;
  for (int rank = 0; rank < 10; ++rank)
    for (auto *column : {&ten.calls, &ten.total_ns, &ten.bytes_sent, &ten.bytes_received}) column->push_back(10 - rank);
  EXPECT_EQ(spread_of(ten).extremes, (std::vector<std::size_t>{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
}

}  // namespace
