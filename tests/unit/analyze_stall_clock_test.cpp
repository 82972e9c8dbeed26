#include "analyze/stall_clock.hpp"

#include <gtest/gtest.h>

using namespace scope::analyze;

namespace {

constexpr std::uint64_t s = 1'000'000'000;

/// A process whose state the test sets; it counts how often its work was asked for.
struct Process {
  std::string name;
  std::uint64_t position = 1, mpi_ticks = 1, work = 1;
  bool in_work = false;
  int asked = 0;
  void test() { ++position, ++mpi_ticks; }          ///< a call that asked and got no
  void call() { ++position, ++mpi_ticks, ++work; }  ///< a call that returned
  void enter() { ++position, ++mpi_ticks, in_work = true; }
  Look look() {
    return {name, {position, mpi_ticks, in_work}, [this] {
              ++asked;
              return std::optional(work);
            }};
  }
};

/// Looks once a second.
struct Clock {
  StallClock clock{2 * s};
  std::uint64_t now = 100 * s;
  Pace look(std::vector<Look> looks) { return clock.look(looks, now += s, s); }
};

TEST(StallClock, StalledOnceAndAgainAfterProgress) {
  Process a{"a"}, b{"b"};
  a.in_work = b.in_work = true;
  Clock clock;
  EXPECT_EQ(clock.look({a.look(), b.look()}), Pace::moving);
  EXPECT_EQ(clock.look({a.look(), b.look()}), Pace::still);
  EXPECT_EQ(clock.look({a.look(), b.look()}), Pace::stalled);
  EXPECT_EQ(clock.clock.still_ns(), 2 * s);
  EXPECT_EQ(clock.look({a.look(), b.look()}), Pace::still);
  b.enter();
  EXPECT_EQ(clock.look({a.look(), b.look()}), Pace::moving);
  EXPECT_EQ(clock.clock.still_ns("a"), 4 * s);
  EXPECT_EQ(clock.clock.still_ns("b"), 0u);
  EXPECT_EQ(clock.look({a.look(), b.look()}), Pace::still);
  EXPECT_EQ(clock.look({a.look(), b.look()}), Pace::stalled);
  EXPECT_EQ(a.asked + b.asked, 0);
}

TEST(StallClock, TestsInVainAreNoProgress) {
  Process a{"a"}, b{"b"};
  b.in_work = true;
  Clock clock;
  clock.look({a.look(), b.look()});
  a.test();
  EXPECT_EQ(clock.look({a.look(), b.look()}), Pace::moving);  // its work was never seen before
  a.test();
  EXPECT_EQ(clock.look({a.look(), b.look()}), Pace::still);
  a.test();
  EXPECT_EQ(clock.look({a.look(), b.look()}), Pace::stalled);
  EXPECT_TRUE(clock.clock.asking("a"));
  EXPECT_FALSE(clock.clock.asking("b"));
  a.call();
  EXPECT_EQ(clock.look({a.look(), b.look()}), Pace::moving);
  EXPECT_FALSE(clock.clock.asking("a"));
}

TEST(StallClock, WorkIsReadOfOneRankWhileARunGoesOn) {
  Process a{"a"}, b{"b"}, c{"c"};
  Clock clock;
  clock.look({a.look(), b.look(), c.look()});
  for (int i = 0; i < 10; ++i) {
    for (auto *process : {&a, &b, &c}) process->call();
    EXPECT_EQ(clock.look({a.look(), b.look(), c.look()}), Pace::moving);
  }
  EXPECT_EQ(a.asked, 10);
  EXPECT_EQ(b.asked, 1);  // at the first look, when nothing was known of a's work
  EXPECT_EQ(c.asked, 1);
}

TEST(StallClock, OldWorkOfOthersDelaysByOneLook) {
  Process a{"a"}, b{"b"}, c{"c"};
  Clock clock;
  clock.look({a.look(), b.look(), c.look()});
  for (int i = 0; i < 5; ++i) {
    for (auto *process : {&a, &b, &c}) process->call();
    clock.look({a.look(), b.look(), c.look()});
  }
  auto all_test = [&] {
    for (auto *process : {&a, &b, &c}) process->test();
    return clock.look({a.look(), b.look(), c.look()});
  };
  EXPECT_EQ(all_test(), Pace::moving);
  EXPECT_EQ(all_test(), Pace::still);
  EXPECT_EQ(all_test(), Pace::stalled);
}

TEST(StallClock, CallsThatArePausedAreProgress) {
  Process a{"a"};
  Clock clock;
  clock.look({a.look()});
  for (int i = 0; i < 5; ++i) {
    ++a.position;
    EXPECT_EQ(clock.look({a.look()}), Pace::moving);
  }
}

TEST(StallClock, ProcessesThatComeAndGoAreProgress) {
  Process a{"a"}, b{"b"};
  Clock clock;
  EXPECT_EQ(clock.look({}), Pace::moving);
  EXPECT_EQ(clock.look({a.look()}), Pace::moving);
  EXPECT_EQ(clock.look({a.look(), b.look()}), Pace::moving);
  EXPECT_EQ(clock.look({a.look(), b.look()}), Pace::still);
  EXPECT_EQ(clock.look({b.look()}), Pace::moving);
  EXPECT_EQ(clock.look({}), Pace::moving);
  EXPECT_EQ(clock.look({}), Pace::moving);
  EXPECT_EQ(clock.look({}), Pace::moving);
}

TEST(StallClock, ALongPauseBetweenLooksIsTheMachines) {
  Process a{"a"};
  StallClock clock(3 * s);
  clock.look({a.look()}, 10 * s, s);
  EXPECT_EQ(clock.look({a.look()}, 1000 * s, s), Pace::still);
  EXPECT_EQ(clock.still_ns(), 2 * s);
  EXPECT_EQ(clock.look({a.look()}, 1001 * s, s), Pace::stalled);
}

TEST(StallClock, WhatWasSeenOnceIsNotAsking) {
  Process computing{"a"};
  Clock clock;
  clock.look({computing.look()});
  clock.look({computing.look()});
  EXPECT_FALSE(clock.clock.asking("a")) << "no call of it was seen";
  EXPECT_EQ(clock.clock.still_ns("a"), s);
}

}  // namespace
