#include "launch/supervise.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

namespace scope::launch {

namespace {

/// Ranks outlive a launcher that was killed, or that gave up (hydra after an abort), for a moment. After a good end nobody
/// waits: what still runs then is meant to.
constexpr std::uint64_t patience_ns = 2'000'000'000;

/// Between the request to end and the end by force of a program that its timer ended.
constexpr std::uint64_t grace_ns = 5'000'000'000;

/// The program, and whom signals for it go to: kill's first argument.
struct Child {
  pid_t pid;
  bool apart;
  pid_t target() const { return apart ? -pid : pid; }
};

/// When a program that was started apart is asked to end (SIGTERM), and when it is made to.
struct TimeLimit {
  std::uint64_t end_ns = 0;  ///< 0: never
  int signal = SIGTERM;
};

/// A terminal's signals come from the kernel, and to the whole foreground group; everything that a process sent has another code. A
/// group of its own is not the terminal's. When the terminal is closed, only the leader of its session hears of that (as with
/// `ssh -t host scope-profiler run ...`).
bool program_has_it(const signalfd_siginfo &info, const Child &child) {
  bool leader_only = info.ssi_signo == SIGHUP && getsid(0) == getpid();
  return info.ssi_code == SI_KERNEL && !child.apart && !leader_only;
}

void pass_on(const signalfd_siginfo &info, const Child &child, SignalPolicy &policy) {
  int signal = static_cast<int>(info.ssi_signo);
  switch (policy.on_signal(signal, program_has_it(info, child), monotonic_ns())) {
    case Delivery::forward: kill(child.target(), signal); break;
    case Delivery::kill: kill(child.target(), SIGKILL); break;
    case Delivery::leave: break;
  }
}

/// Reads all signals that wait; the child's status once it has ended.
std::optional<int> handle_signals(const SignalGate &gate, const Child &child, SignalPolicy &policy, Outcome &outcome) {
  std::optional<int> ended;
  signalfd_siginfo info{};
  while (read(gate.fd(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo != SIGCHLD) {
      if (outcome.signal == 0) outcome.signal = static_cast<int>(info.ssi_signo);
      if (!ended) pass_on(info, child, policy);
      continue;
    }
    int status = 0;
    if (waitpid(child.pid, &status, WNOHANG) == child.pid) ended = status;
  }
  return ended;
}

/// For poll. 0: never.
int milliseconds_left(std::uint64_t end_ns) {
  if (end_ns == 0) return -1;
  auto now = monotonic_ns();
  return now >= end_ns ? 0 : static_cast<int>((end_ns - now) / 1'000'000) + 1;
}

std::uint64_t earlier(std::uint64_t a_ns, std::uint64_t b_ns) {
  return a_ns == 0 || b_ns == 0 ? a_ns + b_ns : std::min(a_ns, b_ns);
}

/// The caller's timer, and the end that it may bring.
class Alarm {
 public:
  explicit Alarm(const Timer *timer) : timer_(timer) { set_next(); }
  std::uint64_t next_ns() const { return next_ns_; }
  bool fired() const { return fired_; }

  void check(const Child &child) {
    if (next_ns_ == 0 || monotonic_ns() < next_ns_) return;
    if (fired_) {
      kill(child.target(), SIGKILL);
      next_ns_ = 0;
    } else if (timer_->tick()) {
      set_next();
    } else {
      fired_ = true;
      kill(child.target(), SIGTERM);
      next_ns_ = monotonic_ns() + grace_ns;
    }
  }

 private:
  void set_next() { next_ns_ = timer_ ? monotonic_ns() + timer_->period_ns : 0; }
  const Timer *timer_;
  std::uint64_t next_ns_ = 0;
  bool fired_ = false;
};

/// Ranks may be left over where the program was a script: its launcher knows of nothing.
void end_ranks(RankWatch &watch) {
  for (int signal : {SIGTERM, SIGKILL}) {
    watch.signal_all(signal);
    watch.wait_for_ends(grace_ns);
  }
}

void enforce(TimeLimit &limit, const Child &child, Outcome &outcome) {
  if (limit.end_ns == 0 || monotonic_ns() < limit.end_ns) return;
  outcome.timed_out = true;
  kill(child.target(), limit.signal);
  limit = {monotonic_ns() + patience_ns, SIGKILL};
}

}  // namespace

Outcome supervise(const Command &command, const std::filesystem::path &watched, const SignalGate &gate, const Timer *timer) {
  std::optional<RankWatch> watch;
  if (!watched.empty()) watch.emplace(watched);
  const Apart *apart = command.apart ? &*command.apart : nullptr;
  const Child child{spawn(command.program, command.arguments, command.environment, gate, apart), apart != nullptr};
  TimeLimit limit;
  if (apart) limit.end_ns = monotonic_ns() + apart->limit_ns;
  Outcome outcome;
  SignalPolicy policy;
  Alarm alarm(timer);
  std::optional<int> ended;
  while (!ended) {
    pollfd waits[2] = {{gate.fd(), POLLIN, 0}, {watch ? watch->fd() : -1, POLLIN, 0}};
    if (poll(waits, 2, milliseconds_left(earlier(limit.end_ns, alarm.next_ns()))) < 0 && errno != EINTR) break;
    if (watch && waits[1].revents) watch->handle_events();
    ended = handle_signals(gate, child, policy, outcome);
    if (!ended) enforce(limit, child, outcome);
    if (!ended) alarm.check(child);
  }
  if (ended) outcome.wait_status = *ended;
  else waitpid(child.pid, &outcome.wait_status, 0);
  if (watch) {
    watch->wait_for_ends(outcome.wait_status ? patience_ns : 0);
    if (alarm.fired()) end_ranks(*watch);
    outcome.rank_ends = watch->take_ends();
    for (auto &end : outcome.rank_ends) {
      if (end.pid == child.pid) end.wait_status = outcome.wait_status;  // a singleton: it is the command itself
    }
  }
  return outcome;
}

}  // namespace scope::launch
