// Merging more ranks than are held at once, and what the profile of more than 1,024 ranks keeps.

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "expect_error.hpp"
#include "json_schema.hpp"
#include "model/merge.hpp"
#include "model/merge_parts.hpp"
#include "record_builder.hpp"
#include "support/files.hpp"
#include "temporary_directory.hpp"

using namespace scope::model;
using namespace scope::test;

namespace {

using nlohmann::json;

std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

/// A ring: every rank sends rank + 1 messages of 8 bytes to the next, in a time that grows with its number.
std::vector<RankRecord> ring(int ranks) {
  std::vector<RankRecord> records;
  for (int rank = 0; rank < ranks; ++rank) {
    RankRecord record = record_of(rank, ranks);
    const auto calls = static_cast<std::uint64_t>(rank + 1);
    record.signatures = {send_to((rank + 1) % ranks, 8, calls, calls * 10)};
    add_calls(record, "MPI_Send", calls, 10);
    record.mpi_ticks = calls * 10;
    records.push_back(record);
  }
  return records;
}

Profile merged(std::vector<RankRecord> records) {
  Collected collected;
  collected.records = std::move(records);
  return merge(collected, {});
}

TEST(MergeMany, DetachedRecordsAreReadAgainAndGiveTheSameProfile) {
  TemporaryDirectory directory;
  const std::string text = scope::support::read_file(SCOPE_TEST_DATA "/rank_dump/sendrecv-openmpi.json");
  std::vector<std::filesystem::path> files;
  for (int rank = 0; rank < 12; ++rank) {
    json dump = json::parse(text);
    dump["world"]["rank"] = rank;
    dump["world"]["size"] = 12;
    dump["process"]["pid"] = 1000 + rank;
    files.push_back(directory.write("rank-w-" + std::to_string(rank) + ".json", dump.dump()));
  }
  Collected held = collect_files(files, "");
  ASSERT_EQ(held.records.size(), 12u);
  EXPECT_FALSE(held.records[0].detached);
  // 2 before 10, so that ranks are read in the order in which they are merged.
  EXPECT_EQ(held.records[10].rank, 10);
  Collected detached = held;
  for (RankRecord &record : detached.records) detach(record);
  EXPECT_TRUE(detached.records[3].signatures.empty());
  EXPECT_EQ(calls_of(detached.records[3]), calls_of(held.records[3]));
  EXPECT_GT(calls_of(held.records[3]), 0u);
  EXPECT_EQ(to_json(merge(detached, {})), to_json(merge(held, {})));
  EXPECT_EQ(whole_record(detached.records[3]).signatures.size(), held.records[3].signatures.size());

  std::size_t heard = 0;
  merge(detached, {}, nullptr, [&](std::size_t done, std::size_t all) {
    EXPECT_EQ(done, ++heard);
    EXPECT_EQ(all, 12u);
  });
  EXPECT_EQ(heard, 12u);

  json other = json::parse(text);
  other["process"]["pid"] = 4711;
  directory.write("rank-w-5.json", other.dump());
  EXPECT_EQ(error_of([&] { merge(detached, {}); }),
            files[5].string() + ": was changed while it was merged. Merge again when nothing writes to it.");
  std::filesystem::remove(files[5]);
  EXPECT_TRUE(error_of([&] { merge(detached, {}); }).starts_with("cannot read " + files[5].string()));
}

TEST(MergeMany, ManySignaturesAreReadWithoutBeingHeld) {
  TemporaryDirectory directory;
  RankRecord record = record_of(0, 3);
  json dump = json::parse(scope::support::read_file(SCOPE_TEST_DATA "/rank_dump/sendrecv-openmpi.json"));
  json row = dump["signatures"][0];
  std::vector<std::filesystem::path> files;
  for (int rank = 0; rank < 3; ++rank) {
    dump["world"]["rank"] = rank;
    dump["world"]["size"] = 3;
    dump["process"]["pid"] = 1000 + rank;
    dump["signatures"] = "ROWS";
    std::string text = dump.dump();
    const std::string line = row.dump();
    const std::size_t tag_at = line.find("\"tag\":") + 6, rest_at = line.find(',', tag_at);
    std::string rows;
    for (int tag = 0; tag < 100'000; ++tag)
      rows.append(tag ? "," : "").append(line, 0, tag_at).append(std::to_string(tag)).append(line, rest_at);
    text.replace(text.find("\"ROWS\""), 6, "[" + rows + "]");
    files.push_back(directory.write("rank-w-" + std::to_string(rank) + ".json", text));
  }
  const Collected collected = collect_files(files, "");  // 300,000 of them
  ASSERT_EQ(collected.records.size(), 3u);
  for (const RankRecord &one : collected.records) {
    EXPECT_TRUE(one.detached);
    EXPECT_EQ(one.signatures.capacity(), 0u);
  }
  EXPECT_EQ(collect_files(files, "", {}, Hold::all).records[1].signatures.size(), 100'000u) << "a job that still runs";
}

TEST(MergeMany, SignaturesFoldPeersThenTagsThenSizesThenRoots) {
  // 40 ranks send to 2 peers with 4 tags and 4 sizes each, and broadcast from 3 roots.
  std::vector<RankRecord> records;
  for (int rank = 0; rank < 40; ++rank) {
    RankRecord record = record_of(rank, 40);
    for (int peer : {(rank + 1) % 40, (rank + 2) % 40})
      for (int tag = 0; tag < 4; ++tag)
        for (std::int64_t bytes : {9, 10, 11, 100}) {
          record.signatures.push_back(send_to(peer, bytes, 1, 10));
          record.signatures.back().tag = tag;
        }
    for (int root : {0, 1, 2}) {
      record.signatures.push_back(signature("MPI_Bcast", 1, 5));
      record.signatures.back().comm = 0;
      record.signatures.back().root = root;
      record.signatures.back().bytes = 8;
    }
    records.push_back(record);
  }
  Collected collected;
  collected.records = records;
  auto rows_with = [&](std::size_t most) {
    Profile profile;
    const std::vector<Placed> placed = place_ranks(collected.records, profile);
    const auto comm_ids = number_communicators(placed, profile);
    RowSums sums(placed.size(), profile, most);
    for (std::size_t i = 0; i < placed.size(); ++i) {
      RankRows rows{*placed[i].record, {}};
      rows.converted = convert_signatures(rows.record, comm_ids[i], profile);
      sums.add(i, placed[i], rows);
    }
    sums.finish();
    std::int64_t calls = 0, bytes = 0, messages = 0;
    for (const SignatureRow &row : profile.signatures) calls += row.calls, bytes += row.bytes_sent;
    for (std::int64_t count : profile.peers.p2p.messages) messages += count;
    EXPECT_EQ(calls, 40 * 35);
    EXPECT_EQ(bytes, 40 * 8 * 130);
    EXPECT_EQ(messages, 40 * 32);
    EXPECT_EQ(profile.peers.p2p.src.size(), 80u) << "the matrix is never folded";
    return profile;
  };
  Profile exact = rows_with(643), peers = rows_with(642), tags = rows_with(18), sizes = rows_with(6), roots = rows_with(4);
  EXPECT_EQ(exact.signatures.size(), 40u * 16 + 3);
  EXPECT_TRUE(exact.warnings.empty());
  EXPECT_EQ(peers.signatures.size(), 16u + 3);
  EXPECT_EQ(peers.signatures[0].peer, -2);
  EXPECT_EQ(peers.signatures[0].ranks.size(), 40u);
  EXPECT_EQ(peers.signatures[0].calls, 80);
  EXPECT_EQ(peers.signatures[0].min_ns, 10);
  EXPECT_EQ(peers.warnings[0].id, "signatures-folded");
  EXPECT_EQ(peers.warnings[0].text, "The ranks together made more than 642 different calls. signatures[] does not tell peers apart. The "
                                    "matrix of peers and all sums are exact.");
  EXPECT_EQ(tags.signatures.size(), 4u + 3);
  EXPECT_EQ(sizes.signatures.size(), 2u + 3) << "9, 10 and 11 are 8 now, 100 is 64";
  EXPECT_EQ(roots.signatures.size(), 2u + 1);
}

TEST(MergeMany, MoreThan1024RanksKeepASpread) {
  const Profile profile = merged(ring(1500));
  const std::string text = to_json(profile);
  const Profile read = parse_profile(text, "p");
  EXPECT_FALSE(keeps_each_rank(read));
  EXPECT_TRUE(keeps_each_rank(profile));
  EXPECT_EQ(conservation_violations(read), std::vector<std::string>{});
  const CallRow &row = read.calls[0];
  ASSERT_TRUE(row.spread);
  EXPECT_TRUE(row.per_rank.calls.empty());
  EXPECT_EQ(row.spread->ranks, 1500u);
  EXPECT_EQ(row.spread->calls, (Quantiles{1, 75, 375, 750, 1125, 1425, 1500}));
  EXPECT_EQ(row.spread->total_ns, (Quantiles{10, 750, 3750, 7500, 11250, 14250, 15000}));
  EXPECT_EQ(row.spread->extremes.size(), 16u);
  EXPECT_EQ(row.spread->extremes.back(), 1499u);
  EXPECT_EQ(row.spread->of_extremes.bytes_sent.back(), 8 * 1500);
  EXPECT_EQ(read.ranks[at(7)].calls, 8);
  EXPECT_EQ(read.ranks[at(7)].bytes_sent, 64);
  EXPECT_EQ(JsonSchema(SCOPE_TEST_DATA "/../../share/schema/summary.schema.json").errors(json::parse(text)), std::vector<std::string>{});
  EXPECT_EQ(to_json(read), text) << "what was read is written again as it was";
}

TEST(MergeMany, AllKeepsEachRank) {
  const Profile profile = merged(ring(1500));
  const Profile read = parse_profile(to_json(profile, PerRankForm::all), "p");
  EXPECT_TRUE(keeps_each_rank(read));
  EXPECT_EQ(read.calls[0].per_rank.total_ns.size(), 1500u);
  EXPECT_EQ(read.calls[0].per_rank.total_ns[at(1499)], 15000);
  Profile small = merged(ring(1024));
  EXPECT_TRUE(keeps_each_rank(parse_profile(to_json(small), "p"))) << "1,024 ranks are kept";
}

TEST(MergeMany, RanksOfARowAreRunsWhereTheyAreMany) {
  std::vector<RankRecord> records = ring(2200);
  for (RankRecord &record : records) {
    if (record.rank % 2 == 0) continue;
    record.signatures.push_back(signature("MPI_Barrier", 1, 5));
    record.signatures.back().comm = 0;
    add_calls(record, "MPI_Barrier", 1, 5);
  }
  const std::string text = to_json(merged(records));
  const json document = json::parse(text);
  for (const json &row : document["signatures"]) {
    if (row["call"] != "MPI_Barrier") continue;
    EXPECT_EQ(row["ranks"], json::array());
    EXPECT_EQ(row["rank_count"], 1100);
    EXPECT_EQ(row["rank_runs"], json::parse("[[1,2199,2]]"));
  }
  Profile read = parse_profile(text, "p");
  auto barrier = std::find_if(read.signatures.begin(), read.signatures.end(), [](const SignatureRow &row) { return row.call == "MPI_Barrier"; });
  ASSERT_NE(barrier, read.signatures.end());
  EXPECT_EQ(barrier->ranks.runs(), (std::vector<RankSet::Run>{{1, 2199, 2}}));
}

TEST(MergeMany, DamagedSpreadsAndRunsAreNamed) {
  const json document = json::parse(to_json(merged(ring(1500))));
  auto error_with = [&](auto change) {
    json damaged = document;
    change(damaged);
    return error_of([&] { parse_profile(damaged.dump(), "p"); });
  };
  EXPECT_EQ(error_with([](json &d) { d["calls"][0]["per_rank"]["ranks"] = 1499; }), "p: calls[0].per_rank.ranks is 1499, there are 1500");
  EXPECT_EQ(error_with([](json &d) { d["calls"][0]["per_rank"]["total_ns"][3] = 1; }), "p: calls[0].per_rank.total_ns falls");
  EXPECT_EQ(error_with([](json &d) { d["calls"][0]["per_rank"]["calls"].erase(0); }),
            "p: calls[0].per_rank.calls has 6 elements, there are 7 shares");
  EXPECT_EQ(error_with([](json &d) { d["calls"][0]["per_rank"]["shares"][2] = 0.3; }), "p: calls[0].per_rank.shares[2] is not 0.250000");
  EXPECT_EQ(error_with([](json &d) { d["calls"][0]["per_rank"]["extremes"]["index"][0] = 1500; }),
            "p: calls[0].per_rank.extremes.index[0] is 1500, there are 1500 ranks");
  auto runs = [&](const char *text, int count) {
    return error_with([&](json &d) {
      d["signatures"][0]["ranks"] = json::array();
      d["signatures"][0]["rank_count"] = count;
      d["signatures"][0]["rank_runs"] = json::parse(text);
    });
  };
  EXPECT_EQ(runs("[[0,5,2]]", 3), "p: signatures[0].rank_runs[0] does not end on a step");
  EXPECT_EQ(runs("[[0,4,2]]", 4), "p: signatures[0].rank_runs holds 3 ranks, not 4");
  EXPECT_EQ(runs("[[0,4,2]]", 2), "p: signatures[0].rank_runs[0] is beyond rank_count");
  EXPECT_EQ(runs("[[0,4,2],[3,3,1]]", 4), "p: signatures[0].rank_runs[1] is not above the rank before it");
  EXPECT_EQ(runs("[[0,4000000000,1]]", 4), "p: signatures[0].rank_runs[0][1] is 4000000000, at most 4194304 is expected");
}

}  // namespace
