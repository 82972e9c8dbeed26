#include "launch/rank_watch.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <utility>

#include "launch/process.hpp"
#include "wire/contract.hpp"

namespace scope::launch {

namespace {

template <typename Number>
bool parse_number(std::string_view text, Number &value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// PIDFD_GET_INFO of <linux/pidfd.h>, Linux 6.13; the exit status of a process that its parent has waited for, 6.15. Debian
/// 12's headers know neither.
struct PidfdInfo {
  std::uint64_t mask, cgroup;
  std::uint32_t pid, tgid, ppid, ids[8];
  std::int32_t exit_code;
};
static_assert(sizeof(PidfdInfo) == 64);
constexpr std::uint64_t info_exit = 8;
constexpr unsigned long get_info = _IOWR(0xFF, 11, PidfdInfo);

std::optional<ProcessStat> stat_of(std::int64_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(in, line, '\0');  // the program's name may hold a line feed
  return parse_process_stat(line);
}

/// The parent waits for the rank at any time: before that the zombie tells, after it newer kernels do.
std::optional<int> status_of(const BlockName &name, int pidfd) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    auto stat = stat_of(name.pid);
    if (stat && stat->start_time == name.start_time && stat->state == 'Z') return stat->exit_code;
    PidfdInfo info{};
    info.mask = info_exit;
    if (ioctl(pidfd, get_info, &info) == 0 && (info.mask & info_exit)) return info.exit_code;
  }
  return std::nullopt;
}

std::size_t descriptor_limit() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) ? 64 : static_cast<std::size_t>(std::min<rlim_t>(limit.rlim_cur / 2, 1 << 20));
}

}  // namespace

namespace {

std::optional<BlockName> parse_name(std::string_view name, std::string_view prefix) {
  std::string_view suffix = wire::live_suffix;
  if (name.size() < prefix.size() + suffix.size() || !name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  name.remove_suffix(suffix.size());
  auto second = name.rfind('-');
  if (second == std::string_view::npos || second == 0) return std::nullopt;
  auto first = name.rfind('-', second - 1);
  if (first == std::string_view::npos || first == 0) return std::nullopt;
  BlockName result{std::string(name.substr(0, first)), 0, 0};
  if (!parse_number(name.substr(first + 1, second - first - 1), result.pid) || result.pid <= 0) return std::nullopt;
  if (!parse_number(name.substr(second + 1), result.start_time)) return std::nullopt;
  return result;
}

}  // namespace

std::optional<BlockName> parse_block_name(std::string_view name) { return parse_name(name, wire::live_prefix); }

std::optional<ProcessStat> parse_process_stat(std::string_view line) {
  auto after_name = line.rfind(')');
  if (after_name == std::string_view::npos) return std::nullopt;
  line.remove_prefix(after_name + 1);
  ProcessStat result;
  int field = 2;  // of the name
  while (true) {
    auto begin = line.find_first_not_of(" \n");
    if (begin == std::string_view::npos) return std::nullopt;
    line.remove_prefix(begin);
    auto word = line.substr(0, line.find_first_of(" \n"));
    line.remove_prefix(word.size());
    ++field;
    if (field == 3) result.state = word.front();
    if (field == 22 && !parse_number(word, result.start_time)) return std::nullopt;
    if (field == 52) return parse_number(word, result.exit_code) ? std::optional(result) : std::nullopt;
  }
}

std::string host_name() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return host.data();
}

BlockName own_name() {
  auto stat = stat_of(getpid());
  return {host_name(), getpid(), stat ? stat->start_time : 0};
}

bool is_alive(const BlockName &name) {
  auto stat = stat_of(name.pid);
  return stat && stat->start_time == name.start_time && stat->state != 'Z' && stat->state != 'X';
}

