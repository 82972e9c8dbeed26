#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "full_profile.hpp"
#include "model/profile.hpp"
#include "record_builder.hpp"
#include "support/files.hpp"
#include "temporary_directory.hpp"

using namespace scope::model;
using namespace scope::test;

namespace {

std::string error_for(const std::string &text) {
  return error_of([&] { parse_profile(text, "p.json"); });
}

std::string error_after(const std::string &from, const std::string &to) {
  return error_for(changed(to_json(full_profile()), from, to));
}

TEST(ProfileJson, ComesBackExactly) {
  Profile profile = full_profile();
  std::string text = to_json(profile);
  EXPECT_TRUE(parse_profile(text, "p.json") == profile);
  EXPECT_EQ(to_json(parse_profile(text, "p.json")), text);
  Profile empty;
  EXPECT_TRUE(parse_profile(to_json(empty), "p.json") == empty);
}

TEST(ProfileJson, HasTheFormOfTheContract) {
  std::string text = to_json(full_profile());
  EXPECT_EQ(text.substr(0, 149),
            "{\n \"format\": \"scope-profiler-summary\",\n \"format_version\": 1,\n \"exporter\": \"scope-profiler@0.0.0\",\n"
            " \"time_unit\": \"ns\",\n \"complete\": false,\n \"metadata\"");
  EXPECT_TRUE(contains(text, "   \"signal\": null,\n   \"abort_code\": null,\n   \"in_call\": null,\n"));
  EXPECT_TRUE(contains(text, "   \"signal\": 9,\n   \"abort_code\": 3,\n   \"in_call\": \"MPI_Recv\",\n"));
  EXPECT_TRUE(contains(text, "\n   \"missing\": [1,2],\n")) << "numbers stay on a line";
  EXPECT_TRUE(contains(text, "\n   \"parent\": null,\n"));
  EXPECT_TRUE(contains(text, "\n  \"load_balance\": null,\n"));
  EXPECT_TRUE(contains(text, "\n   \"request\": null,\n"));
  EXPECT_TRUE(contains(text, "\n   \"request\": \"irecv\",\n"));
  EXPECT_TRUE(contains(text, "\n   \"source\": null\n"));
  EXPECT_TRUE(contains(text, "\n \"repeats\": [],\n \"timeline\": {\n  \"file\": \"trace.timeline\",\n"));
  EXPECT_TRUE(contains(text, "\"\xc3\xb6 \\\"x\\\"\\n\\u0001\""));
  EXPECT_EQ(text.back(), '\n');
  Profile serial;
  EXPECT_TRUE(contains(to_json(serial), "\n \"repeats\": [],\n \"timeline\": null,\n"));
  EXPECT_TRUE(contains(to_json(serial), "\n  \"mpi\": {\n   \"library\": null,\n   \"standard\": null\n  },\n"));
}

/// The file is what scripts and gates rely on: when this test fails, readers of version 1 must be thought of.
TEST(ProfileJson, VersionOneStaysAsItIs) {
  std::filesystem::path file = SCOPE_TEST_DATA "/summary-v1-batch.json";
  EXPECT_EQ(scope::support::read_file(file), to_json(full_profile()));
  EXPECT_TRUE(read_profile(file) == full_profile());
}

/// As written before batch jobs were known; before ranks had sums of their own; before timelines; before regions were recorded and codes of MPI_Abort kept; and before call sites.
TEST(ProfileJson, TheFirstFilesAreRead) {
  Profile profile = full_profile();
  profile.metadata.batch.clear();
  EXPECT_TRUE(read_profile(SCOPE_TEST_DATA "/summary-v1-ranks.json") == profile);
  for (std::size_t i = 0; i < 2; ++i) {
    const PerRank &sums = profile.calls[0].per_rank;
    profile.ranks[i].calls = sums.calls[i];
    profile.ranks[i].bytes_sent = sums.bytes_sent[i];
    profile.ranks[i].bytes_received = sums.bytes_received[i];
    profile.ranks[i].startup_ns = 0;
  }
  EXPECT_TRUE(read_profile(SCOPE_TEST_DATA "/summary-v1-timeline.json") == profile);
  profile.timeline_results.reset();
  EXPECT_TRUE(read_profile(SCOPE_TEST_DATA "/summary-v1-regions.json") == profile);
  profile.ranks[1].abort_code.reset();
  for (World &world : profile.worlds) world.mpi = true;
  for (RegionRow &row : profile.regions) {
    row.mpi_calls = row.mpi_self_ns = row.mpi_self_calls = 0;
    row.rank_self_ns = row.rank_mpi_ns = row.rank_mpi_calls = {};
  }
  EXPECT_TRUE(read_profile(SCOPE_TEST_DATA "/summary-v1-callsites.json") == profile);
  profile.callsites.clear();
  EXPECT_TRUE(read_profile(SCOPE_TEST_DATA "/summary-v1.json") == profile);
}

TEST(ProfileJson, NumbersOfManyDigitsAreTheNearest) {
  const std::string text = to_json(full_profile());
  auto with_share = [&](const std::string &number) {
    std::string changed = text;
    changed.replace(changed.find("\"mpi_share\": 0.1"), 16, "\"mpi_share\": " + number);
    return parse_profile(changed, "p").totals.mpi_share;
  };
  EXPECT_EQ(with_share("0." + std::string(400, '0')), 0);
  EXPECT_EQ(with_share("0.1000000000000000055511151231257827021181583404541015625"), 0.1);
  EXPECT_EQ(with_share("1e-1"), 0.1);
  EXPECT_EQ(error_of([&] { with_share("1e400"); }), "p: line 97, column 20: is no JSON: number overflow parsing '1e400'");
  EXPECT_NE(error_of([&] { parse_profile(text + std::string(1, '\0') + "rest", "p"); }), "no error");
}

TEST(ProfileJson, TextThatIsNoUtf8IsRepaired) {
  Profile profile;
  profile.metadata.command = {"./sim", "\xff"};
  EXPECT_EQ(parse_profile(to_json(profile), "p").metadata.command[1], "\xef\xbf\xbd");
}

TEST(ProfileJson, FilesArePlainOrCompressed) {
  TemporaryDirectory directory;
  Profile profile = full_profile();
  write_profile(profile, directory.path / "new" / "trace.json");
  write_profile(profile, directory.path / "trace.json.gz");
  EXPECT_TRUE(read_profile(directory.path / "new" / "trace.json") == profile);
  EXPECT_TRUE(read_profile(directory.path / "trace.json.gz") == profile);
  EXPECT_EQ(scope::support::read_file(directory.path / "trace.json.gz"), to_json(profile));
  EXPECT_LT(std::filesystem::file_size(directory.path / "trace.json.gz"), to_json(profile).size());
  profile.complete = true;
  write_profile(profile, directory.path / "trace.json.gz");
  EXPECT_TRUE(read_profile(directory.path / "trace.json.gz").complete);
  EXPECT_FALSE(read_profile(directory.path / "trace.json.gz.old").complete);
}

TEST(ProfileJson, IgnoresWhatALaterMinorVersionAdds) {
  std::string text = changed(to_json(full_profile()), "\"time_unit\"", "\"new\": {\"a\": [1]},\n \"time_unit\"");
  EXPECT_TRUE(parse_profile(text, "p.json") == full_profile());
}

TEST(DamagedProfile, EmptyCutOrNoJson) {
  EXPECT_EQ(error_for(""), "p.json: is empty");
  std::string text = to_json(full_profile());
  for (std::size_t length = 1; length + 2 < text.size(); length += 97)
    EXPECT_TRUE(contains(error_for(text.substr(0, length)), "p.json: is truncated: ")) << length;
  EXPECT_TRUE(contains(error_after("\"mpi_share\": 0.1", "\"mpi_share\": NaN"), ": is no JSON: invalid literal"));
  TemporaryDirectory directory;
  write_profile(full_profile(), directory.path / "a.gz");
  std::filesystem::resize_file(directory.path / "a.gz", 300);
  EXPECT_EQ(error_of([&] { read_profile(directory.path / "a.gz"); }),
            "cannot read " + (directory.path / "a.gz").string() + ": is truncated: the gzip data end early");
}

TEST(DamagedProfile, AnotherFormatOrVersion) {
  EXPECT_EQ(error_for(dump_text()), "p.json: is no scope-profiler-summary file: its format is \"scope-profiler-rank\"");
  EXPECT_EQ(error_after("\"format_version\": 1", "\"format_version\": 3"),
            "p.json: is of scope-profiler-summary version 3, this scope-profiler reads up to version 1; use the scope-profiler "
            "that wrote it or a newer one");
}

TEST(DamagedProfile, NamesThePathOfTheKey) {
  EXPECT_EQ(error_after("\"mpi_share\": 0.1", "\"mpi_share\": null"), "p.json: totals.mpi_share is not a number");
  EXPECT_EQ(error_after("\"imbalance\": 0.25", "\"imbalance\": \"none\""), "p.json: calls[0].imbalance is not a number");
  EXPECT_EQ(error_after("\"exit_status\": 139,", ""), "p.json: metadata has no key \"exit_status\"");
  EXPECT_EQ(error_after("\"branch\": \"main\"", "\"branch\": 1"), "p.json: metadata.tags.branch is not a string");
  EXPECT_EQ(error_after("\"comm\": 1,", "\"comm\": 2,"), "p.json: signatures[0].comm is 2, there are 2 communicators");
  EXPECT_EQ(error_after("[4,5]", "[4]"), "p.json: peers.p2p.dst has 1 elements, there are 2 in peers.*.world");
  EXPECT_EQ(error_after("\"tag\": 6", "\"tag\": null"), "p.json: timeline.wait_states[0].tag is not an integer");
  EXPECT_EQ(error_after("\"world\": [1,1]", "\"world\": [1,2]"), "p.json: timeline.notes.cut.world[1] is 2, there are 2 worlds");
  EXPECT_EQ(error_after("\"rank\": [14,15]", "\"rank\": [14]"), "p.json: timeline.notes.cut.rank has 1 elements, there are 2 ranks");
  EXPECT_EQ(error_after("\"threads\": 4", "\"threads\": 0"), "p.json: ranks[1].threads is 0, at least 1 is expected");
  EXPECT_EQ(error_after("\"missing\": [1,2]", "\"missing\": [1,-2]"),
            "p.json: worlds[1].missing[1] is -2, at least 0 is expected");
  EXPECT_EQ(error_after("\"bytes\": [9223372036854775807]", "\"bytes\": [9223372036854775808]"),
            "p.json: peers.rma.bytes[0] is 9223372036854775808, at most 9223372036854775807 is expected");
  Profile profile = full_profile();
  profile.calls[0].per_rank.total_ns.push_back(1);
  EXPECT_EQ(error_for(to_json(profile)), "p.json: calls[0].per_rank.total_ns has 3 elements, there are 2 ranks");
  profile = full_profile();
  profile.worlds[1].parent = 1;
  EXPECT_EQ(error_for(to_json(profile)), "p.json: worlds[1].parent is 1, there are 1 worlds before it");
}

}  // namespace
