// What the clock itself takes, and whole calls on a clock that the test moves.

#include "clock.hpp"

#include <vector>

#include "call.hpp"
#include "in_child.hpp"
#include "model/rank_record.hpp"
#include "timeline/trace_block.hpp"

namespace {

using namespace scope;
using namespace scope::preload;
using scope::test::in_child;
using scope::test::start_as_rank;

constexpr std::uint64_t between_reads = 25;
std::uint64_t fake_time;
std::uint64_t fake_clock() { return fake_time += between_reads; }
/// Pairs are 10 and 30 apart in turn, like a counter that goes up in steps, and much more in the first thousand reads.
std::uint64_t uneven_clock() {
  static unsigned reads = 0;
  ++reads;
  return fake_time += reads < 1000 ? 500 + reads : reads % 4 < 2 ? 10 : 30;
}

void use(std::uint64_t (*clock)(), std::uint64_t own, std::uint64_t below) {
  the_clock = {false, clock, own, below};
  fake_time = 0;
}

TEST(Clock, ItsOwnPartIsTakenOutBelowAMicrosecondOnly) {
  use(fake_clock, 27, 2600);
  const std::pair<std::uint64_t, std::uint64_t> expected[] = {{0, 0}, {1, 0}, {26, 0}, {27, 0}, {28, 1}, {1000, 973}, {2599, 2572}, {2600, 2600}, {5000000, 5000000}};
  for (auto [measured, booked] : expected) {
    EXPECT_EQ(without_clock(1000, 1000 + measured), 1000 + booked) << measured;
    EXPECT_EQ(without_clock(~std::uint64_t{0} - measured, ~std::uint64_t{0}), ~std::uint64_t{0} - measured + booked) << measured;
  }
  use(fake_clock, 0, 0);  // not measured yet
  EXPECT_EQ(without_clock(1000, 1010), 1010u);
}

TEST(Clock, MeasuresTheMeanOfPairsInTheBestBatch) {
  use(uneven_clock, 0, 0);
  choose_clock("monotonic");
  measure_clock();
  EXPECT_EQ(the_clock.own_ticks, 20u);
  EXPECT_EQ(the_clock.short_ticks, 1000u);  // a tick is a nanosecond
  the_clock.read_slowly = monotonic_ns;
  choose_clock(nullptr);
  measure_clock();
  EXPECT_GT(the_clock.own_ticks, 0u);
  EXPECT_LT(the_clock.own_ticks, the_clock.short_ticks);
}

std::uint64_t inside;  // that the next call takes
int real_procedure(Word, Word) {
  fake_time += inside;
  return 0;
}

/// A call of the program that takes `ticks`; the clock's own step comes on top.
void call(std::uint64_t ticks) {
  inside = ticks;
  EXPECT_EQ((pass<Call::MPI_Comm_rank, false>(nullptr, Word{1}, Word{2})), 0);
}

std::filesystem::path only_file(const std::string &directory, const std::string &prefix) {
  for (const auto &entry : std::filesystem::directory_iterator(directory))
    if (entry.path().filename().string().starts_with(prefix)) return entry.path();
  return {};
}

// Measured are 25, 125, 999, 1000 and 5025 ticks, of which the first three are short: booked 0, 100, 974, 1000, 5025.
TEST(Clock, WholeCallsAreConsistentWithoutIt) {
  in_child([](const std::string &directory) {
    use(fake_clock, between_reads, 1000);
    start_as_rank(directory);
    open_trace_block("1048576", directory.c_str(), "0123", wire::Holds::calls);
    Thread &thread = *acquire_thread();  // has a stream
    static FunctionTable functions;
    functions[static_cast<int>(Call::MPI_Comm_rank)][0] = reinterpret_cast<void *>(&real_procedure);
    fast_functions = &functions;
    self = &thread;
    fake_time = 1000000;
    std::vector<std::uint64_t> begins;
    for (std::uint64_t ticks : {0, 100, 974, 975, 5000}) {
      begins.push_back(fake_time + between_reads);
      call(ticks);
    }
    flush_intervals();
    const std::uint64_t booked[] = {0, 100, 974, 1000, 5025}, sum = 7099;
    const model::RankRecord record = model::read_live_block(only_file(directory, "live-"));
    ASSERT_EQ(record.signatures.size(), 1u);
    const model::Signature &signature = record.signatures[0];
    EXPECT_EQ(signature.calls, 5u);
    EXPECT_EQ(signature.total, sum);
    EXPECT_EQ(signature.min, 0u);
    EXPECT_EQ(signature.max, 5025u);
    double squares = 0;
    std::uint64_t histogram[wire::histogram_buckets] = {};
    for (std::uint64_t ticks : booked) {
      squares += static_cast<double>(ticks * ticks);
      ++histogram[wire::histogram_bucket(ticks)];
    }
    EXPECT_EQ(signature.sum_sq, squares);
    ASSERT_EQ(record.calls.size(), 1u);
    EXPECT_EQ(record.calls[0].total, sum);
    for (int bucket = 0; bucket < wire::histogram_buckets; ++bucket)
      EXPECT_EQ(record.calls[0].histogram[static_cast<std::size_t>(bucket)], histogram[bucket]) << bucket;
    EXPECT_EQ(thread.item->mpi_ticks, sum);
    EXPECT_EQ(totals.mpi_ticks, sum);  // for regions
    EXPECT_EQ(live->mpi_union, sum);   // there are two threads
    const timeline::TraceBlock block(only_file(directory, "trace-calls-"));
    std::vector<wire::TraceEvent> events;
    for (const timeline::Segment &segment : block.segments())
      EXPECT_TRUE(timeline::TraceBlock::each(segment, [&](const wire::TraceEvent &event) { events.push_back(event); }));
    ASSERT_EQ(events.size(), 5u);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(events[i].begin, begins[i]);
      EXPECT_EQ(events[i].end - events[i].begin, booked[i]);
    }
    EXPECT_EQ(thread.item->current.since, 0u);
  });
}

}  // namespace
