#include "analyze/heat.hpp"

#include <gtest/gtest.h>

namespace {

using namespace scope;
using namespace scope::analyze;

model::Profile two_ranks() {
  model::Profile profile;
  for (int rank = 0; rank < 2; ++rank) {
    model::Rank one;
    one.rank = rank;
    one.wall_ns = 1000;
    one.mpi_ns = rank == 0 ? 300 : 700;
    profile.ranks.push_back(one);
  }
  auto add = [&](const char *name, std::int64_t first, std::int64_t second) {
    model::CallRow row;
    row.name = name;
    row.calls = 2;
    row.total_ns = first + second;
    row.per_rank = {{1, 1}, {first, second}, {0, 0}, {0, 0}};
    profile.calls.push_back(row);
    profile.totals.mpi_ns += first + second;
  };
  add("MPI_Send", 200, 500);
  add("MPI_Recv", 90, 110);
  add("MPI_Bcast", 10, 90);
  profile.totals.wall_sum_ns = 2000;
  return profile;
}

TEST(Heat, SharesOfTheRanksWallTimeLongestCallsFirst) {
  const model::Profile profile = two_ranks();
  const Heat heat = heat_of(profile, {}, 2);
  EXPECT_EQ(heat.calls, (std::vector<std::string>{"MPI_Send", "MPI_Recv"}));
  ASSERT_EQ(heat.rows.size(), 2u);
  EXPECT_EQ(heat.rows[0].mpi_share, 0.3);
  EXPECT_EQ(heat.rows[1].shares, (std::vector<std::optional<double>>{0.5, 0.11}));
  const Heat one = heat_of(profile, make_filter(profile, "1", "Recv", ""), 8);
  EXPECT_EQ(one.calls, std::vector<std::string>{"MPI_Recv"});
  ASSERT_EQ(one.rows.size(), 1u);
  EXPECT_EQ(one.rows[0].rank, 1);
  EXPECT_EQ(one.rows[0].shares, (std::vector<std::optional<double>>{0.11}));
}

}  // namespace
