#include "launch/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <fstream>

#include "support/error.hpp"

namespace scope::launch {

using support::Error;

namespace {

constexpr int tool_fault = 125, not_executable = 126, not_found = 127;
constexpr std::array forwarded{SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
constexpr std::uint64_t same_request_ns = 100'000'000;

std::vector<char *> pointers(const std::vector<std::string> &words) {
  std::vector<char *> result;
  for (const auto &word : words) result.push_back(const_cast<char *>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

[[noreturn]] void exec_failed(const std::filesystem::path &program, int error) {
  std::string message = "cannot execute '" + program.string() + "': " + support::errno_text(error) + ".";
  std::error_code ignored;
  if (error == ENOENT && std::filesystem::exists(program, ignored)) {
    // The file is there, so what is missing is the interpreter that its first line or its ELF header names.
    std::string line;
    std::ifstream in(program);
    if (std::getline(in, line); line.starts_with("#!"))
      message += " Its first line names the interpreter: " + line.substr(2) + ".";
    else message += " Its dynamic loader is not installed here.";
    throw Error(message, not_executable);
  }
  throw Error(message, error == ENOENT ? not_found : not_executable);
}

/// In the child of fork. Only async-signal-safe calls.
void set_apart(int output) {
  setpgid(0, 0);
  int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (input >= 0) dup2(input, 0);
  dup2(output, 1);
  dup2(output, 2);
}

/// In the child of fork. Only async-signal-safe calls.
void exec_in_child(const char *program, char *const *arguments, char *const *shell_arguments, char *const *environment,
                   const SignalGate &gate, int error_pipe) {
  sigaction(SIGCHLD, &gate.original_child_action(), nullptr);
  sigprocmask(SIG_SETMASK, &gate.original_mask(), nullptr);
  execve(program, arguments, environment);
  if (errno == ENOEXEC) execve("/bin/sh", shell_arguments, environment);
  int error = errno;
  [[maybe_unused]] auto written = write(error_pipe, &error, sizeof error);
  _exit(not_found);
}

/// Where a program that is started apart writes to.
struct OutputFile {
  int fd = -1;
  explicit OutputFile(const Apart *apart) {
    if (!apart) return;
    fd = open(apart->output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) throw Error("cannot write '" + apart->output.string() + "': " + support::errno_text(errno), tool_fault);
  }
  ~OutputFile() {
    if (fd >= 0) close(fd);
  }
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;
};

}  // namespace

int exit_code_of(int wait_status) { return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status); }

std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

SignalGate::SignalGate() {
  sigset_t held;
  sigemptyset(&held);
  for (int signal : forwarded) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&held, signal);
  }
  // An ignored SIGCHLD would take the program's exit status away from us; the child gets it back.
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &standard, &original_child_action_);
  sigaddset(&held, SIGCHLD);
  sigprocmask(SIG_BLOCK, &held, &original_mask_);
  fd_ = signalfd(-1, &held, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd_ < 0) throw Error("cannot receive signals: " + support::errno_text(errno), tool_fault);
}

bool requests_end(int signal) { return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT; }

bool end_is_requested(const SignalGate &gate) {
  bool requested = false;
  signalfd_siginfo info{};
  while (read(gate.fd(), &info, sizeof info) == sizeof info) requested = requested || requests_end(static_cast<int>(info.ssi_signo));
  return requested;
}

SignalGate::~SignalGate() {
  // What came after the program had ended was meant for the program; it must not end the tool now.
  signalfd_siginfo late{};
  while (read(fd_, &late, sizeof late) == sizeof late) continue;
  close(fd_);
  sigaction(SIGCHLD, &original_child_action_, nullptr);
  sigprocmask(SIG_SETMASK, &original_mask_, nullptr);
}

Delivery SignalPolicy::on_signal(int signal, bool from_terminal, std::uint64_t now_ns) {
  if (from_terminal) return Delivery::leave;
  if (signal != SIGINT && signal != SIGTERM) return Delivery::forward;
  auto &first = first_ns_[signal == SIGTERM];
  if (first == 0) {
    first = now_ns;
    return Delivery::forward;
  }
  return now_ns - first < same_request_ns ? Delivery::leave : Delivery::kill;
}

pid_t spawn(const std::filesystem::path &program, const std::vector<std::string> &arguments, const Environment &environment,
            const SignalGate &gate, const Apart *apart) {
  std::vector<std::string> shell_words{"/bin/sh", program.string()};
  shell_words.insert(shell_words.end(), arguments.begin() + 1, arguments.end());
  auto argv = pointers(arguments), shell_argv = pointers(shell_words), envp = pointers(environment);
  OutputFile output(apart);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) throw Error("cannot start the program: " + support::errno_text(errno), tool_fault);
  // fork and not posix_spawn: that could not give an ignored SIGCHLD back to the child.
  pid_t pid = fork();
  if (pid == 0 && apart) set_apart(output.fd);
  if (pid == 0) exec_in_child(program.c_str(), argv.data(), shell_argv.data(), envp.data(), gate, ends[1]);
  int fork_error = errno;
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    throw Error("cannot start the program: " + support::errno_text(fork_error), tool_fault);
  }
  int error = 0;
  ssize_t got = 0;
  do got = read(ends[0], &error, sizeof error);
  while (got < 0 && errno == EINTR);
  close(ends[0]);
  if (got == sizeof error) {
    waitpid(pid, nullptr, 0);
    exec_failed(program, error);
  }
  return pid;
}

std::string output_of(const std::filesystem::path &program, const std::vector<std::string> &arguments) {
  constexpr std::size_t limit = 64 << 10;
  constexpr std::uint64_t patience_ns = 5'000'000'000;
  std::vector<std::string> words{program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  pid_t pid = 0;
  int failed = posix_spawn(&pid, program.c_str(), &actions, nullptr, pointers(words).data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  auto deadline = monotonic_ns() + patience_ns;
  while (!failed && text.size() < limit) {
    auto now = monotonic_ns();
    pollfd wait{ends[0], POLLIN, 0};
    if (now >= deadline || poll(&wait, 1, static_cast<int>((deadline - now) / 1'000'000) + 1) <= 0) break;
    char buffer[4096];
    auto got = read(ends[0], buffer, sizeof buffer);
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  close(ends[0]);
  if (!failed) {
    if (monotonic_ns() >= deadline || text.size() >= limit) kill(pid, SIGKILL), text.clear();
    waitpid(pid, nullptr, 0);
  }
  return text;
}

}  // namespace scope::launch