RankWatch::RankWatch(std::filesystem::path directory) : directory_(std::move(directory)), limit_(descriptor_limit()) {
  host_ = host_name();
  epoll_ = epoll_create1(EPOLL_CLOEXEC);
  inotify_ = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (epoll_ < 0 || inotify_ < 0 || inotify_add_watch(inotify_, directory_.c_str(), IN_CREATE | IN_MOVED_TO) < 0) return;
  epoll_event event{EPOLLIN, {.fd = inotify_}};
  epoll_ctl(epoll_, EPOLL_CTL_ADD, inotify_, &event);
}

RankWatch::~RankWatch() {
  for (const auto &[pidfd, rank] : alive_) close(pidfd);
  if (inotify_ >= 0) close(inotify_);
  if (epoll_ >= 0) close(epoll_);
}

void RankWatch::add(const std::string &file_name) {
  auto name = parse_block_name(file_name);
  if (!name) name = parse_name(file_name, wire::region_prefix);
  if (!name || name->host != host_ || alive_.size() >= limit_) return;
  auto same = [&](const auto &rank) { return rank.second.name == *name; };
  if (std::any_of(alive_.begin(), alive_.end(), same)) return;
  int pidfd = static_cast<int>(syscall(SYS_pidfd_open, static_cast<pid_t>(name->pid), 0));  // sets FD_CLOEXEC
  if (pidfd < 0) return;
  auto stat = stat_of(name->pid);
  epoll_event event{EPOLLIN, {.fd = pidfd}};
  if (!stat || stat->start_time != name->start_time || epoll_ctl(epoll_, EPOLL_CTL_ADD, pidfd, &event)) {
    close(pidfd);
    return;
  }
  alive_.emplace(pidfd, Watched{*name, pidfd});
}

void RankWatch::end(const Watched &rank) {
  ends_.push_back(
      {rank.name.host, rank.name.pid, rank.name.start_time, order_, status_of(rank.name, rank.pidfd), monotonic_ns()});
  close(rank.pidfd);
}

void RankWatch::read_new_names() {
  alignas(inotify_event) char buffer[16 << 10];
  for (ssize_t got; (got = read(inotify_, buffer, sizeof buffer)) > 0;) {
    for (ssize_t at = 0; at < got;) {
      inotify_event event{};
      std::memcpy(&event, buffer + at, sizeof event);
      if (event.len) add(buffer + at + sizeof event);
      if (event.mask & IN_Q_OVERFLOW) {
        std::error_code error;
        for (const auto &entry : std::filesystem::directory_iterator(directory_, error)) add(entry.path().filename().string());
      }
      at += static_cast<ssize_t>(sizeof event + event.len);
    }
  }
}

void RankWatch::handle_events() {
  std::array<epoll_event, 256> events{};
  bool ended = false;
  for (bool more = epoll_ >= 0; more;) {
    int count = epoll_wait(epoll_, events.data(), events.size(), 0);
    more = false;
    for (int i = 0; i < count; ++i) {
      auto rank = alive_.find(events[static_cast<std::size_t>(i)].data.fd);
      if (rank == alive_.end()) continue;  // the inotify descriptor
      end(rank->second);
      alive_.erase(rank);
      ended = true;
      more = count == static_cast<int>(events.size());
    }
  }
  if (ended) ++order_;
  if (inotify_ >= 0) read_new_names();
}

void RankWatch::wait_for_ends(std::uint64_t patience_ns) {
  auto deadline = monotonic_ns() + patience_ns;
  handle_events();
  for (auto now = monotonic_ns(); !alive_.empty() && now < deadline; now = monotonic_ns()) {
    pollfd wait{epoll_, POLLIN, 0};
    poll(&wait, 1, static_cast<int>((deadline - now) / 1'000'000) + 1);
    handle_events();
  }
  handle_events();  // ranks whose live block was seen just now
}

void RankWatch::signal_all(int signal) {
  for (const auto &[pidfd, rank] : alive_) syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0);
}

std::vector<RankEnd> RankWatch::take_ends() { return std::exchange(ends_, {}); }

}  // namespace scope::launch
