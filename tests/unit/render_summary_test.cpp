#include "render/summary.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "sample_profile.hpp"
#include "support/text.hpp"

namespace {

using namespace scope;
using render::summary;

std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t count_of(const std::string &text, const std::string &part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// The profile with `count` procedures instead of its own.
model::Profile many_calls(model::Profile profile, int count) {
  const model::CallRow row = profile.calls.front();
  profile.calls.assign(static_cast<std::size_t>(count), row);
  for (int i = 0; i < count; ++i) profile.calls[static_cast<std::size_t>(i)].name = "MPI_Call_" + std::to_string(i);
  return profile;
}

TEST(Summary, IsExact) {
  EXPECT_EQ(summary(test::sample_profile(), "trace.json", {}),
            "scope-profiler: mpiexec -n 4 ./heat 'it'\\''s hot'\n"
            "4 ranks on 2 hosts, Open MPI v4.1.4, wall time 10.0 ms\n"
            "Parallel efficiency 80.0 % = load balance 88.9 % x communication 90.0 %\n"
            "(load balance: mean / max of time outside MPI; communication: max time outside MPI / max wall time)\n"
            "MPI time 8.00 ms: 20.0 % of 40.0 ms, the wall times added up of all 4 ranks\n"
            "Point-to-point: 15 messages, 30.0 KiB; one-sided: 4 operations, 10.0 KiB; 100.0 % within a host\n"
            "Cost of the profiler: 2.00 us, less than 0.1 % of MPI time (42 calls x calibrated cost)\n"
            "Calls by time (% of MPI time: share of 8.00 ms that all 4 ranks together spent in MPI)\n"
            "                                                                     % of                      bytes\n"
            "call                                             calls    total  MPI time     mean     max      sent\n"
            "MPI_Allreduce                                        8  4.00 ms    50.0 %   500 us  600 us      64 B\n"
            "MPI_Recv                                            15  1.50 ms    18.8 %   100 us  600 us       0 B\n"
            "MPI_Neighbor_alltoallw_…at_never_seems_to_end_c      4  1.50 ms    18.8 %   375 us  600 us       0 B\n"
            "MPI_Send                                            15  1.00 ms    12.5 %  66.7 us  600 us  30.0 KiB\n"
            "Next: scope-profiler report trace.json\n");
}

TEST(Summary, NamesWhatStartingMpiTookWhereThatIsMuch) {
  model::Profile profile = test::sample_profile();
  EXPECT_EQ(summary(profile, "trace.json", {}).find("MPI_Init and MPI_Finalize"), std::string::npos);
  profile.calls[0].name = "MPI_Init";
  EXPECT_NE(summary(profile, "trace.json", {})
                .find("\nof which MPI_Init and MPI_Finalize 4.00 ms; without them MPI is 11.1 %, parallel efficiency 84.2 %\n"),
            std::string::npos);
}

TEST(Summary, OfAnAccidentIsExact) {
  EXPECT_EQ(summary(test::broken_profile(1), "/tmp/my dir/trace.json", {}),
            "scope-profiler: mpiexec -n 4 ./heat 'it'\\''s hot'\n"
            "4 ranks on 2 hosts, Open MPI v4.1.4, wall time 10.0 ms, exit status 137\n"
            "Incomplete: 4 of 5 ranks reported; missing: 4\n"
            "Did not finish MPI: rank 2 killed (signal 9) in MPI_Send\n"
            "Parallel efficiency 80.0 % = load balance 88.9 % x communication 90.0 %\n"
            "(load balance: mean / max of time outside MPI; communication: max time outside MPI / max wall time)\n"
            "MPI time 8.00 ms: 20.0 % of 40.0 ms, the wall times added up of all 4 ranks\n"
            "Point-to-point: 15 messages, 30.0 KiB; one-sided: 4 operations, 10.0 KiB; 100.0 % within a host\n"
            "Cost of the profiler: 2.00 us, less than 0.1 % of MPI time (42 calls x calibrated cost)\n"
            "Calls by time (% of MPI time: share of 8.00 ms that all 4 ranks together spent in MPI)\n"
            "                                                                     % of                      bytes\n"
            "call                                             calls    total  MPI time     mean     max      sent\n"
            "MPI_Allreduce                                        8  4.00 ms    50.0 %   500 us  600 us      64 B\n"
            "MPI_Recv                                            15  1.50 ms    18.8 %   100 us  600 us       0 B\n"
            "MPI_Neighbor_alltoallw_…at_never_seems_to_end_c      4  1.50 ms    18.8 %   375 us  600 us       0 B\n"
            "MPI_Send                                            15  1.00 ms    12.5 %  66.7 us  600 us  30.0 KiB\n"
            "Warning: The file of rank 0 could not be read: it ends in the middle of a number, which is what a\n"
            "  full disk leaves; free some space and run again, or look at what is left with --keep-dumps.\n"
            "Next: scope-profiler report '/tmp/my dir/trace.json'\n");
}

TEST(Summary, OfAProgramWithoutMpi) {
  model::Profile profile;
  profile.metadata.command = {"/bin/false"};
  profile.metadata.exit_status = 1;
  EXPECT_EQ(summary(profile, "trace.json", {}),
            "scope-profiler: /bin/false\n"
            "No MPI calls: the program never called MPI_Init (exit status 1).\n"
            "Next: scope-profiler report trace.json\n");
}

TEST(Summary, WithoutRanksDoesNotClaimThatThereWasNoMpi) {
  model::Profile profile;
  profile.metadata.command = {"./sim"};
  profile.warnings = {{"ranks-missing", "No rank reported: the program is static."}};
  EXPECT_EQ(summary(profile, "trace.json", {}),
            "scope-profiler: ./sim\n"
            "No MPI calls were recorded (exit status 0).\n"
            "Warning: No rank reported: the program is static.\n"
            "Next: scope-profiler report trace.json\n");
}

TEST(Summary, HasAtMost25LinesNoneTooWide) {
  for (int width : {40, 60, 80, 100, 200}) {
    for (int calls : {0, 1, 2, 4, 100}) {
      for (int warnings : {0, 1, 4, 5, 10}) {
        const model::Profile profile = many_calls(test::broken_profile(warnings), calls);
        const auto lines = lines_of(summary(profile, "t.json", {false, true, width}));
        EXPECT_LE(lines.size(), 25u) << width << " columns, " << calls << " calls, " << warnings << " warnings";
        for (const std::string &line : lines) EXPECT_LE(support::display_width(line), width) << line;
        EXPECT_EQ(lines.back(), "Next: scope-profiler report t.json");
      }
    }
  }
}

TEST(Summary, OfManyCallsShowsTen) {
  const std::string text = summary(many_calls(test::sample_profile(), 100), "trace.json", {});
  EXPECT_EQ(count_of(text, "\nMPI_Call_"), 10u);
  EXPECT_EQ(count_of(text, "\n... and 90 more\n"), 1u);
}

TEST(Summary, OfManyCallsAndWarningsShowsSomeOfBoth) {
  const std::string text = summary(many_calls(test::broken_profile(10), 100), "trace.json", {});
  EXPECT_EQ(lines_of(text).size(), 25u);
  EXPECT_EQ(count_of(text, "\nMPI_Call_"), 6u);
  EXPECT_EQ(count_of(text, "\n... and 94 more\n"), 1u);
  EXPECT_EQ(count_of(text, "\nWarning: "), 4u);
  EXPECT_EQ(count_of(text, "\nand 6 more: scope-profiler report trace.json\n"), 1u);
}

TEST(Summary, LastLineIsACommandThatAShellReads) {
  const model::Profile profile = test::sample_profile();
  EXPECT_EQ(lines_of(summary(profile, "it's.json", {})).back(), "Next: scope-profiler report 'it'\\''s.json'");
  EXPECT_EQ(lines_of(summary(profile, "-o.json", {})).back(), "Next: scope-profiler report ./-o.json");
  const std::string longer(200, 'x');
  EXPECT_EQ(lines_of(summary(profile, longer, {})).back(), "Next: scope-profiler report " + longer);
}

TEST(Summary, ColorAddsOnlySequences) {
  const model::Profile profile = test::broken_profile(10);
  const std::string colored = summary(profile, "trace.json", {true, true, 80});
  EXPECT_NE(colored.find("\x1b[33mWarning: "), std::string::npos);
  EXPECT_EQ(std::regex_replace(colored, std::regex("\x1b\\[[0-9]*m"), ""), summary(profile, "trace.json", {false, true, 80}));
}

TEST(Summary, NamesWorldsWhereThereAreSeveral) {
  model::Profile profile = test::broken_profile(0);
  profile.worlds.push_back(profile.worlds[0]);
  profile.worlds[1].id = 1;
  profile.worlds[1].missing = {0, 1, 2, 4};
  profile.worlds[1].ranks_reported = 1;
  const std::string text = summary(profile, "trace.json", {});
  EXPECT_EQ(count_of(text, "\nIncomplete: 5 of 10 ranks reported; missing: 4 of world 0; 0-2,4 of world 1\n"), 1u);
  EXPECT_EQ(count_of(text, "\nDid not finish MPI: rank 2 of world 0 killed (signal 9) in MPI_Send\n"), 1u);
  EXPECT_EQ(count_of(text, "\n4 ranks in 2 MPI worlds on 2 hosts, "), 1u);
}

TEST(Summary, NamesThreeUnfinishedRanks) {
  model::Profile profile = test::sample_profile();
  for (model::Rank &rank : profile.ranks) rank.status = "exited";
  EXPECT_EQ(count_of(summary(profile, "trace.json", {}),
                     "\nDid not finish MPI: rank 0 exited, rank 1 exited, rank 2 exited, and 1 more\n"),
            1u);
}

}  // namespace
