#include "clock_exchange.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <thread>
#include <vector>

#include "clock.hpp"
#include "in_child.hpp"
#include "launch/clock_server.hpp"
#include "wire/clock_exchange.hpp"
#include "wire/contract.hpp"

using namespace scope;
namespace fs = std::filesystem;

namespace {

const std::string run_id = "0123456789abcdef0123456789abcdef";
constexpr std::int64_t shift_ns = 1'000'000'000'000;

/// A launcher whose clock is 1000 s ahead and whose network is as `answer` says.
class Launcher {
 public:
  using Send = std::function<void(const wire::ClockAnswer &)>;
  explicit Launcher(std::function<void(wire::ClockAnswer, int number, const Send &)> answer) {
    socket_ = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof own;
    auto *address = reinterpret_cast<sockaddr *>(&own);
    if (bind(socket_, address, size) || getsockname(socket_, address, &size)) abort();
    port = ntohs(own.sin_port);
    thread_ = std::thread([this, answer = std::move(answer)] { serve(answer); });
  }
  ~Launcher() {
    stop_ = true;
    thread_.join();
    close(socket_);
  }

  std::uint16_t port = 0;
  std::atomic<int> questions = 0;

 private:
  void serve(const std::function<void(wire::ClockAnswer, int, const Send &)> &answer) {
    timeval patience{0, 5'000};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    while (!stop_) {
      sockaddr_in from{};
      socklen_t size = sizeof from;
      wire::ClockQuestion question{};
      auto got = recvfrom(socket_, &question, sizeof question, 0, reinterpret_cast<sockaddr *>(&from), &size);
      if (got != sizeof question || question.key != wire::clock_key(run_id.c_str())) continue;
      std::uint64_t time = preload::monotonic_ns() + static_cast<std::uint64_t>(shift_ns);
      answer({wire::clock_answer_magic, question.sequence, time, time}, questions++, [&](const wire::ClockAnswer &packet) {
        sendto(socket_, &packet, sizeof packet, 0, reinterpret_cast<sockaddr *>(&from), size);
      });
    }
  }

