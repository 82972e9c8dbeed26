// Tables and sentences about a timeline.

#include <gtest/gtest.h>

#include "analyze/timeline_views.hpp"
#include "render/report.hpp"
#include "render/summary.hpp"
#include "render/timeline_tables.hpp"
#include "sample_profile.hpp"
#include "support/error.hpp"

namespace {

using namespace scope;

/// The sample; of 8 ms in calls, 4 ms are waiting: 3 ms for what rank 3 computes in "solve".
model::Profile traced_profile() {
  model::Profile profile = test::sample_profile();
  model::TimelineResults results;
  results.info = {"trace.timeline", 84, 0, 10'000'000, true};
  results.waiting_ns = 4'000'000;
  results.path_ns = 10'000'000;
  results.wait_states = {{"wait-nxn", 0, 0, "MPI_Allreduce", "", 0, -1, -1, -1, 8, 2, 2'000'000, 1'500'000},
                         {"late-sender", 0, 1, "MPI_Wait", "MPI_Irecv", 0, 3, -1, 7, 1024, 4, 1'200'000, 400'000},
                         {"wait-nxn", 0, 2, "MPI_Allreduce", "", 0, -1, -1, -1, 8, 1, 600'000, 600'000},
                         {"late-sender", 0, -1, "MPI_Recv", "", -1, -1, -1, -1, -1, 9, 200'000, 30'000}};
  results.ranks = {
      {0, 0, 0, 0}, {0, 1, 2, 3}, {1'000'000, 2'000'000, 3'000'000, 2'000'000}, {2'000'000, 1'200'000, 600'000, 200'000}, {}, {}};
  results.delays = {{0, 3, "main/solve", "", 3'000'000}, {0, 3, "", "MPI_Send", 600'000}, {0, 0, "", "", 400'000}};
  results.critical_path = {{0, 3, "main/solve", "", 7'500'000}, {0, 3, "", "MPI_Allreduce", 2'500'000}};
  profile.timeline_results = results;
  return profile;
}

std::string report_by(const model::Profile &profile, const std::string &view, const std::string &format = "text",
                      const std::string &ranks = "") {
  render::ReportOptions options;
  options.format = format;
  options.by = {view};
  options.ranks = ranks;
  return render::report(profile, options);
}

std::string table_of(const std::string &report, const std::string &title) {
  return report.substr(std::min(report.find(title), report.size()));
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

TEST(TimelineTables, WaitStates) {
  EXPECT_EQ(table_of(report_by(traced_profile(), "wait"), "Wait states by time"),
            "Wait states by time\n"
            "% of waiting: share of the 4.00 ms that calls took because another rank was late. Peer: the rank\n"
            "  waited for; of collectives, see the origins of delays.\n"
            "                                                                                % of\n"
            "wait state   rank  call           request    peer     bytes  waits    total  waiting      max\n"
            "wait-nxn        0  MPI_Allreduce  -             -       8 B      2  2.00 ms   50.0 %  1.50 ms\n"
            "late-sender     1  MPI_Wait       MPI_Irecv     3  1.00 KiB      4  1.20 ms   30.0 %   400 us\n"
            "wait-nxn        2  MPI_Allreduce  -             -       8 B      1   600 us   15.0 %   600 us\n"
            "late-sender     -  MPI_Recv       -             -         -      9   200 us    5.0 %  30.0 us\n");
}

TEST(TimelineTables, WaitStatesAsCsvHaveAllColumns) {
  EXPECT_EQ(report_by(traced_profile(), "wait", "csv"),
            "pattern,world,rank,call,request,peer,root,comm,tag,bytes,waits,total_ns,share_of_waiting,mean_ns,max_ns\r\n"
            "wait-nxn,0,0,MPI_Allreduce,,,,0,,8,2,2000000,0.5,1000000,1500000\r\n"
            "late-sender,0,1,MPI_Wait,MPI_Irecv,3,,0,7,1024,4,1200000,0.3,300000,400000\r\n"
            "wait-nxn,0,2,MPI_Allreduce,,,,0,,8,1,600000,0.15,600000,600000\r\n"
            "late-sender,0,,MPI_Recv,,,,,,,9,200000,0.05,22222.222222222223,30000\r\n");
  EXPECT_EQ(report_by(traced_profile(), "wait", "csv", "1"),
            "pattern,world,rank,call,request,peer,root,comm,tag,bytes,waits,total_ns,share_of_waiting,mean_ns,max_ns\r\n"
            "late-sender,0,1,MPI_Wait,MPI_Irecv,3,,0,7,1024,4,1200000,0.3,300000,400000\r\n");
}

TEST(TimelineTables, OriginsAndPath) {
  EXPECT_EQ(report_by(traced_profile(), "delay", "csv"),
            "world,rank,region,call,caused_ns,share_of_waiting\r\n"
            "0,3,main/solve,,3000000,0.75\r\n"
            "0,3,,MPI_Send,600000,0.15\r\n"
            "0,0,,,400000,0.1\r\n");
  EXPECT_EQ(report_by(traced_profile(), "path", "csv"),
            "world,rank,region,call,path_ns,share_of_run\r\n"
            "0,3,main/solve,,7500000,0.75\r\n"
            "0,3,,MPI_Allreduce,2500000,0.25\r\n");
  const std::string text = report_by(traced_profile(), "delay");
  EXPECT_TRUE(contains(text, "(outside of regions)")) << text;
  EXPECT_TRUE(contains(text, "computation")) << text;
}

TEST(TimelineTables, AreInTheOverviewOfAProfileThatHasOneOnly) {
  render::ReportOptions options;
  for (const char *format : {"text", "markdown", "html", "json"}) {
    options.format = format;
    const std::string with = render::report(traced_profile(), options), without = render::report(test::sample_profile(), options);
    EXPECT_TRUE(contains(with, "late-sender")) << format;
    EXPECT_TRUE(contains(with, "main/solve")) << format;
    EXPECT_FALSE(contains(without, "late-sender")) << format;
    EXPECT_FALSE(contains(without, "Critical path")) << format;
  }
  try {
    report_by(test::sample_profile(), "wait");
    ADD_FAILURE() << "no error";
  } catch (const support::Error &error) {
    EXPECT_STREQ(error.what(), "--by wait: the profile has no timeline; record one with `scope-profiler run --mpi-calls --trace`");
  }
}

TEST(TimelineTables, SayWhatATimelineThatIsCutHolds) {
  model::Profile profile = traced_profile();
  profile.timeline_results->info = {"", 84, 0, 4'000'000, false};
  profile.timeline_results->notes.cut = {{0, 1}, {0, 2}};
  profile.timeline_results->notes.without = {{0, 3}};
  EXPECT_TRUE(render::wait_table(profile, {})
                  .note.ends_with(" From 0 ns to 4.00 ms only: 2 timelines are not complete, 1 ranks have none."));
}

TEST(TimelineSentence, NamesTheLargestWaitStateAndItsOrigin) {
  const std::string sentence =
      "Waiting for other ranks: 4.00 ms, 50.0 % of the time in calls; most: wait-nxn in MPI_Allreduce (2.60 ms), most due to "
      "computation of "
      "rank 3 in main/solve";
  EXPECT_EQ(render::waiting_text(traced_profile()), sentence);
  EXPECT_EQ(render::waiting_text(test::sample_profile()), "");
  render::Style wide;
  wide.width = 200;
  EXPECT_TRUE(contains(render::summary(traced_profile(), "trace.json", wide), sentence + "\n"));
  const auto largest = analyze::largest_wait(traced_profile());
  EXPECT_EQ(std::tuple(largest->row.waits, largest->row.max_ns), std::tuple(3, 1'500'000));
}

TEST(TimelineSentence, IsAnEstimateWithoutTimeline) {
  model::Profile profile = test::sample_profile();
  profile.signatures = {test::sample_signature("MPI_Allreduce", 0, 8, 40'000'000, 64)};
  for (std::int64_t &time : profile.calls[0].per_rank.total_ns) time *= 10;
  EXPECT_EQ(render::estimate_text(profile),
            "Waiting in collectives, an estimate from the ranks' sums: 20.0 ms or more, most of it in MPI_Allreduce (20.0 ms; rank "
            "0 mostly "
            "comes last); run --trace measures it");
  render::ReportOptions options;
  for (const char *format : {"text", "markdown", "html"}) {
    options.format = format;
    EXPECT_TRUE(contains(render::report(profile, options), "an estimate from the ranks")) << format;
  }
  profile.timeline_results.emplace();
  EXPECT_EQ(render::estimate_text(profile), "");
}

}  // namespace
