#include "launch/rank_watch.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "launch/process.hpp"
#include "launch/supervise.hpp"

using namespace scope::launch;
namespace fs = std::filesystem;

namespace {

class RankWatchTest : public testing::Test {
 protected:
  RankWatchTest() {
    std::string name = testing::TempDir() + "watch-XXXXXX";
    root = mkdtemp(name.data());
    char text[256] = "";
    gethostname(text, sizeof text - 1);
    host = text;
  }
  ~RankWatchTest() override { fs::remove_all(root); }

  /// A child that waits to be killed.
  pid_t child() {
    pid_t pid = fork();
    if (pid == 0) {
      while (true) pause();
    }
    return pid;
  }

  std::uint64_t start_of(pid_t pid) {
    std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    std::getline(in, line);
    return parse_process_stat(line)->start_time;
  }

  void block(const std::string &on_host, pid_t pid, std::uint64_t start) {
    std::ofstream(root / ("live-" + on_host + "-" + std::to_string(pid) + "-" + std::to_string(start) + ".block"));
  }

  fs::path root;
  std::string host;
};

}  // namespace

TEST(BlockNameTest, SplitsFromTheRight) {
  EXPECT_EQ(parse_block_name("live-n1-42-1234.block"), (BlockName{"n1", 42, 1234}));
  EXPECT_EQ(parse_block_name("live-node-1-2-42-18446744073709551615.block"),
            (BlockName{"node-1-2", 42, 18446744073709551615ull}));
}

TEST(BlockNameTest, RefusesOtherNames) {
  for (const char *name :
       {"live-n1-42-1234.block.tmp", "rank-a-0.json", "live-.block", "live-42-1234.block", "live-n1-x-1.block",
        "live-n1-42-.block", "live-n1-0-5.block", "live-n1--5-5.blockx", "live-block", "live-n1-42-99999999999999999999.block"}) {
    EXPECT_FALSE(parse_block_name(name)) << name;
  }
}

TEST(ProcessStatTest, TheNameMayHoldAnything) {
  std::string line =
      "42 (a) b (c\n) Z 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 777 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 "
      "37 38 39 40 41 42 43 44 45 46 47 48 139\n";
  auto stat = parse_process_stat(line);
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->state, 'Z');
  EXPECT_EQ(stat->start_time, 777u);
  EXPECT_EQ(stat->exit_code, 139);
  EXPECT_FALSE(parse_process_stat("42 (a) S 1 2 3"));
  EXPECT_FALSE(parse_process_stat(""));
}

TEST_F(RankWatchTest, LearnsOrderAndStatusOfRanks) {
  RankWatch watch(root);
  ASSERT_GE(watch.fd(), 0);
  pid_t first = child(), second = child();
  auto first_start = start_of(first), second_start = start_of(second);
  block(host, first, first_start);
  block(host, second, second_start);
  watch.handle_events();
  EXPECT_TRUE(watch.take_ends().empty());
  kill(second, SIGTERM);
  siginfo_t info{};
  waitid(P_PID, static_cast<id_t>(second), &info, WEXITED | WNOWAIT);
  watch.handle_events();
  kill(first, SIGKILL);
  waitid(P_PID, static_cast<id_t>(first), &info, WEXITED | WNOWAIT);
  watch.wait_for_ends(2'000'000'000);
  auto ends = watch.take_ends();
  waitpid(first, nullptr, 0);
  waitpid(second, nullptr, 0);
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[0].pid, second);
  EXPECT_EQ(ends[0].start_time, second_start);
  EXPECT_EQ(ends[0].host, host);
  EXPECT_EQ(ends[0].order, 0);
  ASSERT_TRUE(ends[0].wait_status);
  EXPECT_EQ(*ends[0].wait_status & 0x7f, SIGTERM);
  EXPECT_EQ(ends[1].pid, first);
  EXPECT_EQ(ends[1].order, 1);
  ASSERT_TRUE(ends[1].wait_status);
  EXPECT_EQ(*ends[1].wait_status & 0x7f, SIGKILL);
  EXPECT_LE(ends[0].monotonic_ns, ends[1].monotonic_ns);
}

TEST_F(RankWatchTest, IgnoresOtherHostsAndReusedProcessIds) {
  RankWatch watch(root);
  pid_t pid = child();
  auto start = start_of(pid);
  block("elsewhere", pid, start);
  block(host, pid, start + 1);
  watch.handle_events();
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  watch.wait_for_ends(0);
  EXPECT_TRUE(watch.take_ends().empty());
}

TEST_F(RankWatchTest, GivesUpOnARankThatStaysAlive) {
  RankWatch watch(root);
  pid_t pid = child();
  block(host, pid, start_of(pid));
  auto before = monotonic_ns();
  watch.wait_for_ends(100'000'000);
  auto waited = monotonic_ns() - before;
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  EXPECT_GE(waited, 100'000'000u);
  EXPECT_LT(waited, 2'000'000'000u);
  EXPECT_TRUE(watch.take_ends().empty());
}

TEST_F(RankWatchTest, ADirectoryThatCannotBeWatchedIsNoError) {
  RankWatch watch(root / "none");
  watch.handle_events();
  watch.wait_for_ends(1'000'000'000);
  EXPECT_TRUE(watch.take_ends().empty());
}

TEST_F(RankWatchTest, SuperviseKnowsTheStatusOfItsOwnChild) {
  auto command = "read -r line < /proc/$$/stat; set -- $line; : > '" + root.string() + "/live-" + host +
                 "-'$$-${22}.block; "
                 "sleep 0.2; kill -KILL $$";
  SignalGate gate;
  auto outcome = supervise({"/bin/sh", {"sh", "-c", command}, current_environment()}, root, gate);
  EXPECT_EQ(exit_code_of(outcome.wait_status), 137);
  ASSERT_EQ(outcome.rank_ends.size(), 1u);
  EXPECT_EQ(outcome.rank_ends[0].wait_status, outcome.wait_status);
}
