#include "trace.hpp"

#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "in_child.hpp"
#include "model/rank_record.hpp"
#include "recorder.hpp"
#include "support/error.hpp"
#include "timeline/assemble.hpp"
#include "timeline/trace_block.hpp"
#include "wire/trace_packing.hpp"

namespace {

using namespace scope;
using namespace scope::preload;
using scope::test::in_child;
using scope::test::note;
using scope::test::start_as_rank;

timeline::TraceBlock only_block(const std::string &directory) {
  for (const auto &entry : std::filesystem::directory_iterator(directory))
    if (entry.path().filename().string().starts_with("trace-calls-")) return timeline::TraceBlock(entry.path());
  throw std::runtime_error("no trace block");
}

std::vector<wire::TraceEvent> events_of(const timeline::TraceBlock &block) {
  std::vector<wire::TraceEvent> events;
  for (const timeline::Segment &segment : block.segments()) {
    const std::size_t before = events.size();
    EXPECT_TRUE(timeline::TraceBlock::each(segment, [&](const wire::TraceEvent &event) { events.push_back(event); }));
    EXPECT_EQ(events.size() - before, segment.count);
  }
  return events;
}

/// A rank that records a timeline of at most `bytes`.
Thread &start_traced(const std::string &directory, const char *bytes) {
  start_as_rank(directory);
  open_trace_block(bytes, directory.c_str(), "0123", wire::Holds::calls);
  return *acquire_thread();
}

void record(Thread &thread, int peer, std::uint64_t begin, std::uint64_t end) {
  const Note one = note(wire::Call::MPI_Send, peer, 7, 100, end - begin);
  trace_event(thread, wire::TraceKind::call, note_entry(thread, one), one.key, begin, end);
}

TEST(Trace, EventsNameTheirEntryAndWhatTheyComplete) {
  in_child([](const std::string &directory) {
    Thread &thread = start_traced(directory, "1048576");
    ASSERT_NE(trace_block, nullptr);
    record(thread, 1, 1000, 1010);
    record(thread, 2, 1020, 1050);
    EXPECT_EQ(next_event(thread).number, 3u);
    const Note wait = note(wire::Call::MPI_Wait, 1, 7, 100, 5);
    trace_event(thread, wire::TraceKind::call, note_entry(thread, wait), wait.key, 1060, 1065, {2, 0});
    trace_event(thread, wire::TraceKind::further, note_entry(thread, wait), wait.key, 1060, 1065, {1, 0});
    trace_received(thread, 5, -3, 4096, 1060);
    const timeline::TraceBlock block = only_block(directory);
    EXPECT_EQ(block.run_id(), "0123");
    EXPECT_EQ(block.damage(), "");
    ASSERT_EQ(block.segments().size(), 1u);
    const auto events = events_of(block);
    ASSERT_EQ(events.size(), 5u);
    EXPECT_EQ(block.segments()[0].tid, static_cast<std::uint32_t>(gettid()));
    EXPECT_EQ(events[0].begin, 1000u);
    EXPECT_EQ(events[1].end, 1050u);
    EXPECT_EQ(block.keys().at(events[0].entry).peer, 1);
    EXPECT_EQ(block.keys().at(events[1].entry).peer, 2);
    EXPECT_EQ(block.keys().at(events[2].entry).call, static_cast<std::uint16_t>(wire::Call::MPI_Wait));
    EXPECT_EQ(events[2].start, 2u);
    EXPECT_EQ(events[3].entry, trace_word(wire::TraceKind::further, events[2].entry));
    EXPECT_EQ(events[3].begin, 0u);
    EXPECT_EQ(events[4].entry, trace_word(wire::TraceKind::detail, static_cast<std::uint32_t>(wire::Detail::received)));
    EXPECT_EQ(events[4].begin, 4096u);
    EXPECT_EQ(events[4].end, 0xfffffffd00000005u);
  });
}

TEST(Trace, TheLimitHoldsAndSaysSinceWhen) {
  in_child([](const std::string &directory) {
    Thread &thread = start_traced(directory, "1048576");
    const std::uint64_t events = 400000;  // of 24 bytes: nine times the limit
    for (std::uint64_t i = 0; i < events; ++i) record(thread, 1, 1000 + 10 * i, 1005 + 10 * i);
    const timeline::TraceBlock block = only_block(directory);
    EXPECT_LE(block.header().used, 1048576u);
    EXPECT_GT(block.events(), 100000u);  // packed
    EXPECT_EQ(block.events() + block.header().dropped, events);
    EXPECT_EQ(block.header().full_since, 1000 + 10 * block.events());
    EXPECT_EQ(block.header().error, 0);
    std::uint64_t number = 0;
    for (const wire::TraceEvent &event : events_of(block)) ASSERT_EQ(event.begin, 1000 + 10 * number++);
    EXPECT_EQ(thread.calls[static_cast<int>(wire::Call::MPI_Send)].last->calls, events);  // the profile stays exact
  });
}

TEST(Trace, FoldedEntriesKeepTheirDetail) {
  in_child([](const std::string &directory) {
    start_as_rank(directory, 64);
    open_trace_block("1048576", directory.c_str(), "0123", wire::Holds::calls);
    Thread &thread = *acquire_thread();
    for (int tag = 0; tag < 1000; ++tag) {
      const Note one = note(wire::Call::MPI_Send, 3, tag, 100, 5);
      trace_event(thread, wire::TraceKind::call, note_entry(thread, one), one.key, 10, 15);
    }
    const timeline::TraceBlock block = only_block(directory);
    int tag = -1, folded = 0;
    for (const wire::TraceEvent &event : events_of(block)) {
      if (event.entry >> 30 == static_cast<std::uint32_t>(wire::TraceKind::call)) {
        ++tag;
        continue;
      }
      ++folded;
      EXPECT_EQ(event.end >> 32, static_cast<std::uint64_t>(tag));
      EXPECT_EQ(static_cast<std::uint32_t>(event.end), 3u);
      EXPECT_EQ(event.begin, 100u);
    }
    EXPECT_EQ(tag, 999);
    EXPECT_GT(folded, 900);
  });
}

TEST(Trace, PackedEventsAreWhatTheyWere) {
  std::vector<wire::TraceEvent> events;
  const std::uint64_t most = ~std::uint64_t{0};
  for (std::uint64_t begin : {std::uint64_t{0}, std::uint64_t{5}, std::uint64_t{1} << 40, most - 10, std::uint64_t{7}})
    for (std::uint64_t duration : {0, 1, 10})
      for (std::uint32_t thread : {0u, 3u, 1023u})
        for (std::uint32_t start : {0u, 1u, 77u, 0xffffffffu})
          events.push_back({begin, begin + duration, trace_word(wire::TraceKind::call, 0xfffff, start ? thread : 0), start});
  events.push_back({0, 0, trace_word(wire::TraceKind::further, 12, 3), 9});
  events.push_back({most, most - 4, trace_word(wire::TraceKind::detail, 1), 0});
  events.push_back({100, 130, trace_word(wire::TraceKind::region, 8191), 0});
  std::vector<unsigned char> bytes(events.size() * wire::most_packed_bytes);
  wire::TracePacking packer(1000, 3);
  unsigned char *end = bytes.data();
  for (const wire::TraceEvent &event : events) end = packer.pack(event, end);
  wire::TracePacking unpacker(1000, 3);
  const unsigned char *at = bytes.data();
  for (const wire::TraceEvent &event : events) {
    wire::TraceEvent back;
    at = unpacker.unpack(at, end, back);
    ASSERT_NE(at, nullptr);
    EXPECT_EQ(back.begin, event.begin);
    EXPECT_EQ(back.end, event.end);
    EXPECT_EQ(back.entry, event.entry);
    EXPECT_EQ(back.start, event.start);
  }
  EXPECT_EQ(at, end);
  wire::TraceEvent none;
  EXPECT_EQ(unpacker.unpack(at, end, none), nullptr);
}

TEST(Trace, ThreadsHaveItemsOfTheirOwn) {
  in_child([](const std::string &directory) {
    start_traced(directory, "8388608");
    auto work = [] {
      for (int round = 0; round < 3; ++round) {
        Thread *thread = acquire_thread();
        for (std::uint64_t i = 0; i < 5000; ++i) record(*thread, static_cast<int>(i % 7), 2 * i, 2 * i + 1);
        release_thread(thread);
      }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(work);
    for (std::thread &thread : threads) thread.join();
    const timeline::TraceBlock block = only_block(directory);
    EXPECT_EQ(block.events(), 60000u);
    EXPECT_EQ(block.header().dropped, 0u);
    for (const wire::TraceEvent &event : events_of(block)) ASSERT_EQ(event.end, event.begin + 1);
  });
}

/// What an Assembler makes of the only rank's files; one tick is one nanosecond.
struct Assembled {
  explicit Assembled(const std::string &directory) {
    std::vector<std::filesystem::path> files;
    for (const auto &entry : std::filesystem::directory_iterator(directory)) {
      if (entry.path().filename().string().starts_with("trace-")) files.push_back(entry.path());
    }
    record.run_id = "0123";
    record.host = trace_block->host;
    record.pid = trace_block->pid;
    record.start_time = trace_block->start_time;
    record.scale = {trace_block->first.ticks, 1000, trace_block->first.ticks + 1000000, 1001000};
    record.begin = trace_block->first.ticks + 50;
    record.end = trace_block->first.ticks + 900000;
    record.comms = {{0, "MPI_COMM_WORLD", 1, 0, false, false, 0}};
    placements = {{&record, 0, 0, {0}}};
    profile.communicators.resize(1);
    profile.communicators[0].size = 1;
    assembler.emplace(placements, profile, files, "");
    events = assembler->events_of(0);
  }
  const timeline::Signature &signature(std::size_t event) const { return assembler->signatures().all()[events[event].what]; }

  model::RankRecord record;
  std::vector<model::Placement> placements;
  model::Profile profile;
  std::optional<timeline::Assembler> assembler;
  std::vector<timeline::Event> events;
};

TEST(Trace, IsAssembledInTheOrderOfBegin) {
  in_child([](const std::string &directory) {
    Thread &thread = start_traced(directory, "1048576");
    const std::uint64_t zero = trace_block->first.ticks;
    auto receive = [&](std::uint64_t begin) {
      Note one = note(wire::Call::MPI_Irecv, -1, -1, 100, 5);
      one.key.comm = 0;
      trace_event(thread, wire::TraceKind::call, note_entry(thread, one), one.key, zero + begin, zero + begin + 5);
    };
    receive(100);
    receive(200);
    Note wait = note(wire::Call::MPI_Waitall, 4, 9, 64, 50);
    wait.key.request_call = static_cast<std::uint16_t>(wire::Call::MPI_Irecv);
    trace_event(thread, wire::TraceKind::call, note_entry(thread, wait), wait.key, zero + 300, zero + 350, {2, static_cast<std::uint16_t>(thread.number)});
    trace_event(thread, wire::TraceKind::further, note_entry(thread, wait), wait.key, zero + 300, zero + 350, {1, static_cast<std::uint16_t>(thread.number)});
    const Note exchange = note(wire::Call::MPI_Sendrecv, 2, 3, 8, 10);
    trace_event(thread, wire::TraceKind::call, note_entry(thread, exchange), exchange.key, zero + 400, zero + 410);
    trace_received(thread, 5, 6, 32, zero + 400);
    record(thread, 1, zero + 60, zero + 450);  // ended last, began first
    Assembled made(directory);
    EXPECT_EQ(made.assembler->warnings().size(), 0u);
    const timeline::RankInfo &info = made.assembler->header().ranks.at(0);
    EXPECT_EQ(info.from, 0);
    EXPECT_EQ(info.begin, 50);
    EXPECT_EQ(info.to, 900000);
    EXPECT_EQ(info.threads, 1u);
    EXPECT_EQ(made.assembler->header().communicators.at(0).members, std::vector<std::int32_t>{0});
    ASSERT_EQ(made.events.size(), 7u);
    const std::vector<std::int64_t> begins{60, 100, 200, 300, 300, 400, 400}, ends{450, 105, 205, 350, 350, 410, 410};
    using timeline::Kind;
    const std::vector<Kind> kinds{Kind::call, Kind::call, Kind::call, Kind::call, Kind::completion, Kind::call, Kind::receive};
    const std::vector<std::uint32_t> starts{timeline::none, timeline::none, timeline::none, 2, 1, timeline::none, timeline::none};
    for (std::size_t i = 0; i < 7; ++i) {
      EXPECT_EQ(made.events[i].begin, begins[i]) << i;
      EXPECT_EQ(made.events[i].end, ends[i]) << i;
      EXPECT_EQ(made.events[i].kind, kinds[i]) << i;
      EXPECT_EQ(made.events[i].start, starts[i]) << i;
    }
    EXPECT_EQ(made.signature(0).call, wire::Call::MPI_Send);
    EXPECT_EQ(made.signature(1).comm, 0);
    EXPECT_EQ(made.signature(1).peer, -1);
    EXPECT_EQ(made.signature(4).request_call, wire::Call::MPI_Irecv);
    EXPECT_EQ(made.signature(4).bytes, 64);
    EXPECT_EQ(made.signature(6).call, wire::Call::MPI_Sendrecv);
    EXPECT_EQ(made.signature(6).peer, 5);
    EXPECT_EQ(made.signature(6).tag, 6);
    EXPECT_EQ(made.signature(6).bytes, 32);
  });
}

TEST(Trace, WhatWasPackedAndNotYetEmptiedCountsOnce) {
  in_child([](const std::string &directory) {
    Thread &thread = start_traced(directory, "1048576");
    for (std::uint64_t i = 0; i < 5000; ++i) record(thread, 1, 10 * i, 10 * i + 5);
    // As if it had been killed between the two: the area says again what was packed last.
    wire::TraceActiveItem &area = *thread.trace.area;
    const std::uint32_t again = 100;
    memmove(area.events() + again, area.events(), area.count * sizeof(wire::TraceEvent));
    for (std::uint32_t i = 0; i < again; ++i) area.events()[i] = {10 * (area.first - again + i), 10 * (area.first - again + i) + 5, area.events()[again].entry, 0};
    area.first -= again;
    area.count += again;
    const timeline::TraceBlock block = only_block(directory);
    EXPECT_EQ(block.events(), 5000u);
    std::uint64_t number = 0;
    for (const wire::TraceEvent &event : events_of(block)) ASSERT_EQ(event.begin, 10 * number++);
  });
}

TEST(Trace, DamagedBlocksGiveWhatIsBeforeTheDamage) {
  in_child([](const std::string &directory) {
    Thread &thread = start_traced(directory, "1048576");
    for (std::uint64_t i = 0; i < 10000; ++i) record(thread, 1, 10 * i, 10 * i + 5);
    std::filesystem::path file;
    for (const auto &entry : std::filesystem::directory_iterator(directory))
      if (entry.path().filename().string().starts_with("trace-")) file = entry.path();
    const std::filesystem::path cut = directory + "/cut.block";
    std::filesystem::copy_file(file, cut);
    const std::uintmax_t size = std::filesystem::file_size(cut);
    std::filesystem::resize_file(cut, size - 100);
    const timeline::TraceBlock shorter(cut);
    EXPECT_EQ(shorter.damage().find(cut.string() + ": byte " + std::to_string(size - 100) + ": the file ends here"), 0u) << shorter.damage();
    EXPECT_LT(shorter.events(), 10000u);
    EXPECT_GT(shorter.events(), 5000u);
    std::filesystem::resize_file(cut, 100);
    EXPECT_THROW(timeline::TraceBlock{cut}, support::Error);
    EXPECT_THROW(timeline::TraceBlock{directory + "/none.block"}, support::Error);
  });
}

TEST(Trace, WithoutItNothingIsMade) {
  in_child([](const std::string &directory) {
    Thread &thread = start_traced(directory, nullptr);
    EXPECT_EQ(trace_block, nullptr);
    record(thread, 1, 1, 2);
    EXPECT_EQ(next_event(thread).number, 0u);
    for (const auto &entry : std::filesystem::directory_iterator(directory)) EXPECT_FALSE(entry.path().filename().string().starts_with("trace-"));
  });
}

}  // namespace
