#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "live_block_builder.hpp"
#include "model/rank_record.hpp"
#include "temporary_directory.hpp"

using namespace scope::model;
using namespace scope::test;
namespace wire = scope::wire;
using wire::Call;

namespace {

RankRecord read(const std::string &bytes) {
  TemporaryDirectory directory;
  return read_live_block(directory.write("live.block", bytes));
}

/// The error without the file's name.
std::string error_for(const std::string &bytes) {
  TemporaryDirectory directory;
  auto file = directory.write("live.block", bytes);
  std::string error = error_of([&] { read_live_block(file); });
  EXPECT_EQ(error.find(file.string() + ": "), 0u) << error;
  return error.substr(std::min(error.size(), file.string().size() + 2));
}

/// One thread, two sends to rank 2 and one barrier, on MPI_COMM_WORLD.
LiveBlockBuilder sample() {
  LiveBlockBuilder block;
  block.add_thread(0, idle_thread(70));
  block.add_comms(0, {communicator(wire::comm_key_world, 4, "MPI_COMM_WORLD"), communicator(wire::comm_key_self, 1, "")});
  wire::Entry send = entry(Call::MPI_Send, 2, 30, 10, 20);
  send.key.comm = 0;
  send.key.peer = 2;
  send.key.tag = 5;
  send.key.bytes = 8;
  send.bytes_sent = 16;
  wire::Entry barrier = entry(Call::MPI_Barrier, 1, 40, 40, 40);
  barrier.key.comm = 0;
  block.add_entries(0, {send, barrier, wire::Entry{}});
  block.add_stats(0, stats(Call::MPI_Send, {10, 20}));
  block.add_stats(0, stats(Call::MPI_Barrier, {40}));
  return block;
}

TEST(LiveBlock, GivesIdentityAndClock) {
  RankRecord record = read(sample().bytes);
  EXPECT_TRUE(record.from_live_block);
  EXPECT_EQ(record.run_id, "run-1");
  EXPECT_EQ(record.host, "node1");
  EXPECT_EQ(record.boot_id, "boot-1");
  EXPECT_EQ(record.executable, "/opt/sim");
  EXPECT_EQ(record.library, "Open MPI v4.1.4");
  EXPECT_EQ(record.family, "openmpi");
  EXPECT_EQ(record.world_key, "w0");
  EXPECT_EQ(record.parent_key, "");
  EXPECT_EQ(record.rank, 1);
  EXPECT_EQ(record.size, 4);
  EXPECT_EQ(record.pid, 4711u);
  EXPECT_EQ(record.start_time, 77u);
  EXPECT_EQ(record.standard_major, 3);
  EXPECT_EQ(record.standard_minor, 1);
  EXPECT_EQ(record.clock, "tsc");
  EXPECT_EQ(record.status, RankStatus::recovered);
  EXPECT_EQ(record.begin, 1000u);
  EXPECT_EQ(record.end, 0u);
  EXPECT_EQ(record.last_seen, 51000u);
  EXPECT_EQ(record.cost_ticks, 25.5);
  EXPECT_EQ(record.scale.ns_per_tick(), 2);
  EXPECT_EQ(record.threads, 1);
  EXPECT_EQ(record.mpi_ticks, 70u);
}

TEST(LiveBlock, GivesCommunicatorsSignaturesAndCalls) {
  RankRecord record = read(sample().bytes);
  ASSERT_EQ(record.comms.size(), 2u);
  EXPECT_EQ(record.comms[0].key, 0u);
  EXPECT_EQ(record.comms[0].name, "MPI_COMM_WORLD");
  EXPECT_EQ(record.comms[0].size, 4);
  EXPECT_EQ(record.comms[1].key, 1u);
  ASSERT_EQ(record.signatures.size(), 2u) << "an entry without a call is none";
  const Signature &send = record.signatures[record.signatures[0].call == "MPI_Send" ? 0 : 1];
  EXPECT_EQ(send.call, "MPI_Send");
  EXPECT_EQ(send.request_call, "");
  EXPECT_EQ(send.comm, 0u);
  EXPECT_EQ(send.peer, 2);
  EXPECT_EQ(send.root, -1);
  EXPECT_EQ(send.tag, 5);
  EXPECT_EQ(send.bytes, 8);
  EXPECT_EQ(send.calls, 2u);
  EXPECT_EQ(send.total, 30u);
  EXPECT_EQ(send.min, 10u);
  EXPECT_EQ(send.max, 20u);
  EXPECT_EQ(send.sum_sq, 900);
  EXPECT_EQ(send.bytes_sent, 16u);
  ASSERT_EQ(record.calls.size(), 2u);
  const CallStats &call = record.calls[record.calls[0].name == "MPI_Send" ? 0 : 1];
  EXPECT_EQ(call.calls, 2u) << "the sum over its entries";
  EXPECT_EQ(call.total, 30u);
  EXPECT_EQ(call.min, 10u);
  EXPECT_EQ(call.max, 20u);
  EXPECT_EQ(call.sum_sq, 900);
  EXPECT_EQ(call.bytes_sent, 16u);
  ASSERT_EQ(call.histogram.size(), static_cast<std::size_t>(wire::histogram_buckets));
  EXPECT_EQ(call.histogram[static_cast<std::size_t>(wire::histogram_bucket(10))], 1u);
  EXPECT_EQ(call.histogram[static_cast<std::size_t>(wire::histogram_bucket(20))], 1u);
}

TEST(LiveBlock, TheLastCallIsInTheHistogramToo) {
  wire::CallStatsItem item{};
  EXPECT_EQ(item.calls_in(10), 0u);
  item.note(10);
  EXPECT_EQ(item.calls_in(10), 1u);
  item.note(10);
  item.note(12);
  EXPECT_EQ(item.calls_in(10), 2u);
  EXPECT_EQ(item.calls_in(12), 1u);
  item.last_bucket = 65535;  // damaged: one call less
  EXPECT_EQ(item.calls_in(10), 2u);
  EXPECT_EQ(item.calls_in(12), 0u);
}

TEST(LiveBlock, AddsThreadsUp) {
  LiveBlockBuilder block;
  block.add_thread(0, idle_thread(30));
  block.add_thread(1, idle_thread(12));
  wire::Entry never_timed = entry(Call::MPI_Barrier, 1, 0, no_minimum, 0);
  block.add_entries(0, {entry(Call::MPI_Barrier, 2, 30, 10, 20)});
  block.add_entries(1, {entry(Call::MPI_Barrier, 1, 12, 12, 12), entry(Call::MPI_Send, 1, 1, 1, 1), never_timed});
  block.add_stats(0, stats(Call::MPI_Barrier, {10, 20}));
  block.add_stats(1, stats(Call::MPI_Barrier, {12}));
  RankRecord record = read(block.bytes);
  EXPECT_EQ(record.threads, 2);
  EXPECT_EQ(record.mpi_ticks, 42u) << "without intervals the union is the sum";
  ASSERT_EQ(record.signatures.size(), 2u);
  const Signature &barrier = record.signatures[record.signatures[0].call == "MPI_Barrier" ? 0 : 1];
  EXPECT_EQ(barrier.calls, 4u);
  EXPECT_EQ(barrier.total, 42u);
  EXPECT_EQ(barrier.min, 10u) << "a call without a duration has no part in the minimum";
  EXPECT_EQ(barrier.max, 20u);
  ASSERT_EQ(record.calls.size(), 2u);
  const CallStats &call = record.calls[record.calls[0].name == "MPI_Barrier" ? 0 : 1];
  EXPECT_EQ(call.calls, 4u);
  EXPECT_EQ(call.total, 42u);
  EXPECT_EQ(call.min, 10u);
  EXPECT_EQ(call.max, 20u);
  EXPECT_EQ(call.histogram[static_cast<std::size_t>(wire::histogram_bucket(12))], 1u);
}

TEST(LiveBlock, AddsWhatFoundNoEntryToItsProcedure) {
  wire::Header header = sample_header();
  header.lost_entries = 3;
  LiveBlockBuilder block(header);
  block.add_entries(0, {entry(Call::MPI_Barrier, 1, 50, 50, 50)});
  block.add_stats(0, lost(Call::MPI_Barrier, {7, 90}));
  block.add_stats(0, lost(Call::MPI_Send, {5}));
  RankRecord record = read(block.bytes);
  EXPECT_EQ(record.lost_entries, 3u);
  ASSERT_EQ(record.signatures.size(), 1u);
  ASSERT_EQ(record.calls.size(), 2u);
  const CallStats &barrier = record.calls[record.calls[0].name == "MPI_Barrier" ? 0 : 1];
  EXPECT_EQ(barrier.calls, 3u);
  EXPECT_EQ(barrier.total, 147u);
  EXPECT_EQ(barrier.min, 7u);
  EXPECT_EQ(barrier.max, 90u);
  EXPECT_EQ(barrier.sum_sq, 50 * 50 + 7 * 7 + 90 * 90);
  const CallStats &send = record.calls[record.calls[0].name == "MPI_Barrier" ? 1 : 0];
  EXPECT_EQ(send.calls, 1u);
  EXPECT_EQ(send.min, 5u);
}

TEST(LiveBlock, AddsPendingIntervalsToTheUnion) {
  wire::Header header = sample_header();
  header.mpi_union = 500;
  header.union_until = 2000;
  LiveBlockBuilder block(header);
  wire::ThreadItem first = idle_thread(1), second = idle_thread(2);
  first.interval_head = 2;
  first.intervals[0] = {1900, 2100};  // 100 after union_until
  first.intervals[1] = {3000, 3100};
  // The ring's counters have run over 2^32, and its two slots lie at the end and at the beginning.
  second.interval_tail = 0xffffffffu;
  second.interval_head = 1;
  second.intervals[127] = {2050, 2150};  // 50 more
  second.intervals[0] = {3050, 3200};    // 100 more
  second.intervals[1] = {9000, 9999};    // not pending
  block.add_thread(0, first);
  block.add_thread(1, second);
  EXPECT_EQ(read(block.bytes).mpi_ticks, 500u + 100 + 50 + 100 + 100);
}

TEST(LiveBlock, LastSeenIsTheLatestInstantKnown) {
  wire::ThreadItem thread = idle_thread(1);
  thread.interval_head = 1;
  thread.intervals[0] = {59000, 60000};
  LiveBlockBuilder by_interval;
  by_interval.add_thread(0, thread);
  EXPECT_EQ(read(by_interval.bytes).last_seen, 60000u);
  thread.current.since = 61000;
  LiveBlockBuilder by_call;
  by_call.add_thread(0, thread);
  EXPECT_EQ(read(by_call.bytes).last_seen, 61000u);
  wire::Header header = sample_header();
  header.end = 55000;
  header.state = wire::State::finalized;
  LiveBlockBuilder by_end(header);
  by_end.add_thread(0, thread);
  EXPECT_EQ(read(by_end.bytes).last_seen, 55000u);
}

TEST(LiveBlock, NamesTheCallThatARankDiedIn) {
  wire::ThreadItem thread = idle_thread(1);
  thread.current = {id(Call::MPI_Recv), no_call, 7, 3, 9, 100, 52000, 0, 0};
  for (wire::State state : {wire::State::running, wire::State::exited, wire::State::aborted, wire::State::finalized}) {
    wire::Header header = sample_header();
    header.state = state;
    LiveBlockBuilder block(header);
    block.add_thread(0, thread);
    RankRecord record = read(block.bytes);
    if (state == wire::State::finalized) {
      EXPECT_TRUE(record.in_call.empty());
      continue;
    }
    ASSERT_EQ(record.in_call.size(), 1u);
    EXPECT_EQ(record.in_call[0].call, "MPI_Recv");
    EXPECT_EQ(record.in_call[0].peer, 3);
    EXPECT_EQ(record.in_call[0].tag, 9);
    EXPECT_EQ(record.in_call[0].bytes, 100);
    EXPECT_EQ(record.in_call[0].since, 52000u);
    EXPECT_EQ(record.in_call[0].comm, wire::none_comm) << "a communicator that is not there is left out";
  }
}

TEST(LiveBlock, TellsHowFarTheRankCame) {
  const std::pair<wire::State, RankStatus> states[] = {{wire::State::before_init, RankStatus::recovered},
                                                       {wire::State::running, RankStatus::recovered},
                                                       {wire::State::finalized, RankStatus::finalized},
                                                       {wire::State::exited, RankStatus::exited},
                                                       {wire::State::aborted, RankStatus::aborted}};
  for (auto [state, status] : states) {
    wire::Header header = sample_header();
    header.state = state;
    EXPECT_EQ(read(LiveBlockBuilder(header).bytes).status, status);
  }
}

TEST(LiveBlock, AcceptsARankBeforeMpiInit) {
  wire::Header header = sample_header();
  header.rank = header.size = wire::none;
  header.state = wire::State::before_init;
  header.begin = 0;
  RankRecord record = read(LiveBlockBuilder(header).bytes);
  EXPECT_EQ(record.rank, -1);
  EXPECT_EQ(record.size, 0);
  header.rank = 3;  // the size was not stored yet
  EXPECT_EQ(read(LiveBlockBuilder(header).bytes).rank, -1);
}

TEST(LiveBlock, RepairsTextThatIsNoUtf8) {
  LiveBlockBuilder block;
  block.add_comms(0, {communicator(0, 4, std::string(128, '\xff'))});
  std::string name = read(block.bytes).comms.at(0).name;
  EXPECT_EQ(name.size(), 3 * 128u) << "a name that fills its field has no end mark";
  EXPECT_EQ(name.substr(0, 3), "\xef\xbf\xbd");
}

TEST(LiveBlock, KeepsTheMinimumBelowTheMaximum) {
  LiveBlockBuilder block;
  block.add_entries(0, {entry(Call::MPI_Send, 1, 50, 90, 40)});
  RankRecord record = read(block.bytes);
  EXPECT_EQ(record.signatures.at(0).min, 40u);
  EXPECT_EQ(record.signatures.at(0).max, 40u);
}

TEST(DamagedLiveBlock, EmptyOrOfAnotherKind) {
  EXPECT_EQ(error_for(""), "is empty");
  EXPECT_EQ(error_for("SCOPE"), "is no live block of scope-profiler (wrong magic)");
  EXPECT_EQ(error_for("{\"format\":\"x\"}"), "is no live block of scope-profiler (wrong magic)");
  std::string bytes = sample().bytes;
  bytes[3] = 'X';
  EXPECT_EQ(error_for(bytes), "is no live block of scope-profiler (wrong magic)");
}

TEST(DamagedLiveBlock, OfAnotherVersionOrBuild) {
  wire::Header header = sample_header();
  header.version = 1;
  EXPECT_EQ(error_for(LiveBlockBuilder(header).bytes),
            "is a live block of version 1, this scope-profiler reads version 2; use the scope-profiler that wrote it");
  header = sample_header();
  ++header.table_hash;
  EXPECT_EQ(error_for(LiveBlockBuilder(header).bytes), "was written by another build of scope-profiler; use that one to read it");
  header = sample_header();
  header.header_bytes -= 8;
  EXPECT_EQ(error_for(LiveBlockBuilder(header).bytes), "was written by another build of scope-profiler; use that one to read it");
}

TEST(DamagedLiveBlock, CutAnywhere) {
  const std::string bytes = sample().bytes;
  for (std::size_t length = 0; length < bytes.size(); length += 37)
    EXPECT_NE(error_for(bytes.substr(0, length)), "no error") << length;
  EXPECT_EQ(error_for(bytes.substr(0, bytes.size() / 2)),
            "is truncated: it says that " + std::to_string(bytes.size()) + " bytes are in use, but has " +
                std::to_string(bytes.size() / 2));
}

TEST(DamagedLiveBlock, UsedOutOfRange) {
  LiveBlockBuilder block = sample();
  block.put(offsetof(wire::Header, used), ~std::uint64_t{0});
  EXPECT_EQ(error_for(block.bytes), "is truncated: it says that 18446744073709551615 bytes are in use, but has " +
                                        std::to_string(block.bytes.size()));
  block.put(offsetof(wire::Header, used), std::uint64_t{64});
  EXPECT_EQ(error_for(block.bytes),
            "offset " + std::to_string(offsetof(wire::Header, used)) + ": less is in use than the header takes");
}

TEST(DamagedLiveBlock, ItemsThatDoNotChain) {
  LiveBlockBuilder good;
  std::size_t offset = good.add_thread(0, idle_thread(1));
  std::string place = "offset " + std::to_string(offset) + ": ";
  for (std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{64}, std::uint64_t{sizeof(wire::ThreadItem) + 1},
                              std::uint64_t{sizeof(wire::ThreadItem) + 64}, ~std::uint64_t{63}}) {
    LiveBlockBuilder block = good;
    block.put(offset + offsetof(wire::ItemHeader, bytes), bytes);
    EXPECT_EQ(error_for(block.bytes), place + "an item of " + std::to_string(bytes) +
                                          " bytes is too small, no multiple of 64 or does not fit into what is in use");
  }
  LiveBlockBuilder block = good;
  block.put(offset, std::uint32_t{99});
  EXPECT_EQ(error_for(block.bytes), place + "item type 99 is unknown");
}

