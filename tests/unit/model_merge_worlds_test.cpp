#include <gtest/gtest.h>

#include "model/merge.hpp"
#include "record_builder.hpp"

using namespace scope::model;
using namespace scope::test;
namespace wire = scope::wire;

namespace {

Profile merged(std::vector<RankRecord> records, bool partial = false) {
  Collected collected;
  collected.records = std::move(records);
  collected.partial = partial;
  Profile profile = merge(collected, {});
  EXPECT_EQ(conservation_violations(profile), std::vector<std::string>{});
  return profile;
}

RankRecord in_world(const std::string &key, int rank, int size, std::uint64_t unix_ns, const std::string &parent = "") {
  RankRecord record = record_of(rank, size);
  record.world_key = key;
  record.parent_key = parent;
  record.unix_ns = unix_ns;
  return record;
}

CommInfo comm(std::uint64_t key, const std::string &name, int size) {
  CommInfo comm;
  comm.key = key;
  comm.name = name;
  comm.size = size;
  comm.merged = key == wire::comm_key_merged;
  return comm;
}

TEST(Worlds, AreNumberedByStartParentsFirst) {
  // The child's clock is behind: it seems to begin before its parent.
  Profile profile = merged({in_world("late", 0, 1, 3000000), in_world("child", 0, 2, 1000000, "parent"),
                            in_world("parent", 0, 1, 2000000), in_world("child", 1, 2, 1500000, "parent")});
  ASSERT_EQ(profile.worlds.size(), 3u);
  EXPECT_EQ(profile.worlds[0].key, "parent");
  EXPECT_EQ(profile.worlds[1].key, "child");
  EXPECT_EQ(profile.worlds[2].key, "late");
  EXPECT_FALSE(profile.worlds[0].parent);
  EXPECT_EQ(profile.worlds[1].parent, 0);
  EXPECT_EQ(profile.worlds[1].size, 2);
  EXPECT_EQ(profile.worlds[1].ranks_reported, 2);
  ASSERT_EQ(profile.ranks.size(), 4u);
  EXPECT_EQ(profile.ranks[2].world, 1);
  EXPECT_EQ(profile.ranks[2].rank, 1);
  EXPECT_TRUE(profile.complete);
  // One MPI_COMM_WORLD each.
  ASSERT_EQ(profile.communicators.size(), 3u);
  EXPECT_EQ(profile.communicators[1].world, 1);
}

TEST(Worlds, StartCountsFromMpiInit) {
  RankRecord early = in_world("a", 0, 1, 1000), late = in_world("b", 0, 1, 900);
  early.begin = 10;
  late.begin = 200;  // 900 + 200 is after 1000 + 10
  Profile profile = merged({late, early});
  EXPECT_EQ(profile.worlds[0].key, "a");
}

TEST(Worlds, CirclesOfParentsAreNoEndlessLoop) {
  Profile profile = merged({in_world("a", 0, 1, 1, "b"), in_world("b", 0, 1, 2, "a"), in_world("c", 0, 1, 3, "c"),
                            in_world("d", 0, 1, 4, "gone")});
  ASSERT_EQ(profile.worlds.size(), 4u);
  for (const World &world : profile.worlds)
    EXPECT_LT(world.parent.value_or(-1), world.id);
}

TEST(Worlds, MissingRanksAreNamed) {
  std::vector<RankRecord> records;
  for (int rank : {0, 3, 4, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27}) records.push_back(in_world("w0", rank, 30, 1));
  Profile profile = merged(records);
  EXPECT_FALSE(profile.complete);
  EXPECT_FALSE(profile.worlds[0].complete);
  EXPECT_EQ(profile.worlds[0].ranks_reported, 13);
  EXPECT_EQ(profile.worlds[0].missing.size(), 17u);
  EXPECT_EQ(profile.worlds[0].missing[2], 5);
  ASSERT_EQ(profile.warnings.size(), 1u);
  EXPECT_EQ(profile.warnings[0].id, "ranks-missing");
  EXPECT_EQ(profile.warnings[0].text.substr(0, 106),
            "13 of 30 ranks reported; missing: 1, 2, 5-8, 10, 12, 14, 16, 18, 20, 22, 24 and 3 more. Likely reasons: th");
}

TEST(Worlds, PartialInputMakesTheProfileIncomplete) {
  EXPECT_FALSE(merged({record_of(0, 1)}, true).complete);
  EXPECT_TRUE(merged({record_of(0, 1)}, false).complete);
}

TEST(Worlds, OfTwoRecordsOfARankTheOneWithMoreCallsStays) {
  RankRecord more = record_of(0, 1), fewer = record_of(0, 1);
  more.source = "more.json";
  fewer.source = "fewer.json";
  more.signatures = {signature("MPI_Barrier", 2, 10)};
  fewer.signatures = {signature("MPI_Barrier", 1, 10)};
  add_calls(more, "MPI_Barrier", 2, 5);
  add_calls(fewer, "MPI_Barrier", 1, 10);
  for (const std::vector<RankRecord> &records : {std::vector{more, fewer}, std::vector{fewer, more}}) {
    Profile profile = merged(records);
    EXPECT_EQ(profile.totals.calls, 2);
    EXPECT_EQ(profile.ranks.size(), 1u);
    ASSERT_EQ(profile.warnings.size(), 1u);
    EXPECT_EQ(profile.warnings[0].id, "duplicate-rank");
    EXPECT_EQ(profile.warnings[0].text,
              "Rank 0 of world 0 gave two files: more.json is used, fewer.json has no more calls and is left out.");
  }
}

TEST(Worlds, ProcessesOutsideMpiInitAreShownTogether) {
  RankRecord b = record_of(-1, 0), a = record_of(-1, 0);
  for (RankRecord *record : {&a, &b}) {
    record->begin = record->end = 0;
    record->world_key = "";
    record->status = RankStatus::recovered;
    record->comms.clear();
    record->signatures = {signature("MPI_Get_version", 1, 10)};
  }
  a.pid = 5;
  b.pid = 6;
  Profile profile = merged({b, a});
  ASSERT_EQ(profile.worlds.size(), 1u);
  EXPECT_EQ(profile.worlds[0].size, 2);
  EXPECT_TRUE(profile.worlds[0].complete);
  ASSERT_EQ(profile.ranks.size(), 2u);
  EXPECT_EQ(profile.ranks[0].pid, 5);
  EXPECT_EQ(profile.ranks[1].rank, 1);
  ASSERT_EQ(profile.warnings.size(), 1u);
  EXPECT_EQ(profile.warnings[0].id, "not-initialised");
}

TEST(Worlds, RecoveredRanksAreReportedAndNamed) {
  RankRecord recovered = record_of(1, 3);
  recovered.from_live_block = true;
  recovered.status = RankStatus::recovered;
  Profile profile = merged({record_of(0, 3), recovered, record_of(2, 3)});
  EXPECT_TRUE(profile.complete);
  ASSERT_EQ(profile.warnings.size(), 1u);
  EXPECT_EQ(profile.warnings[0].id, "rank-recovered");
  EXPECT_EQ(profile.warnings[0].text.substr(0, 38), "1 rank (1) ended without writing a dum");
}

TEST(Communicators, HaveIdsOverTheWholeProfile) {
  RankRecord first = record_of(0, 2), second = record_of(1, 2);
  first.comms = {comm(0, "", 2), comm(0xbb, "", 2), comm(0xaa, "rows", 2), comm(wire::comm_key_merged, "", 0)};
  second.comms = {comm(0, "MPI_COMM_WORLD", 2), comm(wire::comm_key_self, "MPI_COMM_SELF", 1), comm(0xaa, "other", 2),
                  comm(0xbb, "cols", 2), comm(0xcc, "", 1)};
  first.signatures = {send_to(1, 8, 1, 10), send_to(1, 8, 1, 20), send_to(1, 8, 1, 30)};
  first.signatures[1].comm = 2;  // 0xaa
  first.signatures[2].comm = 3;  // merged
  second.signatures = {send_to(0, 4, 1, 40)};
  second.signatures[0].comm = 2;  // 0xaa
  Profile profile = merged({second, first});
  std::vector<std::string> names;
  for (const CommunicatorRow &row : profile.communicators) names.push_back(row.name);
  // 0xbb has index 1 on rank 0, 0xaa index 2 on both, 0xcc index 4.
  EXPECT_EQ(names, (std::vector<std::string>{"MPI_COMM_WORLD", "MPI_COMM_SELF", "cols", "rows", "", ""}));
  EXPECT_EQ(profile.communicators[1].size, 1);
  EXPECT_TRUE(profile.communicators[5].merged);
  EXPECT_EQ(profile.communicators[3].calls, 2);
  EXPECT_EQ(profile.communicators[3].total_ns, 60);
  EXPECT_EQ(profile.communicators[3].bytes, 12);
  EXPECT_EQ(profile.communicators[5].calls, 1);
  EXPECT_EQ(profile.communicators[4].calls, 0);
}

TEST(Warnings, AreOnePerKind) {
  RankRecord first = record_of(0, 2), second = record_of(1, 2);
  first.untracked_requests = 1;
  second.untracked_requests = 2;
  second.abandoned = 1;
  first.family = second.family = "unknown";
  Profile profile = merged({first, second});
  std::vector<std::string> ids;
  for (const Warning &warning : profile.warnings) ids.push_back(warning.id);
  EXPECT_EQ(ids, (std::vector<std::string>{"requests-untracked", "abandoned-calls", "mpi-unknown"}));
  EXPECT_EQ(profile.warnings[0].text.substr(0, 21), "3 requests on 2 ranks");
  EXPECT_EQ(profile.warnings[1].text.substr(0, 16), "1 call on 1 rank");
}

/// Every number that is changed must be noticed.
TEST(Conservation, NoticesEveryChange) {
  RankRecord first = record_of(0, 2), second = record_of(1, 2);
  first.signatures = {send_to(1, 8, 10, 1000), send_to(1, 16, 1, 10, "MPI_Put")};
  second.signatures = {send_to(0, 100, 1, 300)};
  Profile good = merged({first, second});
  std::vector<std::pair<const char *, void (*)(Profile &)>> changes = {
      {"calls", [](Profile &p) { ++p.calls[0].calls; }},
      {"call total", [](Profile &p) { ++p.calls[0].total_ns; }},
      {"call bytes", [](Profile &p) { ++p.calls[0].bytes_sent; }},
      {"call received", [](Profile &p) { ++p.calls[0].bytes_received; }},
      {"call errors", [](Profile &p) { ++p.calls[0].errors; }},
      {"order", [](Profile &p) { p.calls[0].p99_ns = p.calls[0].max_ns + 1; }},
      {"per rank calls", [](Profile &p) { ++p.calls[0].per_rank.calls[1]; }},
      {"per rank time", [](Profile &p) { std::swap(p.calls[0].per_rank.total_ns[0], p.calls[0].per_rank.total_ns[1]); }},
      {"per rank bytes", [](Profile &p) { std::swap(p.calls[0].per_rank.bytes_sent[0], p.calls[0].per_rank.bytes_sent[1]); }},
      {"per rank length", [](Profile &p) { p.calls[0].per_rank.calls.push_back(0); }},
      {"signature calls", [](Profile &p) { ++p.signatures[0].calls; }},
      {"signature gone", [](Profile &p) { p.signatures.pop_back(); }},
      {"call gone", [](Profile &p) { p.calls.pop_back(); }},
      {"rank mpi", [](Profile &p) { ++p.ranks[0].mpi_ns; }},
      {"rank wall", [](Profile &p) { p.ranks[0].wall_ns = 1; }},
      {"totals wall", [](Profile &p) { ++p.totals.wall_ns; }},
      {"totals wall sum", [](Profile &p) { ++p.totals.wall_sum_ns; }},
      {"totals mpi", [](Profile &p) { ++p.totals.mpi_ns; }},
      {"totals calls", [](Profile &p) { ++p.totals.calls; }},
      {"totals sent", [](Profile &p) { ++p.totals.bytes_sent; }},
      {"totals received", [](Profile &p) { ++p.totals.bytes_received; }},
      {"totals overhead", [](Profile &p) { ++p.totals.overhead_ns; }},
      {"p2p bytes", [](Profile &p) { ++p.peers.p2p.bytes[0]; }},
      {"p2p messages", [](Profile &p) { ++p.peers.p2p.messages[0]; }},
      {"p2p source", [](Profile &p) { std::swap(p.peers.p2p.src[0], p.peers.p2p.src[1]); }},
      {"rma bytes", [](Profile &p) { ++p.peers.rma.bytes[0]; }},
      {"rma messages", [](Profile &p) { ++p.peers.rma.messages[0]; }},
      {"communicator calls", [](Profile &p) { ++p.communicators[0].calls; }},
      {"communicator time", [](Profile &p) { ++p.communicators[0].total_ns; }},
      {"communicator bytes", [](Profile &p) { ++p.communicators[0].bytes; }},
      {"communicator gone", [](Profile &p) { p.communicators.clear(); }},
      {"size calls", [](Profile &p) { ++p.sizes[0].calls; }},
      {"size bytes", [](Profile &p) { ++p.sizes[0].bytes; }},
      {"size time", [](Profile &p) { ++p.sizes[0].total_ns; }},
      {"size gone", [](Profile &p) { p.sizes.pop_back(); }},
      {"reported", [](Profile &p) { ++p.worlds[0].ranks_reported; }},
      {"missing", [](Profile &p) { p.worlds[0].missing.push_back(1); }},
      {"size of the world", [](Profile &p) { ++p.worlds[0].size; }}};
  for (const auto &[name, change] : changes) {
    Profile profile = good;
    change(profile);
    EXPECT_FALSE(conservation_violations(profile).empty()) << name;
  }
}

}  // namespace
