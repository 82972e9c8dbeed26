#include "compare/side_by_side.hpp"

#include <gtest/gtest.h>

namespace {

using namespace scope;
using namespace scope::compare;

struct Call {
  const char *name;
  std::int64_t calls, total_ns, bytes;
};

/// A profile of `ranks` ranks, each of wall_ns, of which mpi_ns in MPI.
model::Profile profile_of(int ranks, std::int64_t wall_ns, std::int64_t mpi_ns, const std::vector<Call> &calls) {
  model::Profile profile;
  for (int rank = 0; rank < ranks; ++rank) {
    model::Rank one;
    one.rank = rank;
    one.status = "finalized";
    one.wall_ns = wall_ns;
    one.mpi_ns = mpi_ns;
    profile.ranks.push_back(one);
  }
  profile.totals.wall_ns = wall_ns;
  profile.totals.wall_sum_ns = wall_ns * ranks;
  profile.totals.mpi_ns = mpi_ns * ranks;
  profile.totals.mpi_share = static_cast<double>(mpi_ns) / static_cast<double>(wall_ns);
  profile.efficiency = {1 - profile.totals.mpi_share, 1.0, 1 - profile.totals.mpi_share};
  for (const Call &call : calls) {
    model::CallRow row;
    row.name = call.name;
    row.calls = call.calls;
    row.total_ns = call.total_ns;
    row.bytes_sent = call.bytes;
    profile.totals.calls += call.calls;
    profile.totals.bytes_sent += call.bytes;
    profile.calls.push_back(row);
  }
  return profile;
}

/// The same, of repetitions with these times of MPI_Send.
model::Profile repeated(const std::vector<std::int64_t> &send_ns) {
  model::Profile profile = profile_of(1, 1000, 100, {{"MPI_Send", 5, send_ns.front(), 0}});
  for (std::int64_t time : send_ns) {
    model::Repeat repeat;
    repeat.totals = profile.totals;
    repeat.totals.wall_ns = 1000 + time;
    repeat.efficiency = profile.efficiency;
    repeat.calls.name = {"MPI_Send"};
    for (auto *column : {&repeat.calls.calls, &repeat.calls.total_ns, &repeat.calls.p50_ns, &repeat.calls.p95_ns, &repeat.calls.p99_ns, &repeat.calls.max_ns,
                         &repeat.calls.bytes_sent, &repeat.calls.bytes_received})
      *column = {0};
    repeat.calls.calls = {5};
    repeat.calls.total_ns = {time};
    repeat.calls.imbalance = {0};
    profile.repeats.push_back(repeat);
  }
  return profile;
}

SideBySide compared(std::vector<model::Profile> profiles) {
  std::vector<Measurements> measured;
  std::vector<std::string> files;
  for (model::Profile &profile : profiles) {
    files.push_back("p" + std::to_string(files.size()) + ".json");
    measured.push_back(measurements_of(std::move(profile)));
  }
  return side_by_side(measured, files);
}

TEST(SideBySide, LargestChangesComeFirstAndTimesAreMeansOverTheRanks) {
  const SideBySide result = compared({profile_of(2, 1000, 300, {{"MPI_Send", 10, 400, 80}, {"MPI_Recv", 10, 100, 0}, {"MPI_Bcast", 1, 60, 8}}),
                                      profile_of(4, 900, 500, {{"MPI_Send", 20, 400, 160}, {"MPI_Recv", 20, 1000, 0}, {"MPI_Reduce", 3, 40, 8}})});
  ASSERT_EQ(result.sides.size(), 2u);
  EXPECT_EQ(result.sides[0].calls, 21);
  EXPECT_EQ(result.sides[1].useful_ns, 1600);
  ASSERT_EQ(result.calls.size(), 1u);
  const std::vector<Change> &rows = result.calls[0];
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].name, "MPI_Recv");
  EXPECT_EQ(rows[0].base_ns, 50);
  EXPECT_EQ(rows[0].ns, 250);
  EXPECT_EQ(rows[0].change_ns, 200);
  EXPECT_EQ(rows[0].change, 4);
  EXPECT_EQ(rows[1].name, "MPI_Send");
  EXPECT_EQ(rows[1].change_ns, -100);
  EXPECT_EQ(rows[1].base_bytes, 80);
  EXPECT_EQ(rows[1].bytes, 160);
  EXPECT_EQ(rows[2].name, "MPI_Bcast");
  EXPECT_EQ(rows[2].ns, std::nullopt);
  EXPECT_EQ(rows[2].change, -1);
  EXPECT_EQ(rows[3].name, "MPI_Reduce");
  EXPECT_EQ(rows[3].base_ns, std::nullopt);
  EXPECT_EQ(rows[3].change, std::nullopt);
  for (const Change &row : rows) EXPECT_EQ(row.noise, Noise::unknown);
}

TEST(SideBySide, RepetitionsSayWhatIsNoise) {
  const SideBySide apart = compared({repeated({100, 110, 105, 102}), repeated({200, 210, 190, 205})});
  EXPECT_EQ(apart.calls[0][0].noise, Noise::beyond);
  EXPECT_EQ(apart.calls[0][0].base_ns, 103.5);
  EXPECT_EQ(apart.calls[0][0].ns, 202.5);
  EXPECT_EQ(apart.sides[0].wall_ns, 1103.5);
  EXPECT_EQ(apart.sides[0].repeats, 4u);
  EXPECT_EQ(compared({repeated({100, 110, 105, 102}), repeated({101, 109, 200, 99})}).calls[0][0].noise, Noise::within);
  EXPECT_EQ(compared({repeated({100, 110, 105}), repeated({200, 210, 190})}).calls[0][0].noise, Noise::unknown);
}

TEST(SideBySide, StrongAndWeakScaling) {
  // The same work on 1, 2 and 4 ranks; the order of the files does not matter but for the base.
  const SideBySide result = compared({profile_of(1, 8000, 0, {}), profile_of(4, 4000, 2000, {}), profile_of(2, 5000, 1000, {})});
  const std::vector<ScalingRow> strong = scaling_rows(result, Scaling::strong);
  ASSERT_EQ(strong.size(), 3u);
  EXPECT_EQ(strong[1].side, 2u);
  EXPECT_EQ(strong[1].resources, 2);
  EXPECT_EQ(strong[1].speedup, 1.6);
  EXPECT_EQ(strong[1].efficiency, 0.8);
  EXPECT_EQ(strong[1].computation, 1);  // 2 x 4000 of 8000
  EXPECT_EQ(strong[1].global, 0.8);
  EXPECT_EQ(strong[2].speedup, 2);
  EXPECT_EQ(strong[2].efficiency, 0.5);
  EXPECT_EQ(strong[2].global, 0.5);
  const std::vector<ScalingRow> weak = scaling_rows(result, Scaling::weak);
  EXPECT_EQ(weak[2].speedup, 8);
  EXPECT_EQ(weak[2].efficiency, 2);
  EXPECT_EQ(weak[2].computation, 4);
  EXPECT_TRUE(scaling_rows(compared({profile_of(0, 1, 0, {}), profile_of(2, 5, 1, {})}), Scaling::strong).empty());
}

}  // namespace
