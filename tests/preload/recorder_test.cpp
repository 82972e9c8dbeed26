#include "recorder.hpp"

#include <thread>
#include <vector>

#include "dump.hpp"
#include "in_child.hpp"
#include "model/rank_record.hpp"

namespace {

using namespace scope;
using namespace scope::preload;
using scope::test::in_child;
using scope::test::note;
using scope::test::start_as_rank;

std::filesystem::path only_file(const std::string &directory, const std::string &prefix) {
  for (const auto &entry : std::filesystem::directory_iterator(directory))
    if (entry.path().filename().string().rfind(prefix, 0) == 0) return entry.path();
  return {};
}

struct Sums {
  std::uint64_t calls = 0, total = 0, sent = 0;
  std::size_t signatures = 0;
};

Sums sums_of(const model::RankRecord &record) {
  Sums sums;
  for (const model::Signature &signature : record.signatures) {
    sums.calls += signature.calls;
    sums.total += signature.total;
    sums.sent += signature.bytes_sent;
  }
  sums.signatures = record.signatures.size();
  return sums;
}

TEST(Recorder, EqualKeysShareAnEntry) {
  in_child([](const std::string &directory) {
    Thread &thread = start_as_rank(directory);
    for (std::uint64_t duration : {10, 30, 20}) {
      note_entry(thread, note(wire::Call::MPI_Send, 1, 7, 100, duration));
      note_duration(thread, wire::Call::MPI_Send, duration);
    }
    note_entry(thread, note(wire::Call::MPI_Send, 2, 7, 100, 5));
    note_duration(thread, wire::Call::MPI_Send, 5);
    model::RankRecord record = model::read_live_block(only_file(directory, "live-"));
    ASSERT_EQ(record.signatures.size(), 2u);
    const model::Signature &first = record.signatures[record.signatures[0].peer == 1 ? 0 : 1];
    EXPECT_EQ(first.calls, 3u);
    EXPECT_EQ(first.total, 60u);
    EXPECT_EQ(first.min, 10u);
    EXPECT_EQ(first.max, 30u);
    EXPECT_EQ(first.sum_sq, 1400.0);
    EXPECT_EQ(first.bytes_sent, 300u);
    ASSERT_EQ(record.calls.size(), 1u);
    EXPECT_EQ(record.calls[0].calls, 4u);
    EXPECT_EQ(record.calls[0].min, 5u);
    EXPECT_EQ(record.calls[0].sum_sq, 1425.0);
    std::uint64_t in_histogram = 0;
    for (std::uint64_t count : record.calls[0].histogram) in_histogram += count;
    EXPECT_EQ(in_histogram, 4u);
  });
}

TEST(Recorder, TagsAreFoldedFirstAndTotalsStayExact) {
  in_child([](const std::string &directory) {
    Thread &thread = start_as_rank(directory, 256);
    constexpr int calls = 100000;
    for (int i = 0; i < calls; ++i) {
      note_entry(thread, note(wire::Call::MPI_Send, i % 2, i, 8, 3));
      note_duration(thread, wire::Call::MPI_Send, 3);
    }
    model::RankRecord record = model::read_live_block(only_file(directory, "live-"));
    Sums sums = sums_of(record);
    EXPECT_EQ(sums.calls, static_cast<std::uint64_t>(calls));
    EXPECT_EQ(sums.total, 3u * calls);
    EXPECT_EQ(sums.sent, 8u * calls);
    EXPECT_EQ(sums.signatures, 256u * 3 / 4 + 2);  // three quarters exact, then one for each peer
    EXPECT_EQ(record.folded.tags, static_cast<std::uint64_t>(calls) - 192);
    EXPECT_EQ(record.folded.bytes, 0u);
    EXPECT_EQ(record.folded.peers, 0u);
    EXPECT_EQ(record.lost_entries, 0u);
  });
}

TEST(Recorder, BytesAndPeersAreFoldedNext) {
  in_child([](const std::string &directory) {
    Thread &thread = start_as_rank(directory, 128);
    std::uint64_t sent = 0;
    constexpr int calls = 20000;
    for (int i = 0; i < calls; ++i) {
      note_entry(thread, note(wire::Call::MPI_Send, i % 4096, 5, i, 1));
      note_duration(thread, wire::Call::MPI_Send, 1);
      sent += static_cast<std::uint64_t>(i);
    }
    model::RankRecord record = model::read_live_block(only_file(directory, "live-"));
    Sums sums = sums_of(record);
    EXPECT_EQ(sums.calls, static_cast<std::uint64_t>(calls));
    EXPECT_EQ(sums.sent, sent);
    EXPECT_LE(sums.signatures, 128u);
    EXPECT_GT(record.folded.bytes, 0u);
    EXPECT_GT(record.folded.peers, 0u);
    EXPECT_EQ(record.lost_entries, 0u);
  });
}

TEST(Recorder, WhatFindsNoEntryIsStillInTheProceduresFigures) {
  in_child([](const std::string &directory) {
    Thread &thread = start_as_rank(directory, 64);
    // 300 procedures do not fit into 64 entries however they are folded.
    for (int i = 0; i < 300; ++i) {
      Note one = note(static_cast<wire::Call>(i), wire::none, wire::none, 4, 2);
      note_entry(thread, one);
      note_duration(thread, static_cast<wire::Call>(i), 2);
    }
    model::RankRecord record = model::read_live_block(only_file(directory, "live-"));
    EXPECT_EQ(record.signatures.size(), 64u);
    ASSERT_EQ(record.calls.size(), 300u);
    for (const model::CallStats &call : record.calls) {
      EXPECT_EQ(call.calls, 1u);
      EXPECT_EQ(call.total, 2u);
      EXPECT_EQ(call.bytes_sent, 4u);
    }
    EXPECT_EQ(record.lost_entries, 300u - 64u);
  });
}

TEST(Recorder, ManyEntriesGrowTheFileAndStayInBounds) {
  in_child([](const std::string &directory) {
    Thread &thread = start_as_rank(directory);
    for (int i = 0; i < 200000; ++i) note_entry(thread, note(wire::Call::MPI_Isend, i % 97, i / 97, 8 * (i % 13), 1));
    EXPECT_LE(std::filesystem::file_size(only_file(directory, "live-")), live_limit);
    EXPECT_EQ(sums_of(model::read_live_block(only_file(directory, "live-"))).calls, 200000u);
  });
}

TEST(Recorder, TimeInsideMpiIsTheUnionOverThreads) {
  in_child([](const std::string &directory) {
    Thread &first = start_as_rank(directory);
    note_time(first, 100, 200);  // alone: the sum counts
    Thread &second = *acquire_thread();
    std::uint64_t base = live->union_until;
    note_time(first, base + 1000, base + 2000);
    note_time(second, base + 1500, base + 2500);   // overlaps
    note_time(second, base + 4000, base + 4100);   // apart
    note_time(first, base + 4000, base + 4100);    // at the same time
    flush_intervals();
    EXPECT_EQ(live->mpi_union, 100u + 1500u + 100u);
    EXPECT_EQ(first.item->mpi_ticks, 100u + 1000u + 100u);
    model::RankRecord record = model::read_live_block(only_file(directory, "live-"));
    EXPECT_EQ(record.mpi_ticks, 1700u);
    EXPECT_EQ(record.threads, 2);
  });
}

TEST(Recorder, PendingIntervalsAreReadFromTheBlock) {
  in_child([](const std::string &directory) {
    Thread &first = start_as_rank(directory);
    Thread &second = *acquire_thread();
    std::uint64_t base = live->union_until;
    note_time(first, base + 10, base + 20);
    note_time(second, base + 15, base + 40);
    EXPECT_EQ(model::read_live_block(only_file(directory, "live-")).mpi_ticks, 30u);
  });
}

TEST(Recorder, TheLastInstantOfARankThatComputesIsTheEndOfItsLastCall) {
  in_child([](const std::string &directory) {
    Thread &thread = start_as_rank(directory);
    std::uint64_t end = live->last.ticks + 1000000;
    enter_call(thread, wire::Call::MPI_Send, end - 10);
    leave_call(thread);
    note_time(thread, end - 10, end);
    settle_call(thread);
    EXPECT_EQ(model::read_live_block(only_file(directory, "live-")).last_seen, end);
  });
}

TEST(Recorder, SlotsAreReusedWhenThreadsEnd) {
  in_child([](const std::string &directory) {
    start_as_rank(directory);
    for (int i = 0; i < 1000; ++i) {
      Thread *thread = acquire_thread();
      ASSERT_NE(thread, nullptr);
      note_entry(*thread, note(wire::Call::MPI_Recv, 1, 2, 3, 4));
      release_thread(thread);
    }
    EXPECT_EQ(live->threads, 2u);
    EXPECT_EQ(sums_of(model::read_live_block(only_file(directory, "live-"))).calls, 1000u);
  });
}

TEST(Recorder, EightThreadsAtOnceLoseNothing) {
  in_child([](const std::string &directory) {
    start_as_rank(directory);
    multiple = true;
    constexpr int calls = 20000;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([] {
        Thread &thread = *acquire_thread();
        for (int i = 0; i < calls; ++i) {
          note_entry(thread, note(wire::Call::MPI_Send, i % 10, i % 100, 16, 2));
          note_duration(thread, wire::Call::MPI_Send, 2);
        }
        release_thread(&thread);
      });
    for (std::thread &thread : threads) thread.join();
    Sums sums = sums_of(model::read_live_block(only_file(directory, "live-")));
    EXPECT_EQ(sums.calls, 8u * calls);
    EXPECT_EQ(sums.total, 16u * calls);
    EXPECT_EQ(sums.sent, 128u * calls);
    EXPECT_EQ(sums.signatures, 100u);
  });
}

TEST(Recorder, DumpAndLiveBlockSayTheSame) {
  in_child([](const std::string &directory) {
    Thread &thread = start_as_rank(directory);
    for (int i = 0; i < 500; ++i) {
      auto duration = static_cast<std::uint64_t>(1000 + 37 * i);
      note_entry(thread, note(wire::Call::MPI_Send, i % 7, i % 3, 10 * i, duration));
      note_duration(thread, wire::Call::MPI_Send, duration);
      note_time(thread, static_cast<std::uint64_t>(i) * 100000, static_cast<std::uint64_t>(i) * 100000 + duration);
    }
    live->state = wire::State::finalized;
    live->begin = live->first.ticks;
    live->end = live->last.ticks;
    snprintf(live->library, sizeof live->library, "Library \"quoted\" \\ \xff");
    ASSERT_TRUE(write_dump(directory.c_str()));
    model::RankRecord block = model::read_live_block(only_file(directory, "live-"));
    model::RankRecord dump = model::read_rank_dump(directory + "/rank-test-0.json");
    EXPECT_EQ(dump.library, "Library \"quoted\" \\ \xef\xbf\xbd");
    EXPECT_EQ(dump.library, block.library);
    EXPECT_EQ(dump.status, model::RankStatus::finalized);
    EXPECT_EQ(dump.status, block.status);
    EXPECT_EQ(dump.mpi_ticks, block.mpi_ticks);
    EXPECT_EQ(dump.begin, block.begin);
    EXPECT_EQ(dump.scale.last_ns, block.scale.last_ns);
    EXPECT_EQ(dump.pid, block.pid);
    EXPECT_EQ(dump.start_time, block.start_time);
    ASSERT_EQ(dump.signatures.size(), block.signatures.size());
    ASSERT_EQ(dump.signatures.size(), 500u);
    Sums a = sums_of(dump), b = sums_of(block);
    EXPECT_EQ(a.calls, b.calls);
    EXPECT_EQ(a.total, b.total);
    EXPECT_EQ(a.sent, b.sent);
    ASSERT_EQ(dump.calls.size(), 1u);
    ASSERT_EQ(block.calls.size(), 1u);
    EXPECT_EQ(dump.calls[0].calls, 500u);
    EXPECT_EQ(dump.calls[0].sum_sq, block.calls[0].sum_sq);
    EXPECT_EQ(dump.calls[0].min, 1000u);
    EXPECT_EQ(dump.calls[0].max, 1000u + 37u * 499u);
    EXPECT_EQ(dump.calls[0].histogram, block.calls[0].histogram);
  });
}

TEST(Recorder, AFullDiskIsARefusal) {
  in_child([](const std::string &directory) {
    EXPECT_FALSE(start_recorder((directory + "/missing").c_str(), "id", 64));
    EXPECT_EQ(live, nullptr);
    EXPECT_TRUE(std::filesystem::is_empty(directory));
  });
}

TEST(Recorder, BucketsAreAtMostAnEighthWide) {
  for (std::uint64_t value : {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{8}, std::uint64_t{1000}, std::uint64_t{123456789}, std::uint64_t{1} << 40}) {
    int bucket = wire::histogram_bucket(value);
    EXPECT_LE(wire::histogram_lower(bucket), value);
    EXPECT_GT(wire::histogram_lower(bucket + 1), value);
    EXPECT_LE(wire::histogram_lower(bucket + 1) - wire::histogram_lower(bucket), std::max<std::uint64_t>(1, value / 8));
  }
  EXPECT_EQ(wire::histogram_bucket(~std::uint64_t{0}), wire::histogram_buckets - 1);
}

}  // namespace
