// The profile as rows of one region on one rank: calls and times of every rank and procedure add up.

#include "analyze/rank_rows.hpp"

#include <gtest/gtest.h>

using namespace scope;

namespace {

model::SignatureRow signature(const std::string &call, const std::string &region, std::vector<int> ranks, std::int64_t calls,
                              std::int64_t total_ns, std::int64_t min_ns, std::int64_t max_ns, int world = 0) {
  model::SignatureRow row;
  row.call = call;
  row.region = region;
  row.ranks = std::move(ranks);
  row.world = world;
  row.calls = calls;
  row.total_ns = total_ns;
  row.min_ns = min_ns;
  row.max_ns = max_ns;
  return row;
}

model::CallRow call(const std::string &name, std::vector<std::int64_t> calls, std::vector<std::int64_t> total_ns) {
  model::CallRow row;
  row.name = name;
  row.per_rank.calls = std::move(calls);
  row.per_rank.total_ns = std::move(total_ns);
  return row;
}

/// "name @rank calls total min..max self".
std::vector<std::string> lines(const model::Profile &profile) {
  std::vector<std::string> result;
  for (const auto &row : analyze::rank_rows(profile))
    result.push_back(row.name + " @" + std::to_string(row.rank) + " " + std::to_string(row.calls) + " " + std::to_string(row.total_ns) + " " +
                     std::to_string(row.min_ns) + ".." + std::to_string(row.max_ns) + " " + (row.self_ns ? std::to_string(*row.self_ns) : "?"));
  return result;
}

model::Profile two_ranks() {
  model::Profile profile;
  profile.ranks.resize(2);
  profile.ranks[1].rank = 1;
  return profile;
}

using Lines = std::vector<std::string>;

TEST(RankRows, SignaturesOfOneRankAndOneThatIsShared) {
  auto profile = two_ranks();
  const std::string own = "mpi:send kind=point-to-point bytes=8 peer=1 root=-1 tag=3 comm=0";
  const std::string shared = "mpi:send kind=point-to-point bytes=0 peer=-1 root=-1 tag=9 comm=0";
  profile.calls = {call("MPI_Send", {5, 2}, {70, 9})};
  profile.signatures = {signature("MPI_Send", own, {0}, 3, 60, 10, 30), signature("MPI_Send", shared, {0, 1}, 4, 19, 2, 6)};
  EXPECT_EQ(lines(profile), (Lines{own + " @0 3 60 10..30 60", shared + " @0 2 10 2..6 10", shared + " @1 2 9 2..6 9"}));
  const auto rows = analyze::rank_rows(profile);
  ASSERT_TRUE(rows[0].mpi);
  EXPECT_EQ(rows[0].mpi->peer, 1);
}

TEST(RankRows, WhatSeveralSharedOnesDifferInIsNotKnown) {
  auto profile = two_ranks();
  const std::string end = " peer=-1 root=0 tag=-1 comm=2";
  profile.calls = {call("MPI_Bcast", {3, 4}, {30, 50})};
  profile.signatures = {signature("MPI_Bcast", "mpi:bcast kind=collective bytes=8" + end, {0, 1}, 4, 50, 3, 20),
                        signature("MPI_Bcast", "mpi:bcast kind=collective bytes=16" + end, {0, 1}, 3, 30, 2, 25)};
  const std::string both = "mpi:bcast kind=collective bytes=-1" + end;
  EXPECT_EQ(lines(profile), (Lines{both + " @0 3 30 2..25 30", both + " @1 4 50 2..25 50"}));
}

TEST(RankRows, AWaitForSeveralRequestsIsOneCall) {
  auto profile = two_ranks();
  const std::string begin = "mpi:waitall kind=wait bytes=8 peer=1 root=-1 tag=", end = " comm=0 request=irecv";
  profile.calls = {call("MPI_Waitall", {1, 0}, {91, 0})};
  profile.signatures = {signature("MPI_Waitall", begin + "3" + end, {0}, 1, 45, 91, 91), signature("MPI_Waitall", begin + "4" + end, {0}, 0, 46, 0, 0)};
  EXPECT_EQ(lines(profile), (Lines{begin + "-1" + end + " @0 1 91 0..91 91"}));
}

TEST(RankRows, BoundsOfAShareOfAWait) {
  auto profile = two_ranks();
  const std::string name = "mpi:waitall kind=wait bytes=8 peer=1 root=-1 tag=3 comm=0 request=irecv";
  profile.calls = {call("MPI_Waitall", {2, 0}, {91, 0})};
  profile.signatures = {signature("MPI_Waitall", name, {0}, 2, 91, 60, 70)};
  EXPECT_EQ(lines(profile), (Lines{name + " @0 2 91 45..70 91"}));
}

TEST(RankRows, RanksOfWorldsAreNumberedThrough) {
  auto profile = two_ranks();
  profile.ranks[1] = {};
  profile.ranks[1].world = 1;
  const std::string name = "mpi:barrier kind=collective bytes=0 peer=-1 root=-1 tag=-1 comm=0";
  profile.calls = {call("MPI_Barrier", {1, 2}, {5, 6})};
  profile.signatures = {signature("MPI_Barrier", name, {0}, 2, 6, 3, 3, 1), signature("MPI_Barrier", name, {0}, 1, 5, 5, 5, 0)};
  EXPECT_EQ(lines(profile), (Lines{name + " @1 2 6 3..3 6", name + " @0 1 5 5..5 5"}));
}

TEST(RankRows, EqualNamesOfRegionsAreOneRow) {
  auto profile = two_ranks();
  model::RegionRow region;
  region.name = "solve";
  region.path = "a/solve";
  region.per_rank = {{1, 0}, {40, 0}, {0, 0}, {0, 0}};
  region.total_ns = region.min_ns = region.max_ns = 40;
  region.self_ns = 30;
  profile.regions = {region};
  region.path = "b/solve";
  region.per_rank = {{2, 1}, {20, 7}, {0, 0}, {0, 0}};
  region.total_ns = 27;
  region.self_ns = 20;
  region.min_ns = 4;
  region.max_ns = 12;
  profile.regions.push_back(region);
  EXPECT_EQ(lines(profile), (Lines{"solve @0 3 60 4..40 ?", "solve @1 1 7 4..12 ?"}));
}

TEST(RankRows, WrappedCallsThatTheShimSawCountOnce) {
  auto profile = two_ranks();
  const std::string name = "mpi:send kind=point-to-point bytes=8 peer=1 root=-1 tag=3 comm=0";
  model::RegionRow region;
  region.name = name;
  region.path = "all/" + name;
  region.per_rank = {{1, 0}, {9, 0}, {0, 0}, {0, 0}};
  region.rank_self_ns = {9, 0};
  profile.regions = {region};
  EXPECT_EQ(lines(profile), (Lines{name + " @0 1 9 0..0 9"})) << "without --mpi-calls the region is all there is";
  profile.calls = {call("MPI_Send", {1, 0}, {7, 0})};
  profile.signatures = {signature("MPI_Send", name, {0}, 1, 7, 7, 7)};
  EXPECT_EQ(lines(profile), (Lines{name + " @0 1 7 7..7 7"}));
}

TEST(RankRows, CallsOfThePythonPackageAreItsRegions) {
  auto profile = two_ranks();
  const std::string name = "mpi:recv kind=point-to-point bytes=8 peer=0 root=-1 tag=3 comm=0";
  model::RegionRow region;
  region.name = region.path = name;
  region.per_rank = {{0, 1}, {0, 9}, {0, 0}, {0, 0}};
  region.total_ns = region.self_ns = region.min_ns = region.max_ns = 9;
  profile.regions = {region};
  profile.calls = {call("MPI_Recv", {0, 1}, {0, 9})};
  EXPECT_EQ(lines(profile), (Lines{name + " @1 1 9 9..9 9"}));
  EXPECT_EQ(analyze::rank_rows(profile)[0].mpi->operation, "recv");
}

}  // namespace