TEST(DamagedLiveBlock, CallsOutOfTheTable) {
  LiveBlockBuilder block;
  std::size_t offset = block.add_entries(0, {entry(Call::MPI_Send, 1, 1, 1, 1)}) + sizeof(wire::EntriesItem);
  block.put(offset, std::uint16_t{60000});
  EXPECT_EQ(error_for(block.bytes),
            "offset " + std::to_string(offset) + ": call number 60000 is not in the table of MPI procedures");
  block.put(offset, no_call);
  EXPECT_EQ(error_for(block.bytes), "offset " + std::to_string(offset) + ": call number " + std::to_string(no_call) +
                                        " is not in the table of MPI procedures");
  LiveBlockBuilder with_stats;
  offset = with_stats.add_stats(0, stats(Call::MPI_Send, {1}));
  with_stats.put(offset + offsetof(wire::CallStatsItem, call), std::uint16_t{50000});
  EXPECT_EQ(error_for(with_stats.bytes),
            "offset " + std::to_string(offset) + ": call number 50000 is not in the table of MPI procedures");
}

TEST(DamagedLiveBlock, CommunicatorsOutOfRange) {
  LiveBlockBuilder block;
  block.add_comms(0, {communicator(0, 4, "")});
  wire::Entry bad = entry(Call::MPI_Send, 1, 1, 1, 1);
  bad.key.comm = 1;
  std::size_t offset = block.add_entries(0, {bad}) + sizeof(wire::EntriesItem);
  EXPECT_EQ(error_for(block.bytes), "offset " + std::to_string(offset) + ": communicator 1 is none of the 1 known");
  LiveBlockBuilder gap;
  offset = gap.add_comms(5, {communicator(0, 4, "")});
  EXPECT_EQ(error_for(gap.bytes), "offset " + std::to_string(offset) + ": communicators from number 5 on follow 0 of them");
}

