#include "launch/clock_server.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "launch/environment.hpp"
#include "launch/process.hpp"
#include "support/error.hpp"
#include "wire/clock_exchange.hpp"

using namespace scope;
using namespace scope::launch;

namespace {

const std::string run_id = "0123456789abcdef0123456789abcdef";

/// Asks a server on this host.
class Asker {
 public:
  Asker(int family, std::uint16_t port) : socket_(socket(family, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    if (family == AF_INET6) {
      sockaddr_in6 to{};
      to.sin6_family = AF_INET6;
      to.sin6_port = htons(port);
      to.sin6_addr = in6addr_loopback;
      connected_ = connect(socket_, reinterpret_cast<sockaddr *>(&to), sizeof to) == 0;
    } else {
      sockaddr_in to{};
      to.sin_family = AF_INET;
      to.sin_port = htons(port);
      to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      connected_ = connect(socket_, reinterpret_cast<sockaddr *>(&to), sizeof to) == 0;
    }
  }
  ~Asker() { close(socket_); }
  bool connected() const { return connected_; }

  void send_bytes(const void *bytes, std::size_t size) { ASSERT_EQ(send(socket_, bytes, size, 0), static_cast<ssize_t>(size)); }

  std::optional<wire::ClockAnswer> hear(int patience_ms = 5000) {
    pollfd wait{socket_, POLLIN, 0};
    wire::ClockAnswer answer{};
    if (poll(&wait, 1, patience_ms) != 1 || recv(socket_, &answer, sizeof answer, MSG_TRUNC) != sizeof answer) return std::nullopt;
    return answer;
  }

  std::optional<wire::ClockAnswer> ask(std::uint64_t sequence) {
    wire::ClockQuestion question{wire::clock_question_magic, wire::clock_key(run_id.c_str()), sequence, 0};
    send_bytes(&question, sizeof question);
    return hear();
  }

 private:
  int socket_;
  bool connected_ = false;
};

void expect_answer(int family, const ClockServer &server) {
  Asker asker(family, server.port());
  if (family == AF_INET6 && !asker.connected()) GTEST_SKIP() << "there is no IPv6 here";
  for (std::uint64_t sequence : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
    auto before = monotonic_ns();
    auto answer = asker.ask(sequence);
    auto after = monotonic_ns();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->magic, wire::clock_answer_magic);
    EXPECT_EQ(answer->sequence, sequence);
    EXPECT_LE(before, answer->received_ns);
    EXPECT_LE(answer->received_ns, answer->sent_ns);
    EXPECT_LE(answer->sent_ns, after);
  }
}

}  // namespace

TEST(ClockServerTest, AnswersBothFamiliesWithItsClock) {
  ClockServer server(run_id);
  ASSERT_EQ(server.problem(), "");
  ASSERT_NE(server.port(), 0);
  expect_answer(AF_INET, server);
  expect_answer(AF_INET6, server);
}

TEST(ClockServerTest, KeepsSilentToWhoDoesNotKnowTheRun) {
  ClockServer server(run_id);
  Asker asker(AF_INET, server.port());
  wire::ClockQuestion wrong_key{wire::clock_question_magic, wire::clock_key("another run"), 1, 0};
  wire::ClockQuestion wrong_magic{wire::clock_answer_magic, wire::clock_key(run_id.c_str()), 2, 0};
  wire::ClockQuestion good{wire::clock_question_magic, wire::clock_key(run_id.c_str()), 3, 0};
  char long_one[sizeof good + 1] = "";
  std::memcpy(long_one, &good, sizeof good);
  for (int i = 0; i < 3; ++i) {
    asker.send_bytes(&wrong_key, sizeof wrong_key);
    asker.send_bytes(&wrong_magic, sizeof wrong_magic);
    asker.send_bytes(&good, sizeof good - 1);
    asker.send_bytes(long_one, sizeof long_one);
    asker.send_bytes("", 0);
  }
  auto answer = asker.ask(4);  // they are read in order: the first answer is that of the first good question
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->sequence, 4u);
  EXPECT_FALSE(asker.hear(20));
}

TEST(ClockServerTest, EndsAtOnceAndTakesNoSignals) {
  auto before = monotonic_ns();
  sigset_t mask_before, mask_after;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_before);
  for (int i = 0; i < 20; ++i) ClockServer server(run_id);
  pthread_sigmask(SIG_SETMASK, nullptr, &mask_after);
  EXPECT_LT(monotonic_ns() - before, 2'000'000'000u);
  for (int signal = 1; signal < 32; ++signal)
    EXPECT_EQ(sigismember(&mask_before, signal), sigismember(&mask_after, signal)) << signal;
}

TEST(ClockServerTest, WithoutDescriptorsThereIsAReason) {
  pid_t child = fork();
  if (child == 0) {
    support::errno_text(EMFILE);  // a sanitizer looks at its objects the first time, and needs descriptors for that
    rlimit none{0, 0};
    setrlimit(RLIMIT_NOFILE, &none);
    ClockServer server(run_id);
    _exit(server.port() == 0 && server.problem() == "Too many open files" ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(HostAddressesTest, AreAddressesAndFew) {
  auto addresses = host_addresses();
  EXPECT_LE(addresses.size(), wire::clock_address_limit);
  bool loopback = false, others = false;
  for (const auto &address : addresses) {
    in6_addr v6;
    in_addr v4;
    const bool bracketed = address.front() == '[';
    const auto text = bracketed ? address.substr(1, address.size() - 2) : address;
    EXPECT_EQ(bracketed ? inet_pton(AF_INET6, text.c_str(), &v6) : inet_pton(AF_INET, text.c_str(), &v4), 1) << address;
    (address == "[::1]" || address.starts_with("127.") ? loopback : others) = true;
  }
  EXPECT_FALSE(loopback && others);
}

TEST(ClockServerValueTest, IsOneWordAnAddress) {
  EXPECT_EQ(clock_server_value({"10.0.0.1", "[2001:db8::1]"}, "4711"), "10.0.0.1:4711 [2001:db8::1]:4711");
  EXPECT_EQ(clock_server_value({}, "4711"), "");
}

TEST(ClockServerValueTest, ReachesRanksThroughTheForkAgent) {
  Injection injection{"/opt/shim.so", "/opt/scope-profiler-agent", "/data/run", "0123"};
  injection.boot_id = "b007";
  const Environment base;
  auto without = plan_changes(base, {"mpiexec", "./a"}, injection);
  injection.clock_server = "10.0.0.1:4711 [2001:db8::1]:4711";
  auto changes = plan_changes(base, {"mpiexec", "./a"}, injection);
  auto expected = without;
  expected.insert(expected.end() - 1, {"SCOPE_PROFILER_CLOCK_SERVER", "10.0.0.1:4711 [2001:db8::1]:4711"});
  expected.insert(expected.end() - 1, {"SCOPE_PROFILER_BOOT_ID", "b007"});
  expected.back().value =
      "/opt/scope-profiler-agent /opt/shim.so SCOPE_PROFILER_RUN_DIR=/data/run SCOPE_PROFILER_RUN_ID=0123 "
      "SCOPE_PROFILER_CLOCK_SERVER=10.0.0.1%3A4711%20%5B2001%3Adb8%3A%3A1%5D%3A4711 SCOPE_PROFILER_BOOT_ID=b007 --";
  EXPECT_EQ(changes, expected);
}
