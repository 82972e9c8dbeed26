#include <gtest/gtest.h>

#include <fstream>

#include "expect_error.hpp"
#include "live_block_builder.hpp"
#include "model/merge.hpp"
#include "record_builder.hpp"
#include "temporary_directory.hpp"
#include "wire/region_block.hpp"

using namespace scope;
using namespace scope::model;
using namespace scope::test;

namespace {

wire::Header region_header() {
  wire::Header header = sample_header();
  header.holds = wire::Holds::regions;
  header.rank = header.size = wire::none;
  header.begin = 0;
  header.threads = 2;
  return header;
}

wire::RegionName name_of(const std::string &name, std::uint64_t unmatched = 0, std::uint64_t unclosed = 0) {
  wire::RegionName record{};
  set_text(record.name, name);
  set_text(record.file, "solve.c");
  record.line = 7;
  record.unmatched = unmatched;
  record.unclosed = unclosed;
  return record;
}

wire::Region region_of(std::uint32_t name, std::uint32_t parent, std::uint64_t calls, std::uint64_t total, std::uint64_t mpi_ticks = 0, std::uint64_t mpi_calls = 0) {
  wire::Region region{};
  region.name = name;
  region.parent = parent;
  region.calls = calls;
  region.total = total;
  region.min = calls ? total / calls : ~std::uint64_t{0};
  region.max = calls ? total / calls : 0;
  region.mpi_ticks = mpi_ticks;
  region.mpi_calls = mpi_calls;
  return region;
}

template <class Record>
void add_records(LiveBlockBuilder &block, wire::Item type, const std::vector<Record> &records) {
  wire::RecordsItem<Record> item{};
  item.count = item.capacity = static_cast<std::uint32_t>(records.size());
  block.add(item, type, 0, records);
}

LiveBlockBuilder block_of(const std::vector<wire::RegionName> &names, const std::vector<wire::Region> &regions,
                          const wire::Header &header = region_header()) {
  LiveBlockBuilder block(header);
  add_records(block, wire::Item::region_names, names);
  add_records(block, wire::Item::regions, regions);
  return block;
}

RankRecord read(const LiveBlockBuilder &block) {
  TemporaryDirectory directory;
  const auto file = directory.path / "regions-node1-4711-77.block";
  std::ofstream(file, std::ios::binary) << block.bytes;
  return read_live_block(file);
}

const RegionRow &row_of(const Profile &profile, const std::string &path) {
  for (const RegionRow &row : profile.regions)
    if (row.path == path) return row;
  ADD_FAILURE() << "no region " << path;
  static const RegionRow none;
  return none;
}

Profile merged(std::vector<RankRecord> records) {
  Collected collected;
  collected.records = std::move(records);
  return merge(collected, {});
}

constexpr auto top = wire::none_region;

}  // namespace

TEST(RegionBlock, PathsOfThreadsAreAddedUp) {
  // Two threads with solve/exchange each; 2 ns a tick.
  auto record = read(block_of({name_of("solve"), name_of("exchange")}, {region_of(0, top, 2, 1000, 300, 5), region_of(1, 0, 4, 400, 200, 4),
                                                                        region_of(0, top, 1, 100, 0, 0), region_of(1, 2, 1, 30, 0, 0)}));
  EXPECT_TRUE(record.regions_only);
  EXPECT_EQ(record.threads, 2);
  const Profile profile = merged({record});
  ASSERT_EQ(profile.worlds.size(), 1u);
  EXPECT_FALSE(profile.worlds[0].mpi);
  EXPECT_EQ(profile.worlds[0].size, 1);
  const RegionRow &solve = row_of(profile, "solve"), &exchange = row_of(profile, "solve/exchange");
  EXPECT_EQ(profile.regions.size(), 2u);
  EXPECT_EQ(solve.calls, 3);
  EXPECT_EQ(solve.total_ns, 2200);
  EXPECT_EQ(solve.self_ns, 2200 - 860);
  EXPECT_EQ(solve.mpi_ns, 600);
  EXPECT_EQ(solve.mpi_self_ns, 200);
  EXPECT_EQ(solve.mpi_calls, 5);
  EXPECT_EQ(solve.mpi_self_calls, 1);
  EXPECT_EQ(solve.min_ns, 200);
  EXPECT_EQ(solve.max_ns, 1000);
  EXPECT_EQ(exchange.name, "exchange");
  EXPECT_EQ(exchange.calls, 5);
  EXPECT_EQ(exchange.total_ns, 860);
  EXPECT_EQ(exchange.self_ns, 860);
  EXPECT_EQ(exchange.source_file, "solve.c");
  EXPECT_EQ(exchange.source_line, 7);
  EXPECT_EQ(exchange.rank_mpi_calls, std::vector<std::int64_t>{4});
}

