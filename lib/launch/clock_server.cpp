#include "launch/clock_server.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include "launch/process.hpp"
#include "launch/run_directory.hpp"
#include "support/error.hpp"
#include "wire/clock_exchange.hpp"

namespace scope::launch {

namespace {

/// As text; "" for what another host could not use.
std::string text_of(const sockaddr *address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address->sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, address, sizeof v4);
    if ((ntohl(v4.sin_addr.s_addr) >> 16) == 0xa9fe) return "";  // 169.254/16, RFC 3927
    return inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size()) ? text.data() : "";
  }
  if (address->sa_family != AF_INET6) return "";
  sockaddr_in6 v6{};
  std::memcpy(&v6, address, sizeof v6);
  if (IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr) || IN6_IS_ADDR_MULTICAST(&v6.sin6_addr)) return "";
  return inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size()) ? '[' + std::string(text.data()) + ']' : "";
}

/// Answers leave from the address that the question came to: hosts with several drop them otherwise.
struct alignas(cmsghdr) PacketInfo {
  char space[CMSG_SPACE(sizeof(in6_pktinfo)) + CMSG_SPACE(sizeof(in_pktinfo))];
};

/// The interface is the routing's choice.
void forget_interface(msghdr &message) {
  for (auto *part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    unsigned none = 0;
    if (part->cmsg_level == IPPROTO_IPV6 && part->cmsg_type == IPV6_PKTINFO)
      std::memcpy(CMSG_DATA(part) + offsetof(in6_pktinfo, ipi6_ifindex), &none, sizeof none);
    if (part->cmsg_level == IPPROTO_IP && part->cmsg_type == IP_PKTINFO)
      std::memcpy(CMSG_DATA(part) + offsetof(in_pktinfo, ipi_ifindex), &none, sizeof none);
  }
}

bool bind_to_any(int socket, bool v6) {
  const int on = 1, off = 0;
  if (v6) {
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    setsockopt(socket, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof on);
    return setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) == 0 &&
           bind(socket, reinterpret_cast<const sockaddr *>(&any), sizeof any) == 0;
  }
  sockaddr_in any{};
  any.sin_family = AF_INET;
  setsockopt(socket, IPPROTO_IP, IP_PKTINFO, &on, sizeof on);
  return bind(socket, reinterpret_cast<const sockaddr *>(&any), sizeof any) == 0;
}

}  // namespace

std::vector<std::string> host_addresses() {
  std::vector<std::string> v4, v6, loopback;
  ifaddrs *all = nullptr;
  if (getifaddrs(&all) != 0) return {};
  for (auto *one = all; one; one = one->ifa_next) {
    constexpr unsigned usable = IFF_UP | IFF_RUNNING;  // a bridge of containers that don't run is up only
    if (!one->ifa_addr || (one->ifa_flags & usable) != usable) continue;
    auto text = text_of(one->ifa_addr);
    if (text.empty()) continue;
    auto &list = one->ifa_flags & IFF_LOOPBACK ? loopback : one->ifa_addr->sa_family == AF_INET ? v4 : v6;
    if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
  }
  freeifaddrs(all);
  // Bridges of containers can be many; neither family must push the other out.
  const std::size_t limit = wire::clock_address_limit;
  v4.resize(std::min(v4.size(), limit - std::min(v6.size(), limit / 2)));
  v4.insert(v4.end(), v6.begin(), v6.end());
  if (v4.empty()) v4 = loopback;
  v4.resize(std::min(v4.size(), limit));
  return v4;
}

std::string clock_server_value(const std::vector<std::string> &addresses, std::string_view port) {
  std::string value;
  for (const auto &address : addresses) ((((value += value.empty() ? "" : " ") += address) += ':') += port);
  return value;
}