TEST(DamagedLiveBlock, CountsBeyondWhatFitsAreCut) {
  LiveBlockBuilder block;
  std::size_t offset = block.add_entries(0, {entry(Call::MPI_Send, 3, 1, 1, 1)});
  block.put(offset + offsetof(wire::EntriesItem, count), ~std::uint32_t{0});
  EXPECT_EQ(read(block.bytes).signatures.at(0).calls, 3u) << "capacity bounds the count";
  block.put(offset + offsetof(wire::EntriesItem, capacity), ~std::uint32_t{0});
  RankRecord record = read(block.bytes);
  ASSERT_EQ(record.signatures.size(), 1u) << "the item's length bounds both";
  EXPECT_EQ(record.signatures[0].calls, 3u);
}

TEST(DamagedLiveBlock, ImpossibleWorlds) {
  wire::Header header = sample_header();
  std::string place = "offset " + std::to_string(offsetof(wire::Header, rank)) + ": ";
  header.rank = -7;
  EXPECT_EQ(error_for(LiveBlockBuilder(header).bytes), place + "rank -7 of 4 is none");
  header = sample_header();
  header.size = 2000000000;
  EXPECT_EQ(error_for(LiveBlockBuilder(header).bytes), place + "rank 1 of 2000000000 is none");
  header = sample_header();
  header.state = static_cast<wire::State>(9);
  EXPECT_EQ(error_for(LiveBlockBuilder(header).bytes),
            "offset " + std::to_string(offsetof(wire::Header, state)) + ": the state is none");
}

