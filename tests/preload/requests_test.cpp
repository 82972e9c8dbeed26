#include "requests.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

#include "handle_map.hpp"
#include "in_child.hpp"

namespace {

using namespace scope;
using namespace scope::preload;
using scope::test::in_child;
using scope::test::start_as_rank;

Operation operation(Word handle, int tag, bool persistent = false) {
  Operation result{};
  result.handle = handle;
  result.tag = tag;
  result.persistent = persistent;
  result.active = !persistent;
  return result;
}

TEST(Requests, OperationsThatShareAHandleAreCompletedOldestFirst) {
  in_child([](const std::string &directory) {
    Thread &thread = start_as_rank(directory);
    for (int tag = 0; tag < 5; ++tag) test::begin(thread, operation(0x10, tag));
    test::begin(thread, operation(0x20, 99));
    Operation *taken;
    for (int tag = 0; tag < 5; ++tag) {
      ASSERT_TRUE(taken = take_operation(thread, 0x10));
      EXPECT_EQ(taken->tag, tag);
    }
    EXPECT_FALSE(take_operation(thread, 0x10));
    ASSERT_TRUE(taken = take_operation(thread, 0x20));
    EXPECT_EQ(taken->tag, 99);
    EXPECT_EQ(operation_count(), 0u);
  });
}

TEST(Requests, WhatWasNotCompletedGoesBackInFront) {
  in_child([](const std::string &directory) {
    Thread &thread = start_as_rank(directory);
    test::begin(thread, operation(0x10, 1));
    test::begin(thread, operation(0x10, 2));
    Operation *taken;
    ASSERT_TRUE(taken = take_operation(thread, 0x10));
    restore_operation(thread, taken);
    ASSERT_TRUE(taken = take_operation(thread, 0x10));
    EXPECT_EQ(taken->tag, 1);
    ASSERT_TRUE(taken = take_operation(thread, 0x10));
    EXPECT_EQ(taken->tag, 2);
  });
}

TEST(Requests, PersistentOnesStayAndCompleteOnlyWhenActive) {
  in_child([](const std::string &directory) {
    Thread &thread = start_as_rank(directory);
    test::begin(thread, operation(0x30, 4, true));
    Operation *taken;
    EXPECT_FALSE(take_operation(thread, 0x30));
    for (int round = 0; round < 3; ++round) {
      const Operation *started = start_operation(thread, 0x30, {});
      ASSERT_TRUE(started);
      EXPECT_EQ(started->tag, 4);
      ASSERT_TRUE(taken = take_operation(thread, 0x30));
      EXPECT_FALSE(take_operation(thread, 0x30));
    }
    free_operation(thread, 0x30);
    EXPECT_EQ(operation_count(), 0u);
    EXPECT_FALSE(start_operation(thread, 0x30, {}));
  });
}

TEST(Requests, BeyondTheBoundTheyAreCountedNotKept) {
  in_child([](const std::string &directory) {
    Thread &thread = start_as_rank(directory);
    for (Word i = 0; i < operation_limit + 1000; ++i) test::begin(thread, operation(0x1000 + i * 16, 1));
    std::uint32_t kept = operation_count();
    EXPECT_LE(kept, operation_limit);
    EXPECT_EQ(live->untracked_requests, operation_limit + 1000 - kept);
    Operation *taken;
    for (Word i = 0; i < operation_limit + 1000; ++i) if ((taken = take_operation(thread, 0x1000 + i * 16))) finish_operation(thread, taken);
    EXPECT_EQ(operation_count(), 0u);
    test::begin(thread, operation(0x5, 1));
    EXPECT_EQ(operation_count(), 1u);
  });
}

TEST(Requests, AgreeWithASimpleModelOverRandomUse) {
  in_child([](const std::string &directory) {
    Thread &thread = start_as_rank(directory);
    std::mt19937 random(1);
    std::map<Word, std::vector<int>> model;
    std::size_t expected = 0;
    for (int i = 0; i < 200000; ++i) {
      Word handle = 0x100 + 8 * (random() % 300);
      std::vector<int> &queue = model[handle];
      if (random() % 2 && expected < 5000) {
        test::begin(thread, operation(handle, i));
        queue.push_back(i);
        ++expected;
        continue;
      }
      Operation *taken;
      taken = take_operation(thread, handle);
      const bool got = taken != nullptr;
      ASSERT_EQ(got, !queue.empty());
      if (!got) continue;
      ASSERT_EQ(taken->tag, queue.front());
      finish_operation(thread, taken);
      queue.erase(queue.begin());
      --expected;
    }
    EXPECT_EQ(operation_count(), expected);
  });
}

TEST(Requests, AThreadGetsItsOwnFirstThenThoseOfOthers) {
  in_child([](const std::string &directory) {
    Thread &first = start_as_rank(directory), &second = *acquire_thread();
    multiple = true;
    test::begin(first, operation(0x10, 1));
    test::begin(second, operation(0x10, 2));
    test::begin(first, operation(0x10, 3));
    int tags[3];
    for (int &tag : tags) {
      Operation *taken = take_operation(second, 0x10);
      ASSERT_TRUE(taken);
      tag = taken->tag;
      finish_operation(second, taken);
    }
    EXPECT_EQ(tags[0], 2);
    EXPECT_EQ(tags[1], 1);
    EXPECT_EQ(tags[2], 3);
    EXPECT_FALSE(take_operation(second, 0x10));
    EXPECT_EQ(operation_count(), 0u);
  });
}

TEST(Requests, AreFoundByAllThreadsWhoeverPutThemBackOrEnded) {
  in_child([](const std::string &directory) {
    Thread &first = start_as_rank(directory), &second = *acquire_thread(), &third = *acquire_thread();
    multiple = true;
    test::begin(first, operation(0x10, 1));
    for (Thread *thread : {&second, &third, &first, &first, &second}) {
      Operation *taken = take_operation(*thread, 0x10);
      ASSERT_TRUE(taken);
      EXPECT_EQ(operation_count(), 0u);
      restore_operation(*thread, taken);
      EXPECT_EQ(operation_count(), 1u);
    }
    release_thread(&second);  // it was the last to put it back
    Operation *taken = take_operation(third, 0x10);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->tag, 1);
    finish_operation(third, taken);
    EXPECT_EQ(operation_count(), 0u);
  });
}

