// Waits of a generated run, which the generator knows, and what must hold of any results.

#include <gtest/gtest.h>

#include "../bench/timeline_generator.hpp"
#include "analyze/timeline.hpp"

namespace {

using namespace scope;

std::int64_t total_of(const model::TimelineResults &results, const std::string &pattern) {
  std::int64_t total = 0;
  for (const auto &row : results.wait_states) total += row.pattern == pattern ? row.total_ns : 0;
  return total;
}

void expect_conserved(const model::TimelineResults &results) {
  std::int64_t waits = 0, calls = 0, ranks = 0, delays = 0, path = 0, caused = 0, on_path = 0;
  for (const auto &row : results.wait_states) waits += row.total_ns;
  for (const auto &row : results.calls) {
    calls += row.waiting_ns;
    EXPECT_EQ(row.total_ns, row.waiting_ns + row.transfer_ns) << row.call;
    EXPECT_GE(row.transfer_ns, 0) << row.call;
  }
  for (std::int64_t ns : results.ranks.waiting_ns) ranks += ns;
  for (std::int64_t ns : results.ranks.caused_ns) caused += ns;
  for (std::int64_t ns : results.ranks.path_ns) on_path += ns;
  for (const auto &row : results.delays) delays += row.caused_ns;
  for (const auto &row : results.critical_path) path += row.path_ns;
  EXPECT_EQ(waits, results.waiting_ns);
  EXPECT_EQ(calls, results.waiting_ns);
  EXPECT_EQ(ranks, results.waiting_ns);
  EXPECT_EQ(caused, delays);
  EXPECT_EQ(delays + results.notes.unattributed_ns, results.waiting_ns);
  EXPECT_EQ(on_path, path);
  EXPECT_EQ(path, results.path_ns);
  EXPECT_EQ(results.path_ns, results.info.to_ns - results.info.from_ns);
}

TEST(TimelineGenerated, WaitsAreThoseThatWereMade) {
  for (std::uint64_t seed : {1u, 2u, 3u}) {
    const bench::RingGenerator ring(5, 300, seed);
    const auto results = analyze::analyze_timeline(ring.result);
    EXPECT_GT(ring.known.late_sender, 0);
    EXPECT_GT(ring.known.late_broadcast, 0);
    EXPECT_EQ(total_of(results, "late-sender"), ring.known.late_sender);
    EXPECT_EQ(total_of(results, "wait-nxn"), ring.known.wait_nxn);
    EXPECT_EQ(total_of(results, "late-broadcast"), ring.known.late_broadcast);
    EXPECT_EQ(results.waiting_ns, ring.known.sum());
    EXPECT_EQ(results.notes.messages, ring.known.messages);
    EXPECT_EQ(results.notes.collectives, ring.known.collectives);
    EXPECT_EQ(results.notes.unattributed_ns, 0);
    EXPECT_EQ(results.notes.clock_violations, 0);
    EXPECT_FALSE(results.efficiency.approximate);
    EXPECT_LT(results.efficiency.ideal_ns, results.efficiency.run_ns);
    expect_conserved(results);
  }
}

/// Clocks that jump, lost events, threads that overlap: nothing hangs, sums stay right, no wait is negative or longer than its
/// call.
TEST(TimelineGenerated, DamagedTimelinesKeepTheirSums) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    bench::RingGenerator ring(4, 200, random());
    timeline::Timeline &timeline = ring.result;
    for (std::size_t rank = 0; rank < 4; ++rank) {
      auto &events = timeline.events[rank];
      const std::int64_t jump = random() % 2 ? static_cast<std::int64_t>(random() % 400'000) - 200'000 : 0;
      const std::size_t from = random() % events.size();
      for (std::size_t i = from; i < events.size(); ++i) {
        events[i].begin = std::max<std::int64_t>(0, events[i].begin + jump);
        events[i].end = std::max(events[i].begin, events[i].end + jump);
        if (random() % 50 == 0) events[i].start = timeline::none;
        if (random() % 50 == 0) events[i].thread = 1;
        if (random() % 50 == 0) events[i].kind = static_cast<timeline::Kind>(random() % 4);
      }
      // Signatures and regions share numbers: what was no region must not become one, nor the other way round.
      for (auto &event : events) event.what = event.kind == timeline::Kind::region ? 0 : event.what;
      std::stable_sort(events.begin(), events.end(), [](const auto &a, const auto &b) { return a.begin < b.begin; });
      for (std::size_t i = 0; i < events.size(); ++i)
        if (events[i].start != timeline::none && events[i].start >= i) events[i].start = timeline::none;
      timeline.header.ranks[rank].to -= static_cast<std::int64_t>(random() % 2) * 500'000;
    }
    const auto results = analyze::analyze_timeline(timeline);
    expect_conserved(results);
    for (const auto &ratio : {results.efficiency.parallel, results.efficiency.load_balance, results.efficiency.communication,
                              results.efficiency.serialisation, results.efficiency.transfer}) {
      ASSERT_TRUE(ratio);
      EXPECT_GE(*ratio, 0);
      EXPECT_LE(*ratio, 1);
    }
  }
}

}  // namespace