/// Whatever byte is changed: a record or an error, never a crash or an endless loop (run with sanitizers too).
TEST(DamagedLiveBlock, AnyByteChanged) {
  const std::string good = sample().bytes;
  TemporaryDirectory directory;
  std::size_t read_well = 0, refused = 0;
  for (std::size_t i = 0; i < good.size(); i += i < 64 || i > 1400 ? 3 : 7) {
    std::string bytes = good;
    bytes[i] = static_cast<char>(~bytes[i]);
    auto file = directory.write("live.block", bytes);
    (error_of([&] { read_live_block(file); }) == "no error" ? read_well : refused) += 1;
  }
  EXPECT_GT(read_well, 100u);
  EXPECT_GT(refused, 10u);
}

TEST(TickScale, ConvertsAndRounds) {
  TickScale scale{1000, 50000, 4000, 51000};  // three ticks a nanosecond
  EXPECT_DOUBLE_EQ(scale.ns_per_tick(), 1.0 / 3);
  EXPECT_EQ(scale.duration_ns(3), 1);
  EXPECT_EQ(scale.duration_ns(4), 1);
  EXPECT_EQ(scale.duration_ns(5), 2);
  EXPECT_EQ(scale.at_ns(1000), 50000);
  EXPECT_EQ(scale.at_ns(1300), 50100);
  EXPECT_EQ(scale.at_ns(700), 49900);
  EXPECT_EQ((TickScale{5, 7, 5, 7}).ns_per_tick(), 1);
  EXPECT_EQ((TickScale{5, 7, 9, 7}).ns_per_tick(), 1) << "half an update";
  EXPECT_EQ((TickScale{0, 0, 1, ~std::uint64_t{0}}).duration_ns(1e300), std::int64_t{1} << 62);
}

TEST(RefineScale, ExtendsTheLastInstantOnly) {
  RankRecord record;
  record.scale = {100, 1000, 100, 1000};
  record.last_seen = 100;
  refine_scale(record, 300, 1100);
  EXPECT_EQ(record.scale.ns_per_tick(), 0.5);
  EXPECT_EQ(record.last_seen, 100u);
  refine_scale(record, 200, 5000);
  refine_scale(record, 400, 1050);
  EXPECT_EQ(record.scale.last_ticks, 300u);
  EXPECT_EQ(record.scale.last_ns, 1100u);
}

}  // namespace
