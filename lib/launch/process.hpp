#pragma once
// Processes: start one as execvp would, hold the signals meant for it, learn how it ended.

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "launch/environment.hpp"

namespace scope::launch {

/// The exit status as a shell shows it: the program's own, 128 + n when signal n ended it.
int exit_code_of(int wait_status);

/// While it lives, the signals that are forwarded, and SIGCHLD, are held back from this process and read from `fd`.
/// Make one per process, before other threads start. Signals that were ignored at the start (nohup) stay ignored and are
/// never seen here.
class SignalGate {
 public:
  SignalGate();
  ~SignalGate();
  SignalGate(const SignalGate &) = delete;
  SignalGate &operator=(const SignalGate &) = delete;

  int fd() const { return fd_; }
  const sigset_t &original_mask() const { return original_mask_; }
  const struct sigaction &original_child_action() const { return original_child_action_; }

 private:
  int fd_ = -1;
  sigset_t original_mask_{};
  struct sigaction original_child_action_ {};
};

/// Whether a request to end (SIGINT, SIGTERM, SIGHUP, SIGQUIT) came since signals were last read. Takes all that wait.
bool end_is_requested(const SignalGate &gate);
/// Whether this signal is one.
bool requests_end(int signal);

/// What becomes of a signal that came to the tool.
enum class Delivery { forward, leave, kill };

/// Pure: decides on each signal of one run, in the order of arrival.
class SignalPolicy {
 public:
  /// `from_terminal`: the kernel sent it (Ctrl-C), and so to every process of the foreground group: the program has it
  /// already. The second SIGINT or SIGTERM that someone sends kills; what comes within 100 ms of the first is the same
  /// request, sent to the process and to its group (timeout(1) does so).
  Delivery on_signal(int signal, bool from_terminal, std::uint64_t now_ns);

 private:
  std::uint64_t first_ns_[2] = {0, 0};
};

/// A program that the user does not talk to: a process group of its own, no standard input, both outputs into a file.
struct Apart {
  std::filesystem::path output;  ///< made, or emptied
  std::uint64_t limit_ns = 0;    ///< after which `supervise` ends it
};

/// Starts the program with these arguments and this environment, in our process group, with our standard streams (or
/// apart), the signal mask and dispositions that the tool was started with. A file that is no executable format is run by
/// /bin/sh, as execvp does. Throws support::Error with code 126 (or 127 if the file has gone).
pid_t spawn(const std::filesystem::path &program, const std::vector<std::string> &arguments, const Environment &environment,
            const SignalGate &gate, const Apart *apart = nullptr);

/// What a program writes to standard output and error, cut at 64 KiB; "" if it can't be run or needs more than 5 s. It
/// gets no standard input.
std::string output_of(const std::filesystem::path &program, const std::vector<std::string> &arguments);

/// CLOCK_MONOTONIC in nanoseconds.
std::uint64_t monotonic_ns();

}  // namespace scope::launch
