// The Python package's JSON profile: tests/data/python_profile/golden.json is a file of that package.

#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "model/profile.hpp"
#include "record_builder.hpp"

using namespace scope::model;
using namespace scope::test;

namespace {

const std::string send_name = "mpi:send kind=point-to-point bytes=8 peer=1 root=-1 tag=3 comm=0";
const std::string recv_name = "mpi:recv kind=point-to-point bytes=8 peer=0 root=-1 tag=3 comm=0";

std::string document(const std::string &regions, int ranks = 2, const std::string &metadata = "{}") {
  return R"({"format": "scope-profiler-profile", "format_version": 1, "exporter": "scope-profiler@0.5.2", "num_ranks": )" +
         std::to_string(ranks) + R"(, "metadata": )" + metadata + R"(, "regions": [)" + regions + "]}";
}

std::string row(const std::string &name, int rank, const std::string &starts, const std::string &ends,
                const std::string &more = "") {
  return R"({"name": ")" + name + R"(", "rank": )" + std::to_string(rank) + R"(, "start_times_ns": [)" + starts +
         R"(], "end_times_ns": [)" + ends + "]" + more + "}";
}

Profile parse(const std::string &text) { return parse_profile(text, "p.json"); }

std::string error_for(const std::string &regions, int ranks = 2) {
  return error_of([&] { parse(document(regions, ranks)); });
}

TEST(PythonProfile, TheGoldenFile) {
  Profile profile = read_profile(SCOPE_TEST_DATA "/python_profile/golden.json");
  EXPECT_EQ(profile.metadata.exporter, "scope-profiler@0.5.2");
  EXPECT_EQ(profile.metadata.tags, (std::map<std::string, std::string>{{"mpi_size", "1"}}));
  ASSERT_EQ(profile.worlds.size(), 1u);
  EXPECT_EQ(std::tuple(profile.worlds[0].size, profile.worlds[0].ranks_reported, profile.worlds[0].complete),
            std::tuple(1, 1, true));
  ASSERT_EQ(profile.ranks.size(), 1u);
  EXPECT_EQ(profile.ranks[0].wall_ns, 45);
  EXPECT_EQ(profile.ranks[0].mpi_ns, 0);
  ASSERT_EQ(profile.regions.size(), 1u);
  RegionRow expected;
  expected.name = expected.path = "solve";
  expected.calls = 3;
  expected.total_ns = expected.self_ns = 5 + 13 + 15;
  expected.min_ns = 5;
  expected.max_ns = 15;
  expected.per_rank = {{3}, {33}, {0}, {0}};
  expected.source_file = "solver.py";
  expected.source_line = 7;
  EXPECT_TRUE(profile.regions[0] == expected);
  EXPECT_TRUE(profile.calls.empty());
  EXPECT_TRUE(profile.warnings.empty());
}

TEST(PythonProfile, RegionsOfRanksAndTheMpiTimeInThem) {
  Profile profile = parse(document(row("solve", 0, "0", "100") + "," + row(send_name, 0, "10, 40", "30, 45") + "," +
                                   row("solve", 1, "5", "95") + "," + row(recv_name, 1, "5", "25")));
  ASSERT_EQ(profile.regions.size(), 3u);
  const RegionRow &solve = profile.regions[0];
  EXPECT_EQ(std::tuple(solve.calls, solve.total_ns, solve.self_ns, solve.mpi_ns), std::tuple(2, 190, 75 + 70, 25 + 20));
  EXPECT_EQ(std::tuple(solve.min_ns, solve.max_ns), std::tuple(90, 100));
  EXPECT_TRUE(solve.per_rank == (PerRank{{1, 1}, {100, 90}, {0, 0}, {0, 0}}));
  const RegionRow &send = profile.regions[1];
  EXPECT_EQ(std::tuple(send.name, send.calls, send.total_ns, send.self_ns, send.mpi_ns), std::tuple(send_name, 2, 25, 25, 25));
  EXPECT_EQ(std::tuple(profile.ranks[0].wall_ns, profile.ranks[0].mpi_ns), std::tuple(100, 25));
  EXPECT_EQ(std::tuple(profile.ranks[1].wall_ns, profile.ranks[1].mpi_ns), std::tuple(90, 20));
  const Totals &totals = profile.totals;
  EXPECT_EQ(std::tuple(totals.wall_ns, totals.wall_sum_ns, totals.mpi_ns, totals.calls), std::tuple(100, 190, 45, 3));
  EXPECT_EQ(std::tuple(totals.bytes_sent, totals.bytes_received), std::tuple(16, 8));
  EXPECT_EQ(totals.mpi_share, 45.0 / 190);
}

TEST(PythonProfile, RegionsWithMpiMetadataAreCalls) {
  Profile profile = parse(document(row(send_name, 0, "10, 40, 50", "30, 45, 51") + "," + row(recv_name, 1, "5", "25")));
  ASSERT_EQ(profile.calls.size(), 2u);
  const CallRow &send = profile.calls[0];
  EXPECT_EQ(std::tuple(send.name, send.kind, send.calls, send.total_ns), std::tuple("MPI_Send", "point-to-point", 3, 26));
  EXPECT_EQ(std::tuple(send.min_ns, send.max_ns, send.p50_ns, send.p95_ns), std::tuple(1, 20, 5, 20));
  EXPECT_EQ(send.mean_ns, 26.0 / 3);
  EXPECT_NEAR(send.std_ns, 8.1785, 1e-4);
  EXPECT_TRUE(send.per_rank == (PerRank{{3, 0}, {26, 0}, {24, 0}, {0, 0}}));
  EXPECT_EQ(profile.calls[1].name, "MPI_Recv");
  EXPECT_TRUE(profile.calls[1].per_rank == (PerRank{{0, 1}, {0, 20}, {0, 0}, {0, 8}}));
}

TEST(PythonProfile, BytesGoWhereTheyAreCounted) {
  struct Case {
    const char *operation, *rest;
    int sent, received;
  };
  for (const Case &one : {Case{"isend", "", 8, 0}, Case{"irecv", "", 0, 0}, Case{"wait", " request=isend", 0, 0},
                          Case{"wait", " request=irecv", 0, 8}, Case{"allreduce", "", 8, 8}, Case{"bcast", "", 8, 0},
                          Case{"reduce", "", 8, 8}, Case{"invented", "", 8, 0}}) {
    std::string name =
        "mpi:" + std::string(one.operation) + " kind=collective bytes=8 peer=-1 root=0 tag=-1 comm=0" + one.rest;
    Profile profile = parse(document(row(name, 0, "1", "2")));
    ASSERT_EQ(profile.calls.size(), 1u) << name;
    EXPECT_EQ(std::tuple(profile.calls[0].bytes_sent, profile.calls[0].bytes_received), std::tuple(one.sent, one.received))
        << name;
  }
  EXPECT_EQ(parse(document(row("mpi:invented kind=x bytes=-1 peer=-1 root=-1 tag=-1 comm=-1", 0, "1", "2"))).calls[0].name,
            "MPI_Invented");
}

TEST(PythonProfile, NestingIsWithinThreadsAndTasks) {
  Profile profile = parse(document(row("outer", 0, "0, 0", "100, 80", R"(, "thread_ids": [0, 1])") + "," +
                                   row("inner", 0, "10, 20", "30, 70", R"(, "thread_ids": [0, 1])") + "," +
                                   row(send_name, 0, "15, 15", "25, 25", R"(, "thread_ids": [0, 1])")));
  // Thread 0: outer 100 with inner 20, in which send 10. Thread 1: outer 80 with send 10 and inner 50, which overlap by 5.
  EXPECT_EQ(std::tuple(profile.regions[0].self_ns, profile.regions[0].mpi_ns), std::tuple(80 + 80 - 10 - 45, 20));
  EXPECT_EQ(std::tuple(profile.regions[1].self_ns, profile.regions[1].mpi_ns), std::tuple(10 + 50, 10));
  EXPECT_EQ(profile.ranks[0].mpi_ns, 10) << "both threads at the same time";
}

TEST(PythonProfile, ARegionInItselfCountsItsMpiTimeOnce) {
  Profile profile = parse(document(row("f", 0, "0, 10", "100, 90") + "," + row(send_name, 0, "20", "30")));
  EXPECT_EQ(std::tuple(profile.regions[0].total_ns, profile.regions[0].self_ns, profile.regions[0].mpi_ns),
            std::tuple(180, 20 + 70, 10));
}

TEST(PythonProfile, TheSelfTimeOfTheFileCounts) {
  Profile profile = parse(document(row("f", 0, "0", "100", R"(, "exclusive_total_ns": 33)") + "," + row("g", 0, "10", "20")));
  EXPECT_EQ(profile.regions[0].self_ns, 33);
  EXPECT_EQ(profile.regions[1].self_ns, 10);
}

TEST(PythonProfile, StatisticsWithoutATimeline) {
  std::string aggregate = R"("aggregate": {"count": 3, "total": 30, "exclusive": 20, "minimum": 5, "maximum": 15,
    "start_minimum": 1, "end_maximum": 121, "mean": 10.0, "m2": 50.5}})";
  Profile profile = parse(document(R"({"name": "f", "rank": 1, )" + aggregate + R"(, {"name": ")" + send_name +
                                   R"(", "rank": 1, )" + aggregate));
  ASSERT_EQ(profile.regions.size(), 2u);
  const RegionRow &f = profile.regions[0];
  EXPECT_EQ(std::tuple(f.calls, f.total_ns, f.self_ns, f.mpi_ns, f.min_ns, f.max_ns), std::tuple(3, 30, 20, 0, 5, 15));
  EXPECT_TRUE(f.per_rank == (PerRank{{0, 3}, {0, 30}, {0, 0}, {0, 0}}));
  EXPECT_EQ(profile.regions[1].mpi_ns, 30);
  EXPECT_EQ(std::tuple(profile.ranks[1].wall_ns, profile.ranks[1].mpi_ns), std::tuple(120, 30));
  ASSERT_EQ(profile.calls.size(), 1u);
  EXPECT_EQ(std::tuple(profile.calls[0].calls, profile.calls[0].p50_ns, profile.calls[0].bytes_sent), std::tuple(3, 0, 24));
  ASSERT_EQ(profile.warnings.size(), 1u);
  EXPECT_EQ(profile.warnings[0].id, "no-timeline");
}

