#include "launch/supervise.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

namespace scope::launch {

namespace {

/// Ranks outlive a launcher that was killed, or that gave up (hydra after an abort), for a moment. After a good end nobody
/// waits: what still runs then is meant to.
constexpr std::uint64_t patience_ns = 2'000'000'000;

void pass_on(const signalfd_siginfo &info, pid_t child, SignalPolicy &policy) {
  int signal = static_cast<int>(info.ssi_signo);
  // A terminal's signals come from the kernel; everything that a process sent has another code.
  switch (policy.on_signal(signal, info.ssi_code == SI_KERNEL, monotonic_ns())) {
    case Delivery::forward: kill(child, signal); break;
    case Delivery::kill: kill(child, SIGKILL); break;
    case Delivery::leave: break;
  }
}

/// Reads all signals that wait; the child's status once it has ended.
std::optional<int> handle_signals(const SignalGate &gate, pid_t child, SignalPolicy &policy) {
  std::optional<int> ended;
  signalfd_siginfo info{};
  while (read(gate.fd(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo != SIGCHLD) {
      if (!ended) pass_on(info, child, policy);
      continue;
    }
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) ended = status;
  }
  return ended;
}

}  // namespace

Outcome supervise(const Command &command, const std::filesystem::path &watched, const SignalGate &gate) {
  std::optional<RankWatch> watch;
  if (!watched.empty()) watch.emplace(watched);
  pid_t child = spawn(command.program, command.arguments, command.environment, gate);
  SignalPolicy policy;
  std::optional<int> ended;
  while (!ended) {
    pollfd waits[2] = {{gate.fd(), POLLIN, 0}, {watch ? watch->fd() : -1, POLLIN, 0}};
    if (poll(waits, 2, -1) < 0 && errno != EINTR) break;
    if (watch && waits[1].revents) watch->handle_events();
    ended = handle_signals(gate, child, policy);
  }
  Outcome outcome;
  if (ended) outcome.wait_status = *ended;
  else waitpid(child, &outcome.wait_status, 0);
  if (watch) {
    watch->wait_for_ends(outcome.wait_status ? patience_ns : 0);
    outcome.rank_ends = watch->take_ends();
    for (auto &end : outcome.rank_ends) {
      if (end.pid == child) end.wait_status = outcome.wait_status;  // a singleton: it is the command itself
    }
  }
  return outcome;
}

}  // namespace scope::launch
