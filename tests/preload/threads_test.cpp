// What threads do at the same time, all of it in one test each: run under ThreadSanitizer, too (CMakeLists.txt).

#include <algorithm>
#include <atomic>
#include <barrier>
#include <random>
#include <thread>
#include <vector>

#include "clock.hpp"
#include "communicators.hpp"
#include "in_child.hpp"
#include "model/rank_record.hpp"
#include "requests.hpp"

namespace {

using namespace scope;
using namespace scope::preload;
using scope::test::in_child;
using scope::test::note;
using scope::test::start_as_rank;

constexpr int thread_count = 8;

template <class Body>
void run_threads(Body body) {
  std::vector<std::thread> threads;
  for (int t = 0; t < thread_count; ++t) threads.emplace_back(body, t);
  for (std::thread &thread : threads) thread.join();
}

std::string block_file(const std::string &directory) {
  for (const auto &entry : std::filesystem::directory_iterator(directory))
    if (entry.path().filename().string().starts_with("live-")) return entry.path().string();
  return "";
}

// Entries, histograms, and intervals in rings that run full, so that any thread merges the others'; slots that come and go.
TEST(ThreadsAtOnce, RecordCallsAndTheirTime) {
  in_child([](const std::string &directory) {
    start_as_rank(directory);
    multiple = true;
    constexpr int calls = 3000;
    std::uint64_t own[thread_count] = {}, longest[thread_count] = {};
    std::uint64_t start = now();
    run_threads([&own, &longest](int t) {
      for (int life = 0; life < 3; ++life) {
        Thread &thread = *acquire_thread();
        for (int i = 0; i < calls / 3; ++i) {
          std::uint64_t begin = now();
          enter_call(thread, wire::Call::MPI_Send, begin);
          std::uint64_t end = now();
          leave_call(thread);
          own[t] += end - begin;
          longest[t] = std::max(longest[t], end - begin);
          note_entry(thread, note(wire::Call::MPI_Send, t, i % 50, 8, end - begin));
          note_duration(thread, wire::Call::MPI_Send, end - begin);
          note_time(thread, begin, end);
          settle_call(thread);
        }
        release_thread(&thread);
      }
    });
    flush_intervals();
    std::uint64_t elapsed = now() - start;
    model::RankRecord record = model::read_live_block(block_file(directory));
    std::uint64_t counted = 0, sent = 0, ticks = 0, most = 0, sum = 0;
    for (const auto &signature : record.signatures) {
      counted += signature.calls;
      sent += signature.bytes_sent;
      ticks += signature.total;
    }
    for (int t = 0; t < thread_count; ++t) {
      // Without its longest call: a thread that loses the processor between its look at the clock and saying so (enter_call) has not
      // begun the call yet, and another that merges meanwhile does not count that time.
      most = std::max(most, own[t] - longest[t]);
      sum += own[t];
    }
    EXPECT_EQ(counted, static_cast<std::uint64_t>(thread_count * calls));
    EXPECT_EQ(sent, 8u * thread_count * calls);
    EXPECT_EQ(ticks, sum);
    EXPECT_LE(record.mpi_ticks, elapsed);
    EXPECT_GE(record.mpi_ticks, most);
  });
}

// A few handles that all threads reuse: taken before a test that did not complete them, put back, completed.
TEST(ThreadsAtOnce, TakePutBackAndFinishOperations) {
  in_child([](const std::string &directory) {
    start_as_rank(directory);
    multiple = true;
    std::atomic<std::uint64_t> finished{0}, tags{0};
    constexpr int rounds = 3000;
    run_threads([&](int t) {
      std::mt19937 random(static_cast<unsigned>(t));
      Thread &thread = *acquire_thread();
      for (int i = 0; i < rounds; ++i) {
        Operation operation{};
        operation.handle = 0x40 + 8 * (random() % 3);
        operation.tag = t + 1;
        operation.active = true;
        test::begin(thread, operation);
        Operation *taken;
        EXPECT_TRUE(taken = take_operation(thread, operation.handle));  // somebody's: there are at least as many as threads that take
        if (random() % 2) {
          restore_operation(thread, taken);
          EXPECT_TRUE(taken = take_operation(thread, operation.handle));
        }
        tags += static_cast<std::uint64_t>(taken->tag);
        finish_operation(thread, taken);
        ++finished;
      }
    });
    EXPECT_EQ(finished, static_cast<std::uint64_t>(thread_count * rounds));
    EXPECT_EQ(tags, static_cast<std::uint64_t>(rounds) * thread_count * (thread_count + 1) / 2);
    EXPECT_EQ(operation_count(), 0u);
  });
}

// Half of the threads begin operations, the others complete them; a test that did not complete one puts it back elsewhere.
TEST(ThreadsAtOnce, CompleteWhatOthersBegan) {
  in_child([](const std::string &directory) {
    start_as_rank(directory);
    multiple = true;
    constexpr int rounds = 4000, pairs = thread_count / 2, slots = 64;
    std::atomic<Word> mailboxes[pairs][slots] = {};  // handles that were begun
    std::atomic<std::uint64_t> tags{0};
    run_threads([&](int t) {
      Thread &thread = *acquire_thread();
      std::atomic<Word>(&mailbox)[slots] = mailboxes[t / 2];
      for (int i = 0; i < rounds; ++i) {
        std::atomic<Word> &slot = mailbox[i % slots];
        if (t % 2 == 0) {
          while (slot.load(std::memory_order_acquire)) std::this_thread::yield();
          Operation operation{};
          operation.handle = 0x1000 + 8 * static_cast<Word>(t * slots + i % slots);
          operation.tag = i;
          operation.active = true;
          test::begin(thread, operation);
          slot.store(operation.handle, std::memory_order_release);
        } else {
          Word handle;
          while (!(handle = slot.load(std::memory_order_acquire))) std::this_thread::yield();
          for (int again = i % 3; again >= 0; --again) {
            Operation *taken = take_operation(thread, handle);
            ASSERT_TRUE(taken);
            if (again) {
              restore_operation(thread, taken);
            } else {
              tags += static_cast<std::uint64_t>(taken->tag);
              finish_operation(thread, taken);
            }
          }
          slot.store(0, std::memory_order_release);
        }
      }
    });
    EXPECT_EQ(tags, static_cast<std::uint64_t>(pairs) * rounds * (rounds - 1) / 2);
    EXPECT_EQ(operation_count(), 0u);
    EXPECT_EQ(live->untracked_requests, 0u);
  });
}

// References are taken in stock by each thread; a communicator that was freed gets all of them back.
TEST(ThreadsAtOnce, KeepAndDropACommunicator) {
  in_child([](const std::string &directory) {
    start_as_rank(directory);
    multiple = true;
    Communicator shared{}, other{};
    shared.references = other.references = 1;
    std::barrier everybody(thread_count);
    run_threads([&](int t) {
      Thread &thread = *acquire_thread();
      for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 1000; ++i) keep(thread, &shared);
        everybody.arrive_and_wait();
        if (t == 0) {
          EXPECT_GT(shared.references, 1000u * thread_count);
        }
        everybody.arrive_and_wait();
        for (int i = 0; i < 1000; ++i) drop(thread, &shared);
      }
      everybody.arrive_and_wait();
      if (t == 0) {
        EXPECT_GE(shared.references, 1u);
        ++comm_epoch;  // some communicator was freed
      }
      everybody.arrive_and_wait();
      keep(thread, &other);
      drop(thread, &other);
    });
    EXPECT_EQ(shared.references, 1u);
    EXPECT_GT(other.references, 1u);
  });
}

}  // namespace
