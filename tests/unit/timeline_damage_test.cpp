// Side files that are cut off, changed or made to deceive.

#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "temporary_directory.hpp"
#include "timeline/file.hpp"
#include "timeline/file_blocks.hpp"
#include "timeline/file_columns.hpp"
#include "timeline_sample.hpp"

using namespace scope::timeline;
using scope::test::contains;
using scope::test::error_of;
using scope::test::small_timeline;
using scope::test::TemporaryDirectory;
using scope::test::write_timeline;

namespace {

namespace fs = std::filesystem;

constexpr const char *copy_again = " Copy the file once more from where it was recorded, or record anew with run --trace.";
constexpr const char *whole_is_used =
    " Copy the file once more from where it was recorded, or record anew with run --trace; what is whole is used.";

std::string bytes_of(const fs::path &file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Positions and heads of the blocks of a whole file.
std::vector<Block> blocks_of(const std::string &bytes) {
  std::vector<Block> blocks;
  for (std::size_t at = Prologue::bytes; at < bytes.size();) {
    Block block{at, {}};
    EXPECT_TRUE(from_bytes(std::string_view(bytes).substr(at), block.head));
    blocks.push_back(block);
    at += BlockHead::bytes + block.head.stored;
  }
  return blocks;
}

/// The blocks of small_timeline's file.
enum { header_block, signature_block, rank_0, rank_1, index_block };

class TimelineDamage : public testing::Test {
 protected:
  TimelineDamage() {
    write_timeline(directory.path / "whole", line);
    bytes = bytes_of(directory.path / "whole");
    blocks = blocks_of(bytes);
    EXPECT_EQ(blocks.size(), 5u);
  }
  std::string name() const { return (directory.path / "a").string(); }
  std::string error(const std::string &content) {
    return error_of([&] { load(directory.write("a", content)); });
  }
  Timeline read(const std::string &content) {
    warnings.clear();
    return load(directory.write("a", content), &warnings);
  }
  /// Whether the events are those that were written, or the first ones of them; as many as the header says.
  void expect_beginning(const Timeline &is) {
    ASSERT_EQ(is.events.size(), line.events.size());
    for (std::size_t rank = 0; rank < is.events.size(); ++rank) {
      ASSERT_LE(is.events[rank].size(), line.events[rank].size());
      for (std::size_t i = 0; i < is.events[rank].size(); ++i) EXPECT_EQ(is.events[rank][i], line.events[rank][i]);
      if (is.events[rank].size() == line.events[rank].size()) continue;
      EXPECT_FALSE(warnings.empty());
      EXPECT_LE(is.header.ranks[rank].to, is.events[rank].empty() ? is.header.ranks[rank].from : is.events[rank].back().begin);
    }
  }
  std::string at(int block) const { return name() + ": byte " + std::to_string(blocks[static_cast<std::size_t>(block)].at) + ": "; }
  /// The file with a head changed, its check sum right again and the index gone.
  std::string with_head(int block, const std::function<void(BlockHead &)> &change) const {
    std::string changed = bytes.substr(0, blocks[index_block].at);
    Block copy = blocks[static_cast<std::size_t>(block)];
    change(copy.head);
    changed.replace(copy.at, BlockHead::bytes, to_bytes(copy.head));
    return changed;
  }

  TemporaryDirectory directory;
  Timeline line = small_timeline();
  std::string bytes;
  std::vector<Block> blocks;
  std::vector<std::string> warnings;
};

TEST_F(TimelineDamage, OtherFilesAreRefused) {
  const std::string reason =
      ": byte 0: it does not begin with \"SCOPETLN\", so it is no timeline of scope-profiler. The profile's key timeline.file "
      "names the right one.";
  EXPECT_EQ(error(""), name() + reason);
  EXPECT_EQ(error("SCOPETL"), name() + reason);
  EXPECT_EQ(error(std::string(1000, 'x')), name() + reason);
  EXPECT_EQ(error_of([] { load("/nowhere/a"); }),
            "cannot read /nowhere/a: No such file or directory; it belongs beside the profile, copy both");
  EXPECT_EQ(error_of([&] { load(directory.path); }), "cannot read " + directory.path.string() + ": Is a directory");
  EXPECT_EQ(error_of([&] { load("/dev/null"); }), "cannot read /dev/null: Illegal seek");
}

TEST_F(TimelineDamage, NewerVersionsAreRefused) {
  Prologue prologue;
  prologue.version = 2;
  bytes.replace(0, Prologue::bytes, to_bytes(prologue));
  EXPECT_EQ(error(bytes), name() +
                              ": is a timeline of version 2, this scope-profiler reads up to version 1. Use the scope-profiler "
                              "that wrote it, or a newer one.");
}

TEST_F(TimelineDamage, OfAFileThatIsCutOffWhatIsWholeIsUsed) {
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    SCOPED_TRACE(length);
    const std::string cut = bytes.substr(0, length);
    if (length < blocks[signature_block].at) {
      EXPECT_NE(error(cut), "no error");
      continue;
    }
    const Timeline is = read(cut);
    expect_beginning(is);
    EXPECT_EQ(is.signatures.size(), length < blocks[rank_0].at ? 0u : 7u);
    EXPECT_EQ(is.events[0].size(), length < blocks[rank_1].at ? 0u : 9u);
    EXPECT_EQ(is.events[1].size(), length < blocks[index_block].at ? 0u : 2u);
    EXPECT_EQ(warnings.size(), 1u);
  }
  EXPECT_EQ(error(bytes.substr(0, 30)), name() + ": byte 30: the file is cut off within its first 64 bytes." + copy_again);
  EXPECT_EQ(error(bytes.substr(0, 80)),
            name() + ": byte 64: the file is cut off before its header, or this is damaged." + copy_again);
}

TEST_F(TimelineDamage, SaysWhatIsLost) {
  const std::string size = std::to_string(bytes.size());
  Timeline is = read(bytes.substr(0, blocks[index_block].at - 1));
  EXPECT_EQ(warnings, std::vector{at(rank_1) + "the file of " + size +
                                  " bytes can be read up to here: 2 of 11 events are lost, those of rank 0 after 950 ns and "
                                  "of the ranks behind it." +
                                  whole_is_used});
  EXPECT_EQ(is.header.ranks[0].to, 950) << "the rank may have had more";
  EXPECT_EQ(is.header.ranks[1].to, is.header.ranks[1].from);
  EXPECT_FALSE(is.header.ranks[1].recorded);

  is = read(bytes.substr(0, blocks[rank_0].at + 60));
  EXPECT_EQ(warnings, std::vector{at(rank_0) + "the file of " + size +
                                  " bytes can be read up to here: 11 of 11 events are lost, those of all ranks." + whole_is_used});

  is = read(bytes.substr(0, blocks[index_block].at + 60));
  EXPECT_EQ(warnings, std::vector{at(index_block) + "the file is cut off, behind the last event."});
  EXPECT_EQ(is.header, line.header);

  std::string changed = bytes;
  changed[Prologue::bytes - 1] ^= 1;
  is = read(changed);
  EXPECT_EQ(warnings,
            std::vector{name() + ": byte 0: the beginning of the file is damaged: whether all of it is there cannot be told."});
  EXPECT_EQ(is.events, line.events);

  changed.resize(blocks[rank_1].at + 10);
  is = read(changed);
  EXPECT_EQ(warnings.back(), at(rank_1) +
                                 "the file can be read up to here: what was behind is lost, those of rank 0 after 950 ns "
                                 "and of the ranks behind it." +
                                 whole_is_used);
}

TEST_F(TimelineDamage, ADamagedBlockCostsTheRestOfItsRank) {
  std::string changed = bytes;
  changed[blocks[rank_0].at + BlockHead::bytes + blocks[rank_0].head.stored - 1] ^= 4;
  const Timeline is = read(changed);
  EXPECT_EQ(warnings, std::vector{at(rank_0) +
                                  "this block of rank 0 cannot be read: its compressed data are damaged (Restored data doesn't "
                                  "match checksum). Its last 9 events are lost." +
                                  whole_is_used});
  EXPECT_EQ(is.events, (std::vector<std::vector<Event>>{{}, line.events[1]}));
  EXPECT_EQ(is.header.ranks[0].dropped, 9u);
  EXPECT_EQ(is.header.ranks[0].to, 0);
  EXPECT_EQ(is.header.ranks[1], line.header.ranks[1]);

  Reader reader(directory.path / "a");
  EXPECT_EQ(reader.events(), 11u) << "not known before it is read";
  for (int i = 0; i < 2; ++i) reader.read(0, [](std::span<const Event>) { FAIL(); });
  EXPECT_EQ(reader.events(), 2u);
  EXPECT_EQ(reader.lost(), 9u);
  EXPECT_EQ(reader.warnings().size(), 1u) << "said once";
}

TEST_F(TimelineDamage, ADamagedHeadIsFoundByTheIndex) {
  std::string changed = bytes;
  changed[blocks[rank_0].at + 8] ^= 1;
  Timeline is = read(changed);
  EXPECT_EQ(warnings,
            std::vector{at(rank_0) + "this block of rank 0 cannot be read: its head is damaged. Its last 9 events are lost." +
                        whole_is_used});
  EXPECT_EQ(is.events[1], line.events[1]);

  changed.back() ^= 1;  // the index, too
  is = read(changed);
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_EQ(warnings[0], at(index_block) + "the index is damaged: the blocks were looked for one after the other.");
  EXPECT_EQ(warnings[1], at(rank_0) + "the head of the block is damaged: nothing behind it can be read.");
  EXPECT_TRUE(contains(warnings[2], "11 of 11 events are lost"));
}

TEST_F(TimelineDamage, LostSignaturesAreWithoutAName) {
  std::string changed = bytes;
  changed[blocks[signature_block].at + BlockHead::bytes + 20] ^= 1;
  const Timeline is = read(changed);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(contains(warnings[0], at(signature_block) + "7 signatures cannot be read: its compressed data are damaged"))
      << warnings[0];
  EXPECT_TRUE(contains(warnings[0], std::string(" Calls that have one are without a name.") + whole_is_used)) << warnings[0];
  EXPECT_EQ(is.signatures, std::vector<Signature>(7));
  EXPECT_EQ(is.events, line.events);
}

// Some bits of a zstd frame mean nothing.
TEST_F(TimelineDamage, EveryFlippedBitIsFoundOrHarmless) {
  for (std::size_t i = 0; i < 8 * bytes.size(); ++i) {
    SCOPED_TRACE(i);
    std::string changed = bytes;
    changed[i / 8] ^= static_cast<char>(1 << (i % 8));
    const std::string reason = error_of([&] {
      const Timeline is = read(changed);
      expect_beginning(is);
      if (!warnings.empty()) return;
      EXPECT_EQ(is.header, line.header);
      EXPECT_EQ(is.signatures, line.signatures);
    });
    if (reason != "no error") {
      EXPECT_TRUE(reason.starts_with(name() + ": ")) << reason;
    }
  }
}

TEST_F(TimelineDamage, LyingHeadsAreRefused) {
  auto refused = [&](int block, const char *reason, const std::function<void(BlockHead &)> &change) {
    EXPECT_EQ(error(with_head(block, change)), at(block) + "the head of this block " + reason + "." + copy_again);
  };
  refused(rank_0, "names a rank that is not in the header", [](BlockHead &head) { head.rank = 2; });
  refused(rank_0, "names more events than a block may hold, or none", [](BlockHead &head) { head.count = 0; });
  refused(rank_0, "names more events than a block may hold, or none", [](BlockHead &head) { head.count = 65537; });
  refused(rank_0, "names events that do not follow those before it", [](BlockHead &head) { head.first = 1; });
  refused(rank_0, "names instants that do not follow those before it", [](BlockHead &head) { head.from = -1; });
  refused(rank_0, "names instants that do not follow those before it", [](BlockHead &head) { head.to = 5; });
  refused(signature_block, "names signatures that do not follow those before it", [](BlockHead &head) { head.first = 1; });
  refused(signature_block, "names more signatures than a block or a file may hold", [](BlockHead &head) { head.count = 65537; });
  EXPECT_EQ(error(with_head(header_block, [](BlockHead &head) { head.type = 3; })),
            at(header_block) + "the header cannot be read: its type is not that of a header." + copy_again);
  EXPECT_EQ(error(with_head(header_block, [](BlockHead &head) { head.raw = ~0u; })),
            at(header_block) + "the header cannot be read: it says that it holds 4294967295 bytes, more than it can." + copy_again);
}

TEST_F(TimelineDamage, LyingCountsCostTheBlock) {
  auto lost = [&](const std::string &reason, const std::function<void(BlockHead &)> &change) {
    const Timeline is = read(with_head(rank_0, change));
    EXPECT_TRUE(is.events[0].empty());
    EXPECT_EQ(is.events[1], line.events[1]);
    EXPECT_TRUE(contains(warnings.back(), at(rank_0) + "this block of rank 0 cannot be read: " + reason)) << warnings.back();
  };
  lost("a column is shorter than it says", [](BlockHead &head) { head.count = 65536; });
  lost("it holds more data than it says", [](BlockHead &head) { head.count = 8; });
  lost("it says that it holds 999 bytes, more than it can", [](BlockHead &head) { head.raw = 999; });
  lost("its compressed data are damaged", [](BlockHead &head) { --head.raw; });
  lost("its first and last instant are not those of its head", [](BlockHead &head) { ++head.to; });
}

TEST_F(TimelineDamage, UnknownBlocksArePassedOver) {
  std::string changed = bytes.substr(0, blocks[index_block].at);
  BlockHead head;
  head.type = 99;
  head.stored = 5;
  changed.insert(blocks[rank_0].at, to_bytes(head) + "hello");
  const Timeline is = read(changed);
  EXPECT_EQ(is.header, line.header);
  EXPECT_EQ(is.events, line.events);
}

/// What decode_events says of a block's content with one change.
class TimelineColumns : public testing::Test {
 protected:
  TimelineColumns() {
    encode_events(events, 1, content);
    head = {.count = 3, .first = 1, .from = 10, .to = 30};
  }
  std::string decoded(const std::string &bytes, Dictionary known = {5, 1}) {
    std::vector<Event> out;
    try {
      decode_events(bytes, head, known, out);
    } catch (const Damage &damage) {
      return damage.reason;
    }
    return out == events ? "the same" : "others";
  }
  std::string with(std::size_t at, int value) const {
    std::string bytes = content.bytes;
    bytes[at] = static_cast<char>(value);
    return bytes;
  }
  const std::vector<Event> events{{.begin = 10, .end = 60, .what = 0, .thread = 4, .kind = Kind::region},
                                  {.begin = 20, .end = 25, .what = 4, .start = 1, .thread = 4},
                                  {.begin = 30, .end = 55, .what = 2, .thread = 4}};
  Content content;
  BlockHead head;
};

// threads 1: 4; widths of what, start, thread, gap, duration; kinds; what; start; gaps; durations
TEST_F(TimelineColumns, AreAsDescribed) {
  const unsigned char expected[] = {1, 0, 0, 0, 4, 0, 1, 1, 0, 1, 1, 8 + 4, 8 + 16, 8, 0, 4, 2, 0, 1, 0, 0, 10, 5, 50, 5, 25};
  EXPECT_EQ(content.bytes, std::string(reinterpret_cast<const char *>(expected), sizeof expected));
  EXPECT_EQ(decoded(content.bytes), "the same");
}

TEST_F(TimelineColumns, RefuseWhatTheEncoderDoesNotWrite) {
  EXPECT_EQ(decoded(""), "it is shorter than it says");
  EXPECT_EQ(decoded(with(0, 0)), "its list of threads has a length that can't be");
  EXPECT_EQ(decoded(with(0, 4)), "its list of threads has a length that can't be");
  EXPECT_EQ(decoded(with(6, 5)), "a column is wider than its values");
  EXPECT_EQ(decoded(with(6, 2)), "a column is shorter than it says");
  EXPECT_EQ(decoded(with(8, 1)), "a column is shorter than it says");
  EXPECT_EQ(decoded(content.bytes + "x"), "it holds more data than it says");
  EXPECT_EQ(decoded(with(11, 8 + 5)), "it holds a kind of event that is none");
  EXPECT_EQ(decoded(with(11, 128 + 8)), "it holds a kind of event that is none");
  EXPECT_EQ(decoded(content.bytes, {4, 1}), "an event has a signature that is not in the dictionary");
  EXPECT_EQ(decoded(content.bytes, {5, 0}), "an event is of a region that is not in the header");
  EXPECT_EQ(decoded(with(17, 1)), "others") << "one before event 1 is event 0";
  EXPECT_EQ(decoded(with(17, 2)), "an event was started before the first one");
  EXPECT_EQ(decoded(with(13, 8 + 16)), "its first and last instant are not those of its head");
  head.to = 29;
  EXPECT_EQ(decoded(content.bytes), "its first and last instant are not those of its head");
  head.from = std::int64_t{1} << 62;
  EXPECT_EQ(decoded(content.bytes), "its first and last instant are not those of its head");
}

TEST_F(TimelineColumns, RefuseInstantsThatOverflow) {
  Content wide;
  encode_events(std::vector<Event>{{.begin = 10, .end = std::int64_t{1} << 62},
                                   {.begin = std::int64_t{1} << 62, .end = std::int64_t{1} << 62}},
                0, wide);
  head = {.count = 2, .from = (std::int64_t{1} << 62) + 20, .to = 10};
  EXPECT_EQ(decoded(wide.bytes), "it holds an instant beyond all bounds");
}

TEST_F(TimelineColumns, ThreadsThatAreNotInTheListAreRefused) {
  Content two;
  encode_events(std::vector<Event>{{.begin = 10, .end = 11, .thread = 1}, {.begin = 10, .end = 11, .thread = 2}}, 0, two);
  head = {.count = 2, .from = 10, .to = 10};
  EXPECT_EQ(decoded(two.bytes), "others");
  const std::size_t places = 4 + 2 * 2 + 5 + 2;  // behind threads, widths and kinds; the columns what and start are empty
  two.bytes[places + 1] = 2;
  EXPECT_EQ(decoded(two.bytes), "an event is of a thread that is not in the list");
}

TEST(TimelineSignatures, ProceduresOfOtherVersionsAreWithoutAName) {
  Content content;
  encode_signatures(
      std::vector<Signature>{{.call = scope::wire::Call::MPI_Send, .request_call = scope::wire::Call::MPI_Send, .tag = 3}},
      content);
  const std::size_t at = content.bytes.find("MPI_Send");
  ASSERT_EQ(at, 3u);
  content.bytes[at + 7] = 'D';
  BlockHead head{.count = 1};
  std::vector<Signature> signatures;
  decode_signatures(content.bytes, head, signatures);
  EXPECT_EQ(signatures, (std::vector<Signature>{{.tag = 3}}));
  content.bytes[2] = 100;
  EXPECT_THROW(decode_signatures(content.bytes, head, signatures), Damage);
  EXPECT_EQ(signatures.size(), 1u);
}

}  // namespace