TEST(PythonProfile, MetadataAreTags) {
  Profile profile = parse(document("", 1, R"({"a": "x", "b": 1.5, "c": true, "d": null, "e": ["x", 2, false]})"));
  EXPECT_EQ(profile.metadata.tags,
            (std::map<std::string, std::string>{{"a", "x"}, {"b", "1.5"}, {"c", "true"}, {"d", "null"}, {"e", "x, 2, false"}}));
}

TEST(PythonProfile, OfNoRanks) {
  Profile profile = parse(document("", 0));
  EXPECT_TRUE(profile.worlds.empty());
  EXPECT_TRUE(profile.ranks.empty());
}

TEST(DamagedPythonProfile, NamesThePathOfTheKey) {
  EXPECT_EQ(error_for(row("f", 2, "1", "2")), "p.json: regions[0].rank is 2, at most 1 is expected");
  EXPECT_EQ(error_for(row("f", 0, "1, 2", "2")), "p.json: regions[0].end_times_ns has 1 elements, start_times_ns has 2");
  EXPECT_EQ(error_for(row("f", 0, "1, 5", "2, 4")), "p.json: regions[0].end_times_ns[1] is before its start");
  EXPECT_EQ(error_for(row("f", 0, "-1", "2")), "p.json: regions[0].start_times_ns[0] is -1, at least 0 is expected");
  EXPECT_EQ(error_for(row("f", 0, "1.5", "2")), "p.json: regions[0].start_times_ns[0] is not an integer");
  EXPECT_EQ(error_for(row("f", 0, "1", "9223372036854775807")),
            "p.json: regions[0].end_times_ns[0] is 9223372036854775807, at most 1152921504606846976 is expected");
  EXPECT_EQ(error_for(row("f", 0, "1", "2", R"(, "thread_ids": [])")),
            "p.json: regions[0].thread_ids has 0 elements, start_times_ns has 1");
  EXPECT_EQ(error_for(R"({"name": "f", "rank": 0})"), "p.json: regions[0] has no key \"start_times_ns\"");
  EXPECT_EQ(error_for(R"({"name": "f", "rank": 0, "aggregate": {"count": 1}})"),
            "p.json: regions[0].aggregate has no key \"total\"");
  EXPECT_EQ(error_for(R"({"name": "f", "rank": 0, "aggregate": {"count": 1, "total": 1, "minimum": 2, "maximum": 1}})"),
            "p.json: regions[0].aggregate has a minimum above its maximum");
  EXPECT_EQ(error_for("", 300000), "p.json: num_ranks is 300000, at most 262144 is expected");
  EXPECT_EQ(error_for(row("f", 0, "1", "2"), 0), "p.json: regions[0] is of a rank, but num_ranks is 0");
  EXPECT_EQ(error_of([] { parse(document("", 1, R"({"x": {"y": 1}})")); }), "p.json: metadata.x is no text, number or truth");
  EXPECT_EQ(error_of([] { parse(changed(document(""), "\"format_version\": 1", "\"format_version\": 2")); }),
            "p.json: is of scope-profiler-profile version 2, this scope-profiler reads up to version 1; use the scope-profiler "
            "that wrote it or a newer one");
}

/// A file of 2 kB must not make gigabytes of rows.
TEST(DamagedPythonProfile, FewBytesDoNotBecomeMany) {
  std::string rows;
  for (int i = 0; i < 40; ++i) rows += (i ? "," : "") + row("f" + std::to_string(i), 0, "1", "2");
  EXPECT_EQ(error_for(rows, 262144),
            "p.json: regions[31] is of region 32 on 262144 ranks, more than 8388608 pairs of region and rank can't be read");
}

}  // namespace