TEST(RegionBlock, WhatRecordingRegionsCostsIsTheProfilersCost) {
  // 25.5 ticks a region, in the block's header, of 2 ns; the rank's own record has ticks of 1 ns.
  const auto regions = read(block_of({name_of("solve")}, {region_of(0, top, 6, 1000), region_of(0, 0, 4, 100)}));
  EXPECT_EQ(regions.regions.cost_ticks, 25.5);
  EXPECT_EQ(merged({regions}).ranks[0].overhead_ns, 510);
  RankRecord calls = record_of(0, 1);
  calls.signatures = {signature("MPI_Barrier", 2, 500)};
  add_calls(calls, "MPI_Barrier", 2, 500);
  calls.cost_ticks = 12.5;
  calls.regions = regions.regions;
  const Profile profile = merged({calls});
  EXPECT_EQ(profile.ranks[0].overhead_ns, 25 + 255);
  EXPECT_EQ(profile.totals.overhead_ns, 25 + 255);
}

TEST(RegionBlock, WhatIsOpenEndsWithTheProcess) {
  auto open = region_of(0, top, 0, 0);
  open.begin = 50000;
  auto header = region_header();
  header.state = wire::State::exited;
  header.end = 51000;
  auto profile = merged({read(block_of({name_of("main"), name_of("part")}, {open, region_of(1, 0, 2, 600, 20, 1)}, header))});
  EXPECT_EQ(row_of(profile, "main").calls, 1);
  EXPECT_EQ(row_of(profile, "main").total_ns, 2000);
  EXPECT_EQ(row_of(profile, "main").self_ns, 800);
  EXPECT_EQ(row_of(profile, "main").mpi_calls, 1);
  EXPECT_EQ(profile.ranks[0].status, "exited");
  ASSERT_EQ(profile.warnings.size(), 1u);
  EXPECT_EQ(profile.warnings[0].id, "regions-unclosed");
  // A process that was killed had no chance, and what it did inside counts at least.
  open.begin = 51000;
  profile = merged({read(block_of({name_of("main"), name_of("part")}, {open, region_of(1, 0, 2, 600, 20, 1)}))});
  EXPECT_EQ(row_of(profile, "main").total_ns, 1200);
  EXPECT_EQ(row_of(profile, "main").self_ns, 0);
  EXPECT_EQ(profile.warnings.size(), 0u);
}

TEST(RegionBlock, UnpairedAndFoldedAreWarnedOf) {
  auto block = block_of({name_of("a", 3), name_of("b", 0, 2)}, {region_of(0, top, 1, 5)});
  wire::RegionCountsItem counts{};
  counts.folded = 9;
  counts.launcher_rank = 3;
  block.add(counts, wire::Item::region_counts, 0);
  auto record = read(block);
  EXPECT_EQ(record.regions.launcher_rank, 3);
  const Profile profile = merged({record});
  ASSERT_EQ(profile.warnings.size(), 3u);
  EXPECT_EQ(profile.warnings[0].text, "3 ends of regions without a begin in the same thread: a (3). They were ignored.");
  EXPECT_EQ(profile.warnings[1].text.substr(0, 50), "2 regions were begun and not ended: b (2). Each co");
  EXPECT_EQ(profile.warnings[2].text.substr(0, 47), "9 regions on 1 rank began beyond the limits (81");
}