  int socket_ = -1;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

void surround(const std::string &servers, const std::string &launcher_boot_id = "launcher") {
  setenv(wire::env_clock_server, servers.c_str(), 1);
  setenv(wire::env_boot_id, launcher_boot_id.c_str(), 1);
}
void surround(const Launcher &launcher) { surround("127.0.0.1:" + std::to_string(launcher.port)); }

wire::TraceHeader header_of(const char *boot_id = "node") {
  wire::TraceHeader header{};
  strcpy(header.boot_id, boot_id);
  strcpy(header.run_id, run_id.c_str());
  return header;
}

std::vector<std::string> names_in(const std::string &directory) {
  std::vector<std::string> names;
  for (const auto &entry : fs::directory_iterator(directory)) names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

void expect_shift(const wire::ClockOffset &offset, std::int64_t shift) {
  auto error = static_cast<std::int64_t>(offset.error_ns);
  EXPECT_LE(std::abs(offset.offset_ns - shift), error);
  EXPECT_LT(error, 50'000'000);
}

}  // namespace

TEST(ClockExchangeTest, MeasuresTheOffsetWithinItsError) {
  test::in_child([](const std::string &directory) {
    Launcher launcher([](wire::ClockAnswer answer, int, const auto &send) { send(answer); });
    surround(launcher);
    auto header = header_of();
    auto before = preload::monotonic_ns();
    EXPECT_TRUE(preload::exchange_clock(header, 0, directory.c_str()));
    auto after = preload::monotonic_ns();
    EXPECT_GE(launcher.questions, 17);  // one to find it
    EXPECT_GE(header.offsets[0].at_ns, before);
    EXPECT_LE(header.offsets[0].at_ns, after);
    expect_shift(header.offsets[0], shift_ns);
    EXPECT_EQ(header.offsets[1].at_ns, 0u);
    clearenv();  // the program may do so
    EXPECT_TRUE(preload::exchange_clock(header, 1, directory.c_str()));
    expect_shift(header.offsets[1], shift_ns);
    EXPECT_EQ(names_in(directory), (std::vector<std::string>{"clock-node-0", "clock-node-1"}));
  });
}

TEST(ClockExchangeTest, TheRealServerIsUnderstood) {
  for (bool v6 : {false, true}) {
    test::in_child([v6](const std::string &directory) {
      launch::ClockServer server(run_id);
      surround((v6 ? "[::1]:" : "127.0.0.1:") + std::to_string(server.port()));
      auto header = header_of();
      bool measured = preload::exchange_clock(header, 0, directory.c_str());
      if (!measured && v6) return;  // there may be no IPv6 here
      EXPECT_TRUE(measured);
      expect_shift(header.offsets[0], 0);
    });
  }
}

TEST(ClockExchangeTest, TheShortestRoundTripCounts) {
  test::in_child([](const std::string &directory) {
    // Most answers are late by 3 ms, which makes the offset wrong by half of it.
    Launcher launcher([](wire::ClockAnswer answer, int number, const auto &send) {
      if (number % 4) usleep(3000);
      send(answer);
    });
    surround(launcher);
    auto header = header_of();
    EXPECT_TRUE(preload::exchange_clock(header, 0, directory.c_str()));
    EXPECT_LT(header.offsets[0].error_ns, 1'500'000u);
    expect_shift(header.offsets[0], shift_ns);
  });
}

TEST(ClockExchangeTest, TimeThatTheServerNeedsIsNoRoundTrip) {
  test::in_child([](const std::string &directory) {
    Launcher launcher([](wire::ClockAnswer answer, int, const auto &send) {
      usleep(5000);
      answer.sent_ns = preload::monotonic_ns() + static_cast<std::uint64_t>(shift_ns);
      send(answer);
    });
    surround(launcher);
    auto header = header_of();
    EXPECT_TRUE(preload::exchange_clock(header, 0, directory.c_str()));
    EXPECT_LT(header.offsets[0].error_ns, 2'500'000u);
    expect_shift(header.offsets[0], shift_ns);
  });
}

TEST(ClockExchangeTest, OtherPacketsAreNoAnswers) {
  test::in_child([](const std::string &directory) {
    Launcher launcher([](wire::ClockAnswer answer, int, const auto &send) {
      auto wrong = answer;
      wrong.received_ns = wrong.sent_ns = 1;
      wrong.sequence = answer.sequence - 1000;
      send(wrong);
      wrong = answer;
      wrong.magic = wire::clock_question_magic;
      wrong.received_ns = wrong.sent_ns = 1;
      send(wrong);
      send(answer);
    });
    surround(launcher);
    auto header = header_of();
    EXPECT_TRUE(preload::exchange_clock(header, 0, directory.c_str()));
    expect_shift(header.offsets[0], shift_ns);
  });
}

TEST(ClockExchangeTest, AnswersThatGoBackInTimeAreDropped) {
  test::in_child([](const std::string &directory) {
    Launcher launcher([](wire::ClockAnswer answer, int number, const auto &send) {
      if (number != 5) answer.sent_ns = answer.received_ns - 1'000'000;
      send(answer);
    });
    surround(launcher);
    auto header = header_of();
    EXPECT_TRUE(preload::exchange_clock(header, 0, directory.c_str()));
    expect_shift(header.offsets[0], shift_ns);
  });
}

TEST(ClockExchangeTest, OneAddressThatAnswersIsEnough) {
  test::in_child([](const std::string &directory) {
    Launcher launcher([](wire::ClockAnswer answer, int number, const auto &send) {
      if (number > 0) send(answer);  // the first question gets lost
    });
    surround("192.0.2.1:9 nonsense [2001:db8::1]:9 :7 1.2.3:4 [::1:5 127.0.0.1:0 127.0.0.1:" + std::to_string(launcher.port));
    auto header = header_of();
    EXPECT_TRUE(preload::exchange_clock(header, 0, directory.c_str()));
    expect_shift(header.offsets[0], shift_ns);
  });
}

TEST(ClockExchangeTest, NobodyWaitsLongForAnAnswerAndNobodyTwice) {
  test::in_child([](const std::string &directory) {
    Launcher launcher([](const wire::ClockAnswer &, int, const auto &) {});
    surround(launcher);
    auto header = header_of();
    auto before = preload::monotonic_ns();
    EXPECT_FALSE(preload::exchange_clock(header, 0, directory.c_str()));
    auto waited = preload::monotonic_ns() - before;
    EXPECT_GE(waited, 200'000'000u);
    EXPECT_LT(waited, 400'000'000u);
    int questions = launcher.questions;
    EXPECT_LE(questions, 4);
    EXPECT_FALSE(preload::exchange_clock(header, 1, directory.c_str()));
    EXPECT_LT(preload::monotonic_ns() - before - waited, 100'000'000u);
    EXPECT_EQ(launcher.questions, questions);
    EXPECT_EQ(header.offsets[0].at_ns, 0u);
    EXPECT_EQ(header.offsets[1].at_ns, 0u);
  });
}

TEST(ClockExchangeTest, OneProcessOfANodeAsks) {
  test::in_child([](const std::string &directory) {
    Launcher launcher([](wire::ClockAnswer answer, int, const auto &send) { send(answer); });
    surround(launcher);
    auto header = header_of(), neighbour = header_of();
    EXPECT_TRUE(preload::exchange_clock(header, 0, directory.c_str()));
    int questions = launcher.questions;
    EXPECT_FALSE(preload::exchange_clock(neighbour, 0, directory.c_str()));
    EXPECT_EQ(neighbour.offsets[0].at_ns, 0u);
    EXPECT_EQ(launcher.questions, questions);
    EXPECT_TRUE(preload::exchange_clock(neighbour, 1, directory.c_str()));  // whoever comes first
    EXPECT_FALSE(preload::exchange_clock(header, 1, directory.c_str()));
    EXPECT_GT(launcher.questions, questions);
  });
}

TEST(ClockExchangeTest, RanksOfTheLaunchersNodeDoNothing) {
  test::in_child([](const std::string &directory) {
    Launcher launcher([](wire::ClockAnswer answer, int, const auto &send) { send(answer); });
    surround("127.0.0.1:" + std::to_string(launcher.port), "node");
    auto header = header_of();
    EXPECT_FALSE(preload::exchange_clock(header, 0, directory.c_str()));
    EXPECT_FALSE(preload::exchange_clock(header, 1, directory.c_str()));
    EXPECT_TRUE(names_in(directory).empty());
    EXPECT_EQ(launcher.questions, 0);
  });
}

TEST(ClockExchangeTest, WithoutSurroundingsNothingHappens) {
  for (int missing = 0; missing < 3; ++missing) {
    test::in_child([missing](const std::string &directory) {
      surround("127.0.0.1:9");
      if (missing == 0) unsetenv(wire::env_clock_server);
      if (missing == 1) unsetenv(wire::env_boot_id);
      auto header = header_of(missing == 2 ? "" : "node");
      EXPECT_FALSE(preload::exchange_clock(header, 0, directory.c_str()));
      EXPECT_TRUE(names_in(directory).empty());
    });
  }
}

TEST(ClockExchangeTest, TheProcessIsAsItWasBefore) {
  test::in_child([](const std::string &directory) {
    Launcher launcher([](wire::ClockAnswer answer, int, const auto &send) { send(answer); });
    surround(launcher);
    auto header = header_of();
    int before = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(before);
    errno = 4242;
    EXPECT_TRUE(preload::exchange_clock(header, 0, directory.c_str()));
    EXPECT_EQ(errno, 4242);
    EXPECT_FALSE(preload::exchange_clock(header, 0, directory.c_str()));
    EXPECT_EQ(errno, 4242);
    EXPECT_EQ(open("/dev/null", O_RDONLY | O_CLOEXEC), before);
  });
}