ClockServer::ClockServer(const std::string &run_id, std::filesystem::path run_directory)
    : key_(wire::clock_key(run_id.c_str())), run_directory_(std::move(run_directory)) {
  stop_ = eventfd(0, EFD_CLOEXEC);
  if (stop_ < 0 || !open_socket()) {
    problem_ = support::errno_text(errno);
    return;
  }
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  try {
    thread_ = std::thread([this] { answer_all(); });
  } catch (const std::system_error &error) {
    problem_ = support::errno_text(error.code().value());
    port_ = 0;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ClockServer::~ClockServer() {
  if (thread_.joinable()) {
    eventfd_write(stop_, 1);
    thread_.join();
  }
  if (socket_ >= 0) close(socket_);
  if (stop_ >= 0) close(stop_);
}

/// One socket for both families; for IPv4 alone where the kernel has no IPv6. False with errno.
bool ClockServer::open_socket() {
  for (bool v6 : {true, false}) {
    socket_ = socket(v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (socket_ < 0) continue;
    sockaddr_storage bound{};
    socklen_t size = sizeof bound;
    if (bind_to_any(socket_, v6) && getsockname(socket_, reinterpret_cast<sockaddr *>(&bound), &size) == 0) {
      in_port_t port;  // at the same place in both forms of an address
      static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
      std::memcpy(&port, reinterpret_cast<const char *>(&bound) + offsetof(sockaddr_in, sin_port), sizeof port);
      port_ = ntohs(port);
      return true;
    }
    int error = errno;
    close(socket_);
    socket_ = -1;
    errno = error;
  }
  return false;
}

/// The thread. What goes wrong with one packet is nothing to it; it ends when asked to, or when its socket is of no use any more.
void ClockServer::answer_all() const {
  for (int failures = 0; failures < 1000;) {
    pollfd waits[2] = {{socket_, POLLIN, 0}, {stop_, POLLIN, 0}};
    if (poll(waits, 2, -1) < 0 && errno != EINTR) return;
    if (waits[1].revents) return;
    if (waits[0].revents) failures = answer_one() ? 0 : failures + 1;
  }
}

/// False where nobody asked for such notices.
bool ClockServer::note(const wire::AwayNotice &notice) const {
  if (run_directory_.empty()) return false;
  auto text = [](const char *from, std::size_t size) {
    std::string result(from, strnlen(from, size));
    std::replace_if(result.begin(), result.end(), [](char c) { return c == '\n'; }, '?');
    return result;
  };
  note_away_host(run_directory_, {text(notice.host, sizeof notice.host), text(notice.boot_id, sizeof notice.boot_id),
                                  text(notice.directory, sizeof notice.directory)});
  return true;
}

/// False when there was no packet.
bool ClockServer::answer_one() const {
  union {
    wire::ClockQuestion question;
    wire::AwayNotice notice;
  } packet{};
  wire::ClockQuestion &question = packet.question;
  sockaddr_storage asker{};
  PacketInfo control{};
  iovec part{&packet, sizeof packet};
  msghdr message{};
  message.msg_name = &asker;
  message.msg_namelen = sizeof asker;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.space;
  message.msg_controllen = sizeof control.space;
  ssize_t got = recvmsg(socket_, &message, MSG_DONTWAIT);
  if (got < 0) return false;
  wire::ClockAnswer answer{wire::clock_answer_magic, question.sequence, monotonic_ns(), 0};
  const bool truncated = message.msg_flags & MSG_TRUNC;
  // Magic, key and sequence are at the same places in both.
  const bool asks = got == sizeof question && question.magic == wire::clock_question_magic;
  const bool tells = got == sizeof packet.notice && question.magic == wire::away_notice_magic;
  if (truncated || !(asks || tells) || question.key != key_) return true;
  if (tells && !note(packet.notice)) return true;
  forget_interface(message);
  message.msg_flags = 0;
  part = {&answer, sizeof answer};
  answer.sent_ns = monotonic_ns();
  sendmsg(socket_, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  return true;
}

}  // namespace scope::launch