TEST(RegionBlock, ProcessesAreNumberedByWhatTheLauncherSays) {
  auto process = [](std::uint32_t pid, int rank) {
    auto header = region_header();
    header.pid = pid;
    auto block = block_of({name_of("pid " + std::to_string(pid))}, {region_of(0, top, 1, 5)}, header);
    wire::RegionCountsItem counts{};
    counts.launcher_rank = rank;
    block.add(counts, wire::Item::region_counts, 0);
    return read(block);
  };
  const Profile profile = merged({process(10, 2), process(11, 0), process(12, 1)});
  std::vector<std::int64_t> pids;
  for (const Rank &rank : profile.ranks) pids.push_back(rank.pid);
  EXPECT_EQ(pids, (std::vector<std::int64_t>{11, 12, 10}));
  EXPECT_EQ(row_of(profile, "pid 10").per_rank.calls, (std::vector<std::int64_t>{0, 0, 1}));
}

TEST(RegionBlock, GoesToTheRankOfItsProcess) {
  TemporaryDirectory directory;
  auto calls = sample_header();
  std::ofstream(directory.path / "live-node1-4711-77.block", std::ios::binary) << LiveBlockBuilder(calls).bytes;
  std::ofstream(directory.path / "regions-node1-4711-77.block", std::ios::binary) << block_of({name_of("a")}, {region_of(0, top, 1, 5)}).bytes;
  auto other = region_header();
  other.pid = 4712;
  std::ofstream(directory.path / "regions-node1-4712-77.block", std::ios::binary) << block_of({name_of("b")}, {region_of(0, top, 1, 5)}, other).bytes;
  auto foreign = region_header();
  set_text(foreign.run_id, "run-2");
  std::ofstream(directory.path / "regions-node1-4713-77.block", std::ios::binary) << block_of({name_of("c")}, {region_of(0, top, 1, 5)}, foreign).bytes;
  const auto collected = collect(directory.path, "run-1");
  ASSERT_EQ(collected.records.size(), 2u);
  EXPECT_FALSE(collected.records[0].regions_only);
  EXPECT_EQ(collected.records[0].regions.regions[0].name, "a");
  EXPECT_TRUE(collected.records[1].regions_only);
  ASSERT_EQ(collected.warnings.size(), 1u);
  EXPECT_EQ(collected.warnings[0].id, "foreign-dump");
}

TEST(RegionBlock, DetachedRecordsReadTheirRegionsAgain) {
  TemporaryDirectory directory;
  std::ofstream(directory.path / "live-node1-4711-77.block", std::ios::binary) << LiveBlockBuilder(sample_header()).bytes;
  std::ofstream(directory.path / "regions-node1-4711-77.block", std::ios::binary)
      << block_of({name_of("a"), name_of("b")}, {region_of(0, top, 1, 5), region_of(1, 0, 2, 4)}).bytes;
  auto other = region_header();
  other.pid = 4712;
  std::ofstream(directory.path / "regions-node1-4712-77.block", std::ios::binary) << block_of({name_of("c", 3)}, {region_of(0, top, 1, 5)}, other).bytes;
  const Collected held = collect(directory.path, "run-1");
  Collected detached = held;
  for (RankRecord &record : detached.records) detach(record);
  EXPECT_TRUE(detached.records[0].regions.regions.empty());
  const Profile profile = merge(held, {});
  EXPECT_EQ(profile.regions.size(), 3u);
  EXPECT_EQ(to_json(merge(detached, {})), to_json(profile));
  EXPECT_EQ(region_paths(detached.records[0]), (std::vector<std::string>{"a", "a/b"}));
}

TEST(RegionBlock, DamageIsRefused) {
  const std::vector<wire::RegionName> names{name_of("a")};
  EXPECT_THROW(read(block_of(names, {region_of(1, top, 1, 5)})), support::Error);
  EXPECT_THROW(read(block_of(names, {region_of(0, 0, 1, 5)})), support::Error);
  EXPECT_THROW(read(block_of(names, {region_of(0, 7, 1, 5)})), support::Error);
  std::vector<wire::Region> deep{region_of(0, top, 1, 5)};
  for (std::uint32_t depth = 1; depth <= wire::region_depth_limit; ++depth) deep.push_back(region_of(0, depth - 1, 1, 5));
  EXPECT_THROW(read(block_of(names, deep)), support::Error);
  auto wild = region_of(0, top, ~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0});
  const Profile profile = merged({read(block_of(names, {wild}))});
  EXPECT_GE(profile.regions[0].self_ns, 0);
}
