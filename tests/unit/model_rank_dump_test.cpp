#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "model/rank_record.hpp"
#include "record_builder.hpp"
#include "temporary_directory.hpp"

using namespace scope::model;
using namespace scope::test;
namespace wire = scope::wire;

namespace {

std::string error_for(const std::string &text) {
  return error_of([&] { parse_rank_dump(text, "d.json"); });
}

/// The error after one change of the sample.
std::string error_after(const std::string &from, const std::string &to) { return error_for(changed(dump_text(), from, to)); }

TEST(RankDump, GivesEveryField) {
  RankRecord record = parse_rank_dump(dump_text(), "d.json");
  EXPECT_EQ(record.source, "d.json");
  EXPECT_FALSE(record.from_live_block);
  EXPECT_EQ(record.run_id, "run-1");
  EXPECT_EQ(record.world_key, "w0");
  EXPECT_EQ(record.size, 4);
  EXPECT_EQ(record.rank, 1);
  EXPECT_EQ(record.host, "node1");
  EXPECT_EQ(record.boot_id, "boot-1");
  EXPECT_EQ(record.pid, 4711u);
  EXPECT_EQ(record.start_time, 77u);
  EXPECT_EQ(record.executable, "/opt/sim");
  EXPECT_EQ(record.threads, 1);
  EXPECT_EQ(record.cpu_ns, 5000u);
  EXPECT_EQ(record.max_rss_bytes, 4096u);
  EXPECT_EQ(record.family, "openmpi");
  EXPECT_EQ(record.library, "Open MPI v4.1.4");
  EXPECT_EQ(record.standard_major, 3);
  EXPECT_EQ(record.standard_minor, 1);
  EXPECT_EQ(record.thread_level, 0);
  EXPECT_EQ(record.status, RankStatus::finalized);
  EXPECT_EQ(record.clock, "tsc");
  EXPECT_EQ(record.unix_ns, 1700000000000000000u);
  EXPECT_EQ(record.scale.ns_per_tick(), 2);
  EXPECT_EQ(record.begin, 1000u);
  EXPECT_EQ(record.end, 50000u);
  EXPECT_EQ(record.last_seen, 50000u);
  EXPECT_EQ(record.mpi_ticks, 70u);
  EXPECT_EQ(record.cost_ticks, 12.5);
  EXPECT_EQ(record.untracked_requests, 1u);
  EXPECT_EQ(record.lost_entries, 2u);
  EXPECT_EQ(record.abandoned, 3u);
  EXPECT_EQ(record.folded.tags, 4u);
  EXPECT_EQ(record.folded.bytes, 5u);
  EXPECT_EQ(record.folded.peers, 6u);
  EXPECT_EQ(record.folded.communicators, 7u);
}

TEST(RankDump, GivesEveryRow) {
  RankRecord record = parse_rank_dump(dump_text(), "d.json");
  ASSERT_EQ(record.in_call.size(), 1u);
  EXPECT_EQ(record.in_call[0].call, "MPI_Recv");
  EXPECT_EQ(record.in_call[0].peer, 2);
  EXPECT_EQ(record.in_call[0].tag, 9);
  EXPECT_EQ(record.in_call[0].bytes, 100);
  EXPECT_EQ(record.in_call[0].comm, 0u);
  EXPECT_EQ(record.in_call[0].since, 49000u);
  ASSERT_EQ(record.comms.size(), 2u);
  EXPECT_EQ(record.comms[1].key, 0xfedcba9876543210u);
  EXPECT_EQ(record.comms[1].size, 2);
  EXPECT_EQ(record.comms[1].remote_size, 3);
  EXPECT_TRUE(record.comms[1].foreign);
  EXPECT_FALSE(record.comms[1].merged);
  ASSERT_EQ(record.calls.size(), 1u);
  EXPECT_EQ(record.calls[0].name, "MPI_Send");
  EXPECT_EQ(record.calls[0].errors, 1u);
  EXPECT_EQ(record.calls[0].histogram.size(), static_cast<std::size_t>(wire::histogram_buckets));
  EXPECT_EQ(record.calls[0].histogram[10], 1u);
  EXPECT_EQ(record.calls[0].histogram[11], 0u);
  EXPECT_EQ(record.calls[0].histogram[20], 1u);
  ASSERT_EQ(record.signatures.size(), 2u);
  EXPECT_EQ(record.signatures[0].comm, 0u);
  EXPECT_EQ(record.signatures[0].tag, wire::folded);
  EXPECT_EQ(record.signatures[0].bytes_sent, 16u);
  EXPECT_EQ(record.signatures[1].request_call, "MPI_Irecv");
  EXPECT_EQ(record.signatures[1].comm, wire::none_comm);
  EXPECT_EQ(record.signatures[1].completions, 3u);
  EXPECT_EQ(record.signatures[1].sum_sq, 1600);
  EXPECT_EQ(record.signatures[1].bytes_received, 24u);
}

TEST(RankDump, IgnoresWhatALaterMinorVersionAdds) {
  RankRecord record = parse_rank_dump(changed(dump_text(), "\"mpi_ticks\":70,", "\"new\":{\"x\":[1,{}]},\"mpi_ticks\":71,"), "d");
  EXPECT_EQ(record.mpi_ticks, 71u);
  record = parse_rank_dump(changed(dump_text(), "\"call\":\"MPI_Wait\"", "\"call\":\"MPI_Invented\""), "d");
  EXPECT_EQ(record.signatures[1].call, "MPI_Invented");
}

TEST(RankDump, ARankBeforeMpiInitHasNoWorld) {
  RankRecord record = parse_rank_dump(changed(dump_text(), "\"size\":4,\"rank\":1", "\"size\":-1,\"rank\":-1"), "d");
  EXPECT_EQ(record.rank, -1);
  EXPECT_EQ(record.size, 0);
}

TEST(DamagedRankDump, EmptyOrCut) {
  EXPECT_EQ(error_for(""), "d.json: is empty");
  EXPECT_EQ(error_for(" \n"), "d.json: is empty");
  EXPECT_EQ(error_for("{\"format\":\n\"scope"), "d.json: is truncated: the JSON text ends at line 2, column 7");
  const std::string text = dump_text();
  for (std::size_t length = 1; length < text.size(); length += 11)
    EXPECT_TRUE(contains(error_for(text.substr(0, length)), "d.json: is truncated: ")) << length;
  EXPECT_EQ(error_after(",\n\"end\":true", ""), "d.json: the document is truncated: it has no end mark");
  EXPECT_EQ(error_after("\"end\":true", "\"end\":false"), "d.json: the document is truncated: it has no end mark");
}

TEST(DamagedRankDump, NoJsonNamesLineAndColumn) {
  EXPECT_EQ(error_for("{\"format\": nonsense}"),
            "d.json: line 1, column 13: is no JSON: invalid literal; last read: '\"format\": no'");
  EXPECT_TRUE(contains(error_after("\"rank\":1}", "\"rank\":NaN}"), "d.json: line 2, column 49: is no JSON: "));
  EXPECT_TRUE(contains(error_after("\"node1\"", "\"\xff\""),
                       "d.json: line 3, column 20: is no JSON: invalid string: ill-formed UTF-8"));
  EXPECT_TRUE(contains(error_after("\"cost_ticks\":12.5", "\"cost_ticks\":1e999"),
                       "d.json: line 8, column 33: is no JSON: number overflow"));
}

TEST(DamagedRankDump, AnotherFormatOrVersion) {
  EXPECT_EQ(error_for("{}"), "d.json: is no scope-profiler-rank file: it has no key \"format\"");
  EXPECT_EQ(error_for("[1]"), "d.json: the document is not an object");
  EXPECT_EQ(error_after("\"scope-profiler-rank\"", "\"scope-profiler-summary\""),
            "d.json: is no scope-profiler-rank file: its format is \"scope-profiler-summary\"");
  EXPECT_EQ(error_after("\"format_version\":1", "\"format_version\":2"),
            "d.json: is of scope-profiler-rank version 2, this scope-profiler reads up to version 1; use the scope-profiler that "
            "wrote it or a newer one");
}

TEST(DamagedRankDump, NamesThePathOfTheKey) {
  EXPECT_EQ(error_after("\"pid\":4711,", ""), "d.json: process has no key \"pid\"");
  EXPECT_EQ(error_after("\"pid\":4711", "\"pid\":\"4711\""), "d.json: process.pid is not an integer");
  EXPECT_EQ(error_after("\"pid\":4711", "\"pid\":-1"), "d.json: process.pid is -1, at least 0 is expected");
  EXPECT_EQ(error_after("\"pid\":4711", "\"pid\":1.5"), "d.json: process.pid is not an integer");
  EXPECT_EQ(error_after("\"status\":\"finalized\"", "\"status\":\"happy\""), "d.json: status is \"happy\", which is no status");
  EXPECT_EQ(error_after("\"standard\":[3,1]", "\"standard\":[3]"), "d.json: mpi.standard is not a pair");
  EXPECT_EQ(error_after("\"host\":\"node1\"", "\"host\":null"), "d.json: process.host is not a string");
  EXPECT_EQ(error_after("\"foreign\":true", "\"foreign\":1"), "d.json: communicators[1].foreign is not true or false");
  EXPECT_EQ(error_after("fedcba9876543210", "xyz"), "d.json: communicators[1].key is no hexadecimal number of 64 bits");
  EXPECT_EQ(error_after("fedcba9876543210", "1fedcba9876543210"),
            "d.json: communicators[1].key is no hexadecimal number of 64 bits");
  EXPECT_EQ(error_after("[[10,1],[20,1]]", "[[10,1],[360,1]]"),
            "d.json: calls[0].histogram[1][0] is 360, at most 359 is expected");
}

TEST(DamagedRankDump, NumbersThatCannotBe) {
  EXPECT_EQ(error_after("\"size\":4,\"rank\":1", "\"size\":4,\"rank\":4"), "d.json: world has rank 4 in a world of 4");
  EXPECT_EQ(error_after("\"size\":4,\"rank\":1", "\"size\":2000000000,\"rank\":1"),
            "d.json: world.size is 2000000000, at most 4194304 is expected");
  EXPECT_EQ(error_after("\"completions\":3", "\"completions\":-3"),
            "d.json: signatures[1].completions is -3, at least 0 is expected");
  EXPECT_EQ(error_after("\"bytes_received\":24", "\"bytes_received\":18446744073709551615"),
            "d.json: signatures[1].bytes_received is 18446744073709551615, at most 1152921504606846976 is expected");
  EXPECT_EQ(error_after("\"comm\":0,\"peer\":2,\"root\"", "\"comm\":2,\"peer\":2,\"root\""),
            "d.json: signatures[0].comm is 2, but there are 2 communicators");
  EXPECT_EQ(error_after("\"comm\":0,\"since\"", "\"comm\":9,\"since\""),
            "d.json: in_call[0].comm is 9, but there are 2 communicators");
  EXPECT_EQ(error_after("\"min\":40,\"max\":40", "\"min\":41,\"max\":40"),
            "d.json: signatures[1] has a minimum of 41 above its maximum of 40");
  EXPECT_EQ(error_after("\"last\":[51000,105200]", "\"last\":[51000,4000]"), "d.json: clock.last is before clock.first");
  EXPECT_EQ(error_after("\"end\":50000", "\"end\":999"), "d.json: clock.end is before clock.begin");
  EXPECT_EQ(error_after("\"cost_ticks\":12.5", "\"cost_ticks\":-1"), "d.json: cost_ticks is negative");
}

TEST(RankDump, IsReadFromPlainAndMissingFiles) {
  TemporaryDirectory directory;
  EXPECT_EQ(read_rank_dump(directory.write("rank-w0-1.json", dump_text())).rank, 1);
  EXPECT_EQ(error_of([&] { read_rank_dump(directory.path / "none"); }),
            "cannot read " + (directory.path / "none").string() + ": No such file or directory");
}

}  // namespace
