#include "analyze/timeline_estimate.hpp"

#include <gtest/gtest.h>

#include "sample_profile.hpp"

namespace {

using namespace scope;

TEST(EstimatedWaits, AreWhatOneWaitsLongerThanTheLast) {
  model::Profile profile = test::sample_profile();
  profile.signatures = {test::sample_signature("MPI_Allreduce", 0, 8, 4'000'000, 64)};
  const auto estimates = analyze::estimate_waits(profile);
  ASSERT_EQ(estimates.size(), 1u);
  EXPECT_EQ(estimates[0].call, "MPI_Allreduce");
  EXPECT_EQ(estimates[0].comm, 0);
  EXPECT_EQ(estimates[0].ranks, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(estimates[0].waiting_ns, (std::vector<std::int64_t>{0, 500'000, 1'000'000, 500'000}));
  EXPECT_EQ(estimates[0].total_ns, 2'000'000);
}

TEST(EstimatedWaits, InAFewNumbers) {
  model::Profile profile = test::sample_profile();
  profile.signatures = {test::sample_signature("MPI_Allreduce", 0, 8, 4'000'000, 64)};
  EXPECT_FALSE(analyze::estimated_total(profile)) << "2 ms are not worth telling";
  for (std::int64_t &time : profile.calls[0].per_rank.total_ns) time *= 10;
  const auto total = analyze::estimated_total(profile);
  ASSERT_TRUE(total);
  EXPECT_EQ(total->total_ns, 20'000'000);
  EXPECT_EQ(total->last_rank, 0);
}

TEST(EstimatedWaits, NeedOneCommunicatorAndEquallyManyCalls) {
  model::Profile profile = test::sample_profile();
  EXPECT_TRUE(analyze::estimate_waits(profile).empty()) << "a quarter of its time is on another communicator";
  profile.signatures = {test::sample_signature("MPI_Allreduce", 1, 8, 4'000'000, 64)};
  EXPECT_TRUE(analyze::estimate_waits(profile).empty()) << "that one has two ranks, four call";
  profile.signatures[0].comm = 0;
  profile.calls[0].per_rank.calls[3] = 3;
  EXPECT_TRUE(analyze::estimate_waits(profile).empty());
  profile.calls[0].per_rank.calls[3] = 2;
  EXPECT_EQ(analyze::estimate_waits(profile).size(), 1u);
  profile.calls[0].name = profile.signatures[0].call = "MPI_Bcast";
  EXPECT_TRUE(analyze::estimate_waits(profile).empty()) << "not everybody waits in it";
}

}  // namespace
