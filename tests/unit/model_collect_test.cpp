#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "live_block_builder.hpp"
#include "model/merge.hpp"
#include "record_builder.hpp"
#include "temporary_directory.hpp"

using namespace scope::model;
using namespace scope::test;
namespace wire = scope::wire;

namespace {

/// The live block of the process that the sample dump is of.
const char live_name[] = "live-node1-4711-77.block";

std::string live_bytes(const std::string &run_id = "run-1", std::uint32_t pid = 4711, int rank = 1) {
  wire::Header header = sample_header();
  set_text(header.run_id, run_id);
  header.pid = pid;
  header.rank = rank;
  return LiveBlockBuilder(header).bytes;
}

/// "id: text" of every warning.
std::vector<std::string> warnings(const Collected &collected) {
  std::vector<std::string> result;
  for (const Warning &warning : collected.warnings) result.push_back(warning.id + ": " + warning.text);
  return result;
}

using Texts = std::vector<std::string>;

TEST(Collect, ReadsDumpsAndTheLiveBlocksOfProcessesWithout) {
  TemporaryDirectory directory;
  directory.write("rank-w0-1.json", dump_text());
  directory.write(live_name, live_bytes());
  directory.write("live-node1-4712-77.block", live_bytes("run-1", 4712, 2));
  directory.write("agent.sh", "#!/bin/sh");
  directory.write("rank-w0-3.json.part", "{");
  Collected collected = collect(directory.path, "run-1");
  ASSERT_EQ(collected.records.size(), 2u);
  EXPECT_FALSE(collected.records[0].from_live_block);
  EXPECT_EQ(collected.records[0].rank, 1);
  EXPECT_TRUE(collected.records[1].from_live_block);
  EXPECT_EQ(collected.records[1].rank, 2);
  EXPECT_EQ(warnings(collected), Texts{});
  EXPECT_FALSE(collected.partial);
}

TEST(Collect, ALiveBlockOfAnotherNameIsMatchedByItsContent) {
  TemporaryDirectory directory;
  auto dump = directory.write("a.json", dump_text());
  auto block = directory.write("renamed", live_bytes());
  Collected collected = collect_files({block, dump, block}, "");
  ASSERT_EQ(collected.records.size(), 1u);
  EXPECT_FALSE(collected.records[0].from_live_block);
}

TEST(Collect, ADamagedLiveBlockIsNotMissedWhereTheDumpIsThere) {
  TemporaryDirectory directory;
  directory.write("rank-w0-1.json", dump_text());
  directory.write(live_name, "SCOPELIV");
  Collected collected = collect(directory.path, "run-1");
  EXPECT_EQ(collected.records.size(), 1u);
  EXPECT_EQ(warnings(collected), Texts{});
}

TEST(Collect, UnreadableDumpsAreNamedAndTheirLiveBlockIsUsed) {
  TemporaryDirectory directory;
  auto dump = directory.write("rank-w0-1.json", dump_text().substr(0, 500));
  directory.write(live_name, live_bytes());
  auto empty = directory.write("rank-w0-2.json", "");
  Collected collected = collect(directory.path, "run-1");
  ASSERT_EQ(collected.records.size(), 1u);
  EXPECT_TRUE(collected.records[0].from_live_block);
  EXPECT_TRUE(collected.partial);
  ASSERT_EQ(collected.warnings.size(), 2u);
  EXPECT_EQ(collected.warnings[0].id, "dump-unreadable");
  EXPECT_TRUE(contains(collected.warnings[0].text, dump.string() + ": is truncated: the JSON text ends at line "));
  EXPECT_EQ(collected.warnings[1].text, empty.string() + ": is empty. What the other files hold is used.");
}

TEST(Collect, UnreadableLiveBlocksAreNamed) {
  TemporaryDirectory directory;
  auto block = directory.write(live_name, "");
  Collected collected = collect(directory.path, "run-1");
  EXPECT_TRUE(collected.records.empty());
  EXPECT_TRUE(collected.partial);
  EXPECT_EQ(warnings(collected), Texts{"dump-unreadable: " + block.string() + ": is empty. What the other files hold is used."});
}

TEST(Collect, FilesOfAnotherRunAreLeftOut) {
  TemporaryDirectory directory;
  directory.write("rank-w0-1.json", dump_text());
  auto other = directory.write("rank-w9-0.json", changed(changed(dump_text(), "\"run-1\"", "\"run-0\""), "4711", "4713"));
  Collected collected = collect(directory.path, "run-1");
  ASSERT_EQ(collected.records.size(), 1u);
  EXPECT_EQ(collected.records[0].run_id, "run-1");
  EXPECT_EQ(warnings(collected), Texts{"foreign-dump: " + other.string() +
                                       ": is of run \"run-0\", not of run \"run-1\", and was left out. Merge that run's files on "
                                       "their own to see it."});
  EXPECT_FALSE(collected.partial);
  EXPECT_TRUE(collect(directory.path, "run-7").records.empty());
}

TEST(Collect, WithoutARunIdTheOneOfMostFilesCounts) {
  TemporaryDirectory directory;
  directory.write("rank-w0-1.json", dump_text());
  directory.write("live-node1-1-77.block", live_bytes("run-2", 1, 2));
  directory.write("live-node1-2-77.block", live_bytes("run-2", 2, 3));
  Collected collected = collect(directory.path, "");
  ASSERT_EQ(collected.records.size(), 2u);
  EXPECT_EQ(collected.records[0].run_id, "run-2");
  EXPECT_EQ(collected.warnings.size(), 1u);
}

TEST(Collect, AMissingDirectoryIsAnError) {
  EXPECT_EQ(error_of([] { collect("/nonexistent/run", ""); }),
            "cannot read the directory /nonexistent/run: No such file or directory");
  TemporaryDirectory directory;
  EXPECT_TRUE(collect(directory.path, "").records.empty());
}

}  // namespace
