#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "full_profile.hpp"
#include "json_schema.hpp"
#include "model/repeats.hpp"
#include "record_builder.hpp"

using namespace scope::model;
using namespace scope::test;
using nlohmann::json;

namespace {

Repetition run_of(std::int64_t wall_ns, int exit_status = 0) {
  Repetition run;
  run.profile.metadata.exit_status = exit_status;
  run.profile.metadata.started = "2026-01-02T03:04:05Z";
  run.profile.totals.wall_ns = wall_ns;
  run.profile.totals.wall_sum_ns = wall_ns;
  run.profile.calls.resize(2);
  run.profile.calls[0].name = "MPI_Send";
  run.profile.calls[0].calls = 3;
  run.profile.calls[1].name = "MPI_Recv";
  run.profile.calls[1].total_ns = wall_ns / 2;
  run.elapsed_ns = wall_ns + 5;
  return run;
}

Profile full_with_repeats() {
  Profile profile = full_profile();
  profile.repeats = {repeat_of(profile, 4711), repeat_of(profile, 4712)};
  profile.repeats[1].chosen = true;
  return profile;
}

TEST(Repeats, TheMedianSoundOneIsTheProfile) {
  const auto joined = join_repeats({run_of(30), run_of(10), run_of(20), run_of(15, 1), run_of(40)});
  EXPECT_EQ(joined.totals.wall_ns, 20) << "10, 20, 30, 40: the shorter of the two in the middle";
  ASSERT_EQ(joined.repeats.size(), 5u);
  EXPECT_TRUE(joined.repeats[2].chosen);
  EXPECT_FALSE(joined.repeats[0].chosen);
  EXPECT_EQ(joined.repeats[0].elapsed_ns, 35);
  EXPECT_EQ(joined.repeats[3].exit_status, 1);
  EXPECT_EQ(joined.repeats[0].calls.name, (std::vector<std::string>{"MPI_Recv", "MPI_Send"}));
  EXPECT_EQ(joined.repeats[0].calls.total_ns, (std::vector<std::int64_t>{15, 0}));
  EXPECT_TRUE(joined.warnings.empty());
}

TEST(Repeats, WithoutASoundOneTheLastIsTheProfile) {
  const auto joined = join_repeats({run_of(30, 2), run_of(10, 3)});
  EXPECT_EQ(joined.metadata.exit_status, 3);
  EXPECT_TRUE(joined.repeats[1].chosen);
}

TEST(Repeats, VaryingCallsAreAWarning) {
  auto other = run_of(20);
  other.profile.calls[0].calls = 4;
  auto lacks = run_of(25);
  lacks.profile.calls.pop_back();
  const auto joined = join_repeats({run_of(10), other, lacks});
  EXPECT_EQ(varying_calls(joined.repeats), (std::vector<std::string>{"MPI_Recv", "MPI_Send"}));
  ASSERT_EQ(joined.warnings.size(), 1u);
  EXPECT_EQ(joined.warnings[0].id, "repeats-vary");
  EXPECT_TRUE(contains(joined.warnings[0].text, "MPI_Recv, MPI_Send"));
  other.profile.metadata.exit_status = 1;
  EXPECT_TRUE(join_repeats({run_of(10), other}).warnings.empty()) << "a run that failed says nothing";
}

TEST(Repeats, DigestsSeeCountsAndNotTimes) {
  Profile a = full_profile(), b = full_profile();
  b.communicators[0].total_ns += 1;
  b.calls[0].total_ns += 1;
  EXPECT_EQ(repeat_of(a, 0).peers_digest, repeat_of(b, 0).peers_digest);
  EXPECT_EQ(repeat_of(a, 0).communicators_digest, repeat_of(b, 0).communicators_digest);
  b.peers.p2p.messages[0] += 1;
  b.communicators[0].calls += 1;
  EXPECT_NE(repeat_of(a, 0).peers_digest, repeat_of(b, 0).peers_digest);
  EXPECT_NE(repeat_of(a, 0).communicators_digest, repeat_of(b, 0).communicators_digest);
}

TEST(Repeats, ComeBackExactlyAndFitTheSchema) {
  const Profile profile = full_with_repeats();
  const std::string text = to_json(profile);
  EXPECT_TRUE(parse_profile(text, "p") == profile);
  EXPECT_EQ(to_json(parse_profile(text, "p")), text);
  JsonSchema schema(SCOPE_TEST_DATA "/../../share/schema/summary.schema.json");
  EXPECT_EQ(schema.errors(json::parse(text)), std::vector<std::string>{});
  EXPECT_TRUE(contains(text, "\"name\": [\"MPI_Send\"],\n")) << "columns stay on a line";
}

/// Each key of an entry is required by the schema exactly where the reader insists on it.
TEST(Repeats, ReaderNeedsTheKeysThatTheSchemaRequires) {
  JsonSchema schema(SCOPE_TEST_DATA "/../../share/schema/summary.schema.json");
  const json document = json::parse(to_json(full_with_repeats()));
  std::size_t checked = 0;
  const json flat = document["repeats"][0].flatten();
  for (const auto &[path, value] : flat.items()) {
    json::json_pointer place("/repeats/0" + path);
    json without = document;
    if (!without[place.parent_pointer()].is_object()) continue;
    without[place.parent_pointer()].erase(place.back());
    const bool read = error_of([&] { parse_profile(without.dump(), "p"); }) == "no error";
    EXPECT_FALSE(schema.errors(without).empty()) << path;
    EXPECT_EQ(read, path.starts_with("/efficiency/")) << path;
    ++checked;
  }
  EXPECT_GT(checked, 15u);
}

TEST(Repeats, DamageIsNamed) {
  Profile profile = full_with_repeats();
  profile.repeats.pop_back();
  const std::string text = to_json(profile);
  EXPECT_EQ(error_of([&] { parse_profile(changed(text, "\"name\": [\"MPI_Send\"]", "\"name\": [\"MPI_Send\", \"x\"]"), "p"); }),
            "p: repeats[0].calls.calls has 1 elements, there are 2 names");
  EXPECT_EQ(error_of([&] { parse_profile(changed(text, "\"elapsed_ns\": 4711", "\"elapsed_ns\": -1"), "p"); }),
            "p: repeats[0].elapsed_ns is -1, at least 0 is expected");
}

}  // namespace
