#include "analyze/efficiency.hpp"

#include <gtest/gtest.h>

#include "analyze/sums.hpp"
#include "sample_profile.hpp"

namespace {

using namespace scope;

model::Profile ranks_of(std::vector<std::pair<std::int64_t, std::int64_t>> wall_and_mpi) {
  model::Profile profile;
  for (auto [wall, mpi] : wall_and_mpi) {
    model::Rank rank;
    rank.rank = static_cast<int>(profile.ranks.size());
    rank.wall_ns = wall;
    rank.mpi_ns = mpi;
    profile.ranks.push_back(rank);
  }
  return profile;
}

TEST(Efficiency, IsThatOfPop) {
  const model::Profile profile = test::sample_profile();
  EXPECT_DOUBLE_EQ(*profile.efficiency.load_balance, 8.0 / 9.0);
  EXPECT_DOUBLE_EQ(*profile.efficiency.communication, 0.9);
  EXPECT_DOUBLE_EQ(*profile.efficiency.parallel, 0.8);
}

TEST(Efficiency, IsNullWithoutRanksOrWallTime) {
  for (model::Profile profile : {model::Profile(), ranks_of({{0, 0}, {0, 0}})}) {
    analyze::analyze(profile);
    EXPECT_FALSE(profile.efficiency.parallel);
    EXPECT_FALSE(profile.efficiency.load_balance);
    EXPECT_FALSE(profile.efficiency.communication);
  }
}

TEST(Efficiency, OfRanksThatAreNeverOutsideMpi) {
  model::Profile profile = ranks_of({{100, 100}, {50, 50}});
  analyze::analyze(profile);
  EXPECT_EQ(profile.efficiency.parallel, 0.0);
  EXPECT_EQ(profile.efficiency.load_balance, 1.0);
  EXPECT_EQ(profile.efficiency.communication, 0.0);
}

TEST(Efficiency, TakesWorldsWithMpiTogetherAndLeavesOthersOut) {
  model::Profile profile = ranks_of({{100, 20}, {100, 60}, {1000, 0}});
  profile.ranks[1].world = 1;
  profile.ranks[2].world = 2;  // never called MPI
  analyze::analyze(profile);
  EXPECT_DOUBLE_EQ(*profile.efficiency.load_balance, 60.0 / 80.0);
  EXPECT_DOUBLE_EQ(*profile.efficiency.communication, 0.8);
  EXPECT_DOUBLE_EQ(*profile.efficiency.parallel, 0.6);
}

TEST(Efficiency, OfChosenRanks) {
  const model::Efficiency efficiency = analyze::efficiency_of(test::sample_profile(), {1, 2});  // U = 8, 7
  EXPECT_DOUBLE_EQ(*efficiency.load_balance, 7.5 / 8.0);
  EXPECT_DOUBLE_EQ(*efficiency.communication, 0.8);
}

TEST(Imbalance, OfTheSample) {
  const model::Profile profile = test::sample_profile();
  EXPECT_DOUBLE_EQ(profile.calls[0].imbalance, 1 - 1.0 / 1.5);         // Allreduce: mean 1.0, max 1.5 ms
  EXPECT_DOUBLE_EQ(profile.calls[1].imbalance, 1 - 0.375 / 0.8);       // Recv: two of four ranks
  EXPECT_DOUBLE_EQ(profile.calls[3].imbalance, 1 - 0.25 / 0.7);        // Send
}

TEST(Imbalance, IsZeroForOneRankAndForNoTime) {
  model::Profile profile = ranks_of({{100, 20}, {100, 20}});
  profile.calls = {test::sample_call("MPI_Send", "point-to-point", {{1, 1}, {0, 0}, {0, 0}, {0, 0}})};
  analyze::analyze(profile);
  EXPECT_EQ(profile.calls[0].imbalance, 0);
  profile.calls[0].per_rank.total_ns = {8, 0};
  EXPECT_EQ(analyze::imbalance_of(profile, profile.calls[0], {0, 1}), 0.5);
  EXPECT_EQ(analyze::imbalance_of(profile, profile.calls[0], {0}), 0);
}

TEST(Imbalance, IsOverTheWorldsThatUseTheCall) {
  model::Profile profile = ranks_of({{100, 20}, {100, 20}, {100, 20}});
  profile.ranks[2].world = 1;
  profile.calls = {test::sample_call("MPI_Send", "point-to-point", {{1, 0, 0}, {30, 0, 0}, {0, 0, 0}, {0, 0, 0}})};
  analyze::analyze(profile);
  EXPECT_DOUBLE_EQ(profile.calls[0].imbalance, 0.5);  // rank 1 counts, the rank of world 1 does not
}

TEST(Imbalance, SurvivesPerRankVectorsThatAreTooShort) {
  model::Profile profile = ranks_of({{100, 20}, {100, 20}});
  profile.calls = {test::sample_call("MPI_Send", "point-to-point", {{1}, {30}, {}, {}})};
  analyze::analyze(profile);
  EXPECT_DOUBLE_EQ(profile.calls[0].imbalance, 0.5);
}

TEST(Sums, StayAtTheLargestNumber) {
  EXPECT_EQ(analyze::add(2, 3), 5);
  EXPECT_EQ(analyze::add(INT64_MAX, 1), INT64_MAX);
  EXPECT_EQ(analyze::add(INT64_MIN, -1), INT64_MIN);
}

TEST(BetweenInitAndFinalize, IsTheRestOfTheRun) {
  model::Profile profile = test::sample_profile();
  profile.calls[0].name = "MPI_Init";  // 0.5, 1, 1.5, 1 ms of 10 ms each
  const auto between = analyze::between_init_and_finalize(profile, {0, 1, 2, 3});
  EXPECT_EQ(between.startup_ns, 4'000'000);
  EXPECT_DOUBLE_EQ(*between.startup_share, 0.1);
  EXPECT_DOUBLE_EQ(*between.mpi_share, 4.0 / 36.0);
  EXPECT_DOUBLE_EQ(*between.parallel, 8.0 / 9.0 * 9.0 / 9.5);
}

TEST(BetweenInitAndFinalize, WithoutThemIsTheWholeRun) {
  const auto between = analyze::between_init_and_finalize(test::sample_profile(), {0, 1, 2, 3});
  EXPECT_EQ(between.startup_ns, 0);
  EXPECT_DOUBLE_EQ(*between.mpi_share, 0.2);
  EXPECT_DOUBLE_EQ(*between.parallel, 0.8);
}

}  // namespace
