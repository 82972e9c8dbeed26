#include <gtest/gtest.h>

#include <fstream>

#include "live_block_builder.hpp"
#include "model/merge.hpp"
#include "model/site_text.hpp"
#include "record_builder.hpp"

using namespace scope::model;
using namespace scope::test;
namespace wire = scope::wire;

namespace {

const CodeFrame step{"/opt/sim", "0a1b", false, 0x1234, ""}, loop{"/opt/sim", "0a1b", false, 0x2000, ""};
const CodeFrame script{"/src/run.py", "", true, 12, "Solver.agree"};

Signature from_site(std::uint32_t site, std::uint64_t calls, std::uint64_t total) {
  Signature one = send_to(1, 8, calls, total);
  one.site = site;
  return one;
}

/// Frames and sites are numbered differently in every rank, and tags tell signatures of one site apart.
TEST(CallSites, EqualPlacesOfAllRanksAreOneRow) {
  RankRecord first = record_of(0, 2), second = record_of(1, 2);
  first.callsites = {1, "", {step, loop, script}, {{0}, {1}, {2}}};
  second.callsites = {1, "", {script, step}, {{0}, {1}}};
  first.signatures = {from_site(1, 2, 100), from_site(1, 3, 200), from_site(2, 1, 50), from_site(wire::site_other, 4, 10)};
  first.signatures[1].tag = 9;
  second.signatures = {from_site(2, 5, 300), from_site(1, 1, 7)};
  for (Signature &one : second.signatures) one.peer = 0;
  add_calls(first, "MPI_Send", 10, 36);
  add_calls(second, "MPI_Send", 6, 51);
  Collected collected;
  collected.records = {first, second};
  Profile profile = merge(collected, {});
  EXPECT_EQ(conservation_violations(profile), std::vector<std::string>{});
  ASSERT_EQ(profile.callsites.size(), 4u);
  const CallSiteRow &longest = profile.callsites[0];
  EXPECT_EQ(longest.call, "MPI_Send");
  EXPECT_EQ(longest.kind, "point-to-point");
  EXPECT_EQ(longest.stack, (std::vector<SiteFrame>{{"/opt/sim", "0a1b", 0x1234, false, "", "", 0}}));
  EXPECT_EQ(longest.calls, 10);
  EXPECT_EQ(longest.bytes_sent, 80);
  EXPECT_EQ(longest.ranks, (std::vector<int>{0, 1}));
  EXPECT_EQ(profile.callsites[1].stack, (std::vector<SiteFrame>{{"/opt/sim", "0a1b", 0x2000, false, "", "", 0}}));
  EXPECT_EQ(profile.callsites[1].ranks, (std::vector<int>{0}));
  EXPECT_EQ(profile.callsites[2].stack, std::vector<SiteFrame>{});
  EXPECT_EQ(profile.callsites[2].calls, 4);
  EXPECT_EQ(profile.callsites[3].stack, (std::vector<SiteFrame>{{"", "", 0, true, "Solver.agree", "/src/run.py", 12}}));
  EXPECT_EQ(profile.signatures.size(), 3u);  // by tag and peer, not by site
}

TEST(CallSites, AnInterpreterThatIsNotKnownIsAWarning) {
  RankRecord record = record_of(0, 1);
  record.callsites.depth = 1;
  record.callsites.foreign_python = "3.99.1";
  Collected collected;
  collected.records = {record};
  Profile profile = merge(collected, {});
  ASSERT_EQ(profile.warnings.size(), 1u);
  EXPECT_EQ(profile.warnings[0].id, "python-frames");
  EXPECT_NE(profile.warnings[0].text.find("the frames of Python 3.99.1 are not known"), std::string::npos);
}

TEST(CallSites, Text) {
  EXPECT_EQ(place_text({"/opt/sim", "", 0x1234, false, "exchange", "/src/halo.c", 120}), "exchange (halo.c:120)");
  EXPECT_EQ(place_text({"/opt/libhalo.so", "", 0x1234, false, "exchange", "", 0}), "exchange (libhalo.so)");
  EXPECT_EQ(place_text({"/opt/sim", "", 0x1234, false, "", "/src/halo.c", 120}), "halo.c:120");
  EXPECT_EQ(place_text({"/opt/sim", "", 0x1234, false, "", "", 0}), "sim+0x1234");
  EXPECT_EQ(place_text({"", "", 0, true, "f", "/src/run.py", 7}), "f (run.py:7)");
  EXPECT_EQ(place_text({}), "unknown");
  EXPECT_EQ(stack_text({}), "other call sites");
  EXPECT_EQ(stack_text({{"", "", 0, true, "f", "a.py", 7}, {"", "", 0, true, "g", "b.py", 9}}), "f (a.py:7) < g (b.py:9)");
}

template <class Record>
wire::RecordsItem<Record> part(std::uint32_t first, std::uint32_t count) {
  wire::RecordsItem<Record> item{};
  item.first = first;
  item.count = item.capacity = count;
  return item;
}

std::filesystem::path written(const LiveBlockBuilder &block) {
  std::filesystem::path file = testing::TempDir() + "callsites.block";
  std::ofstream(file, std::ios::binary) << block.bytes;
  return file;
}

wire::ModuleRecord module_record(const char *path) {
  wire::ModuleRecord module{};
  set_text(module.path, path);
  module.build_id[0] = 0xab;
  module.build_id[1] = 0x01;
  module.build_id_bytes = 2;
  return module;
}

TEST(CallSites, FromALiveBlock) {
  wire::Header header = sample_header();
  header.site_depth = 2;
  LiveBlockBuilder block(header);
  block.add(part<wire::ModuleRecord>(0, 1), wire::Item::modules, 0, std::vector{module_record("/opt/sim")});
  block.add(part<wire::FrameRecord>(0, 1), wire::Item::frames, 0, std::vector{wire::FrameRecord{0x1234, 0, 0, ""}});
  block.add(part<wire::FrameRecord>(1, 1), wire::Item::frames, 0, std::vector{wire::FrameRecord{77, wire::none_module, 0, "f"}});
  block.add(part<wire::SiteRecord>(0, 2), wire::Item::sites, 0, std::vector{wire::SiteRecord{2, {1, 0}}, wire::SiteRecord{99, {0, 5000}}});
  wire::Entry first = entry(wire::Call::MPI_Barrier, 2, 10, 5, 5), second = first, third = first;
  first.key.site = 1;
  second.key.site = 2;
  third.key.site = 3;  // is not there
  wire::EntriesItem entries{};
  entries.count = entries.capacity = 3;
  block.add(entries, wire::Item::entries, 0, std::vector{first, second, third});
  RankRecord record = read_live_block(written(block));
  EXPECT_EQ(record.callsites.depth, 2);
  EXPECT_EQ(record.callsites.frames, (std::vector<CodeFrame>{{"/opt/sim", "ab01", false, 0x1234, ""}, {"", "", false, 77, "f"}}));
  ASSERT_EQ(record.callsites.sites.size(), 2u);
  EXPECT_EQ(record.callsites.sites[0], (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(record.callsites.sites[1], (std::vector<std::uint32_t>(14, 0)));  // a count beyond the limit, an index beyond the frames
  ASSERT_EQ(record.signatures.size(), 3u);
  EXPECT_EQ(record.signatures[0].site, 1u);
  EXPECT_EQ(record.signatures[2].site, wire::site_other);
}

}  // namespace