TEST(Requests, PersistentOnesAreStartedWaitedForAndFreedByAnyThread) {
  in_child([](const std::string &directory) {
    Thread &first = start_as_rank(directory), &second = *acquire_thread(), &third = *acquire_thread();
    multiple = true;
    test::begin(first, operation(0x30, 4, true));
    for (int round = 0; round < 3; ++round) {
      ASSERT_TRUE(start_operation(second, 0x30, {}));
      Operation *taken = take_operation(third, 0x30);
      ASSERT_TRUE(taken);
      EXPECT_FALSE(take_operation(first, 0x30));
      restore_operation(third, taken);
      ASSERT_TRUE(taken = take_operation(second, 0x30));
      finish_operation(second, taken);
      EXPECT_FALSE(take_operation(first, 0x30));
    }
    free_operation(third, 0x30);
    EXPECT_FALSE(start_operation(first, 0x30, {}));
    EXPECT_EQ(operation_count(), 0u);
  });
}

// Nothing grows with calls: what one thread gave back serves the others.
TEST(Requests, MemoryIsHandedOnBetweenThreads) {
  in_child([](const std::string &directory) {
    Thread &first = start_as_rank(directory), &second = *acquire_thread(), &third = *acquire_thread();
    multiple = true;
    for (Word i = 0; i < 4 * operation_limit; ++i) {
      test::begin(first, operation(0x1000 + i * 16, 1));
      Operation *taken = take_operation(second, 0x1000 + i * 16);
      ASSERT_TRUE(taken);
      finish_operation(second, taken);
    }
    for (Thread *thread : {&second, &third, &first}) {
      for (Word i = 0; i < operation_limit - 1000; ++i) test::begin(*thread, operation(0x1000 + i * 16, static_cast<int>(i)));
      EXPECT_EQ(operation_count(), operation_limit - 1000);
      for (Word i = operation_limit - 1000; i-- > 0;) {
        Operation *taken = take_operation(*thread, 0x1000 + i * 16);
        ASSERT_TRUE(taken);
        ASSERT_EQ(taken->tag, static_cast<int>(i));
        finish_operation(*thread, taken);
      }
      EXPECT_EQ(operation_count(), 0u);
    }
    EXPECT_EQ(live->untracked_requests, 0u);
  });
}

TEST(Requests, EightThreadsWithRecycledHandlesKeepTheSet) {
  in_child([](const std::string &directory) {
    start_as_rank(directory);
    multiple = true;
    std::vector<std::thread> threads;
    std::uint64_t sums[8] = {};
    constexpr int rounds = 20000;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([t, &sums] {
        Thread &thread = *acquire_thread();
        for (int i = 0; i < rounds; ++i) {
          Word handle = 0x40 + 8 * static_cast<Word>(i % 4);  // all threads use the same few
          test::begin(thread, operation(handle, 1));
          Operation *taken;
          if ((taken = take_operation(thread, handle))) {
            sums[t] += static_cast<std::uint64_t>(taken->tag);
            finish_operation(thread, taken);
          }
        }
      });
    for (std::thread &one : threads) one.join();
    std::uint64_t sum = 0;
    for (std::uint64_t one : sums) sum += one;
    EXPECT_EQ(sum, 8u * rounds);
    EXPECT_EQ(operation_count(), 0u);
  });
}

TEST(HandleMap, AgreesWithTheStandardMap) {
  HandleMap<int> map;
  std::unordered_map<Word, int *> model;
  std::mt19937_64 random(2);
  static int values[1000];
  for (int i = 0; i < 300000; ++i) {
    Word handle = (random() % 700) * 0x48 + 0x7f0000000000;
    switch (random() % 3) {
      case 0: {
        int *value = &values[random() % 1000];
        ASSERT_TRUE(map.insert(handle, value));
        model[handle] = value;
        break;
      }
      case 1: {
        int *removed = map.remove(handle);
        auto at = model.find(handle);
        ASSERT_EQ(removed, at == model.end() ? nullptr : at->second);
        if (at != model.end()) model.erase(at);
        break;
      }
      default: {
        auto at = model.find(handle);
        ASSERT_EQ(map.find(handle), at == model.end() ? nullptr : at->second);
      }
    }
  }
}

TEST(Blocks, AreReusedBySize) {
  std::vector<void *> blocks;
  for (int i = 0; i < 100; ++i) blocks.push_back(take_block(100));
  for (void *block : blocks) give_block(block, 100);
  for (int i = 0; i < 100; ++i) {
    void *block = take_block(70);  // the same class: 128 bytes
    EXPECT_NE(std::find(blocks.begin(), blocks.end(), block), blocks.end());
  }
}

}  // namespace
