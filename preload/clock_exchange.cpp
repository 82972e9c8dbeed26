#include "clock_exchange.hpp"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.hpp"
#include "memory.hpp"
#include "procfs.hpp"
#include "wire/clock_exchange.hpp"
#include "wire/contract.hpp"

namespace scope::preload {

namespace {

// Programs have functions called send, connect and poll, which would come before the C library's; these would be points of
// cancellation, too. So the kernel is asked directly.

int open_socket(int domain) { return static_cast<int>(syscall(SYS_socket, domain, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)); }

bool wait_readable(int socket, std::uint64_t until_ns) {
  std::uint64_t time = monotonic_ns();
  if (time >= until_ns) return false;
  timespec left{static_cast<time_t>((until_ns - time) / 1000000000u), static_cast<long>((until_ns - time) % 1000000000u)};
  pollfd wait{socket, POLLIN, 0};
  syscall(SYS_ppoll, &wait, 1, &left, nullptr, 0);
  return true;  // or interrupted, or the time is over: the caller looks
}

constexpr std::uint64_t patience_ns = 200'000'000;  // for everything, if nobody answers
constexpr std::uint64_t notice_patience_ns = 500'000'000;
constexpr std::uint64_t round_ns = 50'000'000;      // for one answer: packets get lost
constexpr int rounds = 16;
constexpr unsigned address_limit = wire::clock_address_limit;

/// Where to ask: IPv6 addresses, IPv4 in its mapped form (RFC 4291, 2.5.5.2).
struct Servers {
  sockaddr_in6 addresses[address_limit];
  unsigned count;
};

/// "10.0.0.1:4711" or "[2001:db8::1]:4711", `length` characters.
bool parse_address(const char *text, std::size_t length, sockaddr_in6 &address) {
  char host[64] = "::ffff:";
  std::size_t at = length;
  while (at > 0 && text[at - 1] != ':') --at;
  if (at < 2) return false;
  bool v6 = text[0] == '[' && text[at - 2] == ']';
  std::size_t used = v6 ? 0 : strlen(host), host_length = at - 1 - (v6 ? 2 : 0);
  if (host_length >= sizeof host - used) return false;
  memcpy(host + used, text + (v6 ? 1 : 0), host_length);
  host[used + host_length] = 0;
  unsigned long port = strtoul(text + at, nullptr, 10);
  memset(&address, 0, sizeof address);
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(static_cast<std::uint16_t>(port));
  return port > 0 && port < 65536 && inet_pton(AF_INET6, host, &address.sin6_addr) == 1;
}

void parse_addresses(const char *text, Servers &servers) {
  while (*text && servers.count < address_limit) {
    std::size_t length = strcspn(text, " ");
    if (parse_address(text, length, servers.addresses[servers.count])) ++servers.count;
    text += length;
    text += strspn(text, " ");
  }
}

/// What the environment said before MPI_Init: the program may change it later.
const Servers &find_servers(const char *own_boot_id) {
  static Servers servers;
  static bool looked;
  if (looked) return servers;
  looked = true;
  const char *text = environment(wire::env_clock_server), *boot_id = environment(wire::env_boot_id);
  if (text && boot_id && *own_boot_id && strcmp(boot_id, own_boot_id) != 0) parse_addresses(text, servers);
  return servers;
}

/// One process of a node gets true. The run directory may be shared by all nodes or by the processes of one.
bool claim(const wire::TraceHeader &header, int which, const char *run_dir) {
  char path[4096];
  copy_text(path, sizeof path, run_dir);
  append_text(path, sizeof path, "/");
  append_text(path, sizeof path, wire::clock_prefix);
  append_text(path, sizeof path, header.boot_id);
  append_text(path, sizeof path, which ? "-1" : "-0");
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return false;
  close(file);
  return true;
}

class Dialogue {
 public:
  Dialogue(const Servers &servers, const char *run_id, std::uint64_t patience = patience_ns) : servers_(servers), key_(wire::clock_key(run_id)) {
    socket_ = open_socket(AF_INET6);
    mapped_ = socket_ >= 0;
    int off = 0;
    if (mapped_) syscall(SYS_setsockopt, socket_, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    else socket_ = open_socket(AF_INET);
    if (syscall(SYS_getrandom, &sequence_, sizeof sequence_, GRND_NONBLOCK) != sizeof sequence_) sequence_ = realtime_ns();
    end_ns_ = monotonic_ns() + patience;
  }
  ~Dialogue() {
    if (socket_ >= 0) close(socket_);
  }
  Dialogue(const Dialogue &) = delete;
  Dialogue &operator=(const Dialogue &) = delete;

  bool measure(wire::ClockOffset &best) {
    best.at_ns = 0;
    unsigned server = 0;
    if (socket_ < 0 || !find_reachable(server)) return false;
    for (int round = 0; round < rounds && monotonic_ns() < end_ns_; ++round) {
      std::uint64_t asked = 0, heard = 0;
      wire::ClockAnswer answer;
      ++sequence_;
      if (ask(server, sequence_, asked) && hear(sequence_, 1, answer, heard)) take(asked, answer, heard, best);
    }
    return best.at_ns != 0;
  }

  /// Until one of the addresses has answered.
  void tell(wire::AwayNotice &notice) {
    notice_ = &notice;
    unsigned server = 0;
    if (socket_ >= 0) find_reachable(server);
  }

 private:
  /// All addresses are tried together; the one whose answer is here first is the nearest.
  bool find_reachable(unsigned &server) {
    const std::uint64_t base = sequence_;
    sequence_ += servers_.count;
    while (monotonic_ns() < end_ns_) {
      bool sent = false;
      std::uint64_t asked = 0, heard = 0;
      wire::ClockAnswer answer;
      for (unsigned i = 0; i < servers_.count; ++i) sent = ask(i, base + i, asked) || sent;
      if (!sent) return false;
      if (!hear(base, servers_.count, answer, heard)) continue;
      server = static_cast<unsigned>(answer.sequence - base);
      return true;
    }
    return false;
  }

  bool ask(unsigned server, std::uint64_t sequence, std::uint64_t &asked_ns) {
    const sockaddr_in6 &address = servers_.addresses[server];
    sockaddr_in v4{};
    const void *to = &address;
    std::size_t size = sizeof address;
    if (!mapped_) {
      if (!IN6_IS_ADDR_V4MAPPED(&address.sin6_addr)) return false;
      v4.sin_family = AF_INET;
      v4.sin_port = address.sin6_port;
      memcpy(&v4.sin_addr, address.sin6_addr.s6_addr + 12, sizeof v4.sin_addr);
      to = &v4;
      size = sizeof v4;
    }
    wire::ClockQuestion question{wire::clock_question_magic, key_, sequence, 0};
    const void *packet = &question;
    std::size_t packet_size = sizeof question;
    if (notice_) {
      notice_->key = key_;
      notice_->sequence = sequence;
      packet = notice_;
      packet_size = sizeof *notice_;
    }
    asked_ns = monotonic_ns();
    return syscall(SYS_sendto, socket_, packet, packet_size, MSG_NOSIGNAL, to, size) == static_cast<long>(packet_size);
  }

  /// The answer to one of `count` questions from `first` on. What comes late, or from elsewhere, is passed over.
  bool hear(std::uint64_t first, unsigned count, wire::ClockAnswer &answer, std::uint64_t &heard_ns) {
    std::uint64_t until = monotonic_ns() + round_ns;
    if (until > end_ns_) until = end_ns_;
    while (wait_readable(socket_, until)) {
      long got = syscall(SYS_recvfrom, socket_, &answer, sizeof answer, MSG_DONTWAIT | MSG_TRUNC, nullptr, nullptr);
      heard_ns = monotonic_ns();
      if (got == sizeof answer && answer.magic == wire::clock_answer_magic && answer.sequence - first < count) return true;
    }
    return false;
  }

  /// With T1 asked, T2 and T3 the server's two stamps and T4 heard (RFC 5905, section 8): the offset is
  /// ((T2 - T1) + (T3 - T4)) / 2, and it is right within half the round trip (T4 - T1) - (T3 - T2), however that is shared between
  /// the two ways. The shortest of several says most (F. Cristian, Probabilistic clock synchronization, Distributed Computing 3,
  /// 1989).
  static void take(std::uint64_t asked, const wire::ClockAnswer &answer, std::uint64_t heard, wire::ClockOffset &best) {
    std::int64_t there = static_cast<std::int64_t>(answer.received_ns - asked);
    std::int64_t back = static_cast<std::int64_t>(answer.sent_ns - heard);
    std::int64_t trip = there - back;
    if (answer.sent_ns < answer.received_ns || trip < 0) return;
    std::uint64_t error = (static_cast<std::uint64_t>(trip) + 1) / 2;
    if (best.at_ns && best.error_ns <= error) return;
    best = {asked + (heard - asked) / 2, back + trip / 2, error};
  }

  const Servers &servers_;
  wire::AwayNotice *notice_ = nullptr;  ///< to be sent in place of questions
  std::uint64_t key_, sequence_ = 0, end_ns_ = 0;
  int socket_;
  bool mapped_;  ///< IPv4 goes through the IPv6 socket
};

}  // namespace

bool exchange_clock(wire::TraceHeader &header, int which, const char *run_dir) {
  KeepErrno keep;
  const Servers &servers = find_servers(header.boot_id);
  if (!servers.count || !claim(header, which, run_dir)) return false;
  wire::ClockOffset offset{};
  if (Dialogue(servers, header.run_id).measure(offset)) {
    header.offsets[which] = offset;
    return true;
  }
  if (which == 0) claim(header, 1, run_dir);  // a firewall between us will be there later, too
  return false;
}

void tell_away(const char *run_id, const char *boot_id, const char *host, const char *directory) {
  KeepErrno keep;
  Servers servers{};
  if (const char *text = environment(wire::env_clock_server)) parse_addresses(text, servers);
  if (!servers.count) return;
  wire::AwayNotice notice{};
  notice.magic = wire::away_notice_magic;
  copy_text(notice.boot_id, sizeof notice.boot_id, boot_id);
  copy_text(notice.host, sizeof notice.host, host);
  copy_text(notice.directory, sizeof notice.directory, directory);
  Dialogue(servers, run_id, notice_patience_ns).tell(notice);
}

}  // namespace scope::preload
