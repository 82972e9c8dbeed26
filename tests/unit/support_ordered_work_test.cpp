#include "support/ordered_work.hpp"

#include <atomic>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace {

using scope::support::work_in_order;

TEST(OrderedWork, ResultsComeInOrderWhateverTheThreads) {
  for (unsigned threads : {1u, 2u, 5u}) {
    std::vector<std::size_t> seen;
    std::atomic<int> made = 0;
    work_in_order(
        1000,
        [&](std::size_t i) {
          ++made;
          if (i % 7 == 0) std::this_thread::yield();
          return i * i;
        },
        [&](std::size_t i, std::size_t square) {
          EXPECT_EQ(square, i * i);
          seen.push_back(i);
        },
        threads, 8);
    ASSERT_EQ(seen.size(), 1000u);
    for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], i);
    EXPECT_EQ(made, 1000);
  }
}

TEST(OrderedWork, NoMoreThanAWindowIsMadeAhead) {
  std::atomic<std::size_t> made = 0;
  work_in_order(
      500, [&](std::size_t) { return ++made; },
      [&](std::size_t i, std::size_t) { EXPECT_LE(made, i + 4); }, 3, 4);
  EXPECT_EQ(made, 500u);
}

TEST(OrderedWork, TheFirstFailureInOrderComesOut) {
  for (unsigned threads : {1u, 4u}) {
    std::size_t consumed = 0;
    auto make = [](std::size_t i) {
      if (i >= 300) throw std::runtime_error(std::to_string(i));
      return i;
    };
    try {
      work_in_order(1000, make, [&](std::size_t, std::size_t) { ++consumed; }, threads, 16);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error &error) {
      EXPECT_EQ(std::string(error.what()), "300");
    }
    EXPECT_EQ(consumed, 300u);
    EXPECT_THROW(work_in_order(100, [](std::size_t i) { return i; },
                               [](std::size_t i, std::size_t) {
                                 if (i == 50) throw std::logic_error("consume");
                               },
                               threads),
                 std::logic_error);
  }
}

TEST(OrderedWork, NothingToDoIsNothing) {
  work_in_order(0, [](std::size_t i) { return i; }, [](std::size_t, std::size_t) { FAIL(); }, 4);
}

}  // namespace
