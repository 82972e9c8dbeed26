#include "launch/process.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "launch/supervise.hpp"
#include "support/error.hpp"

using namespace scope::launch;
namespace fs = std::filesystem;

namespace {

class Process : public testing::Test {
 protected:
  Process() {
    std::string name = testing::TempDir() + "process-XXXXXX";
    root = mkdtemp(name.data());
  }
  ~Process() override { fs::remove_all(root); }

  fs::path script(const std::string &name, const std::string &text) {
    std::ofstream(root / name) << text;
    chmod((root / name).c_str(), 0755);
    return root / name;
  }

  int shell(const std::string &text, const Environment &environment = current_environment()) {
    SignalGate gate;
    return exit_code_of(supervise({"/bin/sh", {"sh", "-c", text}, environment}, {}, gate).wait_status);
  }

  std::string content(const std::string &name) {
    std::ifstream in(root / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path root;
};

/// The signal set of a line such as "SigIgn:" in /proc/self/status.
std::uint64_t status_mask(const std::string &text, const std::string &name) {
  auto at = text.find(name + ":\t");
  return at == std::string::npos ? ~0ull : std::stoull(text.substr(at + name.size() + 2, 16), nullptr, 16);
}

}  // namespace

TEST_F(Process, ExitCodesAreTheProgramsOwn) {
  EXPECT_EQ(shell("exit 0"), 0);
  EXPECT_EQ(shell("exit 7"), 7);
  EXPECT_EQ(shell("exit 255"), 255);
}

TEST_F(Process, ASignalIs128AndItsNumber) {
  EXPECT_EQ(shell("kill -KILL $$"), 137);
  EXPECT_EQ(shell("kill -TERM $$"), 143);
}

TEST_F(Process, TheEnvironmentIsTheOneGiven) {
  EXPECT_EQ(shell("/usr/bin/env > '" + root.string() + "/env'", {"A=b c", "PWD=" + fs::current_path().string()}), 0);
  EXPECT_EQ(content("env"), "A=b c\nPWD=" + fs::current_path().string() + "\n");
}

TEST_F(Process, AScriptWithoutFirstLineRunsInAShell) {
  auto program = script("plain", "exit $(($1 + 1))\n");
  SignalGate gate;
  EXPECT_EQ(exit_code_of(supervise({program, {"plain", "4"}, current_environment()}, {}, gate).wait_status), 5);
}

TEST_F(Process, AMissingInterpreterIsNamed) {
  auto program = script("bad", "#!/no/such/interpreter -x\n");
  SignalGate gate;
  try {
    spawn(program, {"bad"}, {}, gate);
    FAIL();
  } catch (const scope::support::Error &error) {
    EXPECT_EQ(error.exit_code(), 126);
    EXPECT_EQ(error.what(), "cannot execute '" + program.string() +
                                "': No such file or directory. Its first line names the interpreter: /no/such/interpreter -x.");
  }
}

TEST_F(Process, AProgramThatHasGoneIsNotFound) {
  SignalGate gate;
  try {
    spawn(root / "gone", {"gone"}, {}, gate);
    FAIL();
  } catch (const scope::support::Error &error) {
    EXPECT_EQ(error.exit_code(), 127);
  }
}

TEST_F(Process, TheChildHasTheMaskAndTheIgnoredSignalsOfTheTool) {
  auto before = status_mask(
      [] {
        std::ifstream in("/proc/self/status");
        return std::string(std::istreambuf_iterator<char>(in), {});
      }(),
      "SigBlk");
  struct sigaction ignore {
  }, hup{}, child{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGHUP, &ignore, &hup);
  sigaction(SIGCHLD, &ignore, &child);
  int code = 0;
  {
    SignalGate gate;
    // No shell in between: it would set SIGCHLD for itself.
    std::vector<std::string> words{"cp", "/proc/self/status", (root / "status").string()};
    code = exit_code_of(supervise({"/bin/cp", words, current_environment()}, {}, gate).wait_status);
  }
  sigaction(SIGHUP, &hup, nullptr);
  sigaction(SIGCHLD, &child, nullptr);
  EXPECT_EQ(code, 0);
  EXPECT_EQ(status_mask(content("status"), "SigBlk"), before);
  EXPECT_EQ(status_mask(content("status"), "SigIgn") & (1ull << (SIGHUP - 1)), 1ull << (SIGHUP - 1));
  EXPECT_EQ(status_mask(content("status"), "SigIgn") & (1ull << (SIGCHLD - 1)), 1ull << (SIGCHLD - 1));
  EXPECT_EQ(status_mask(content("status"), "SigIgn") & (1ull << (SIGTERM - 1)), 0u);
}

TEST_F(Process, TheChildInheritsNoDescriptors) {
  int before = std::system(("exec ls /proc/self/fd > '" + root.string() + "/bare'").c_str());
  fs::create_directories(root / "watched");
  SignalGate gate;
  auto command = "exec ls /proc/self/fd > '" + root.string() + "/fds'";
  auto outcome = supervise({"/bin/sh", {"sh", "-c", command}, current_environment()}, root / "watched", gate);
  EXPECT_EQ(before, 0);
  EXPECT_EQ(exit_code_of(outcome.wait_status), 0);
  EXPECT_EQ(content("fds"), content("bare"));
  EXPECT_NE(content("fds"), "");
}

TEST_F(Process, ForwardsASignalThatWasSentToTheTool) {
  // The child sends to its parent, which is the tool, and ends with the code of its own handler.
  // Loops without a child: dash loses a signal that comes while it starts one with vfork.
  EXPECT_EQ(shell("trap 'exit 42' USR1; kill -USR1 $PPID; while :; do :; done"), 42);
  EXPECT_EQ(shell("trap 'exit 43' TERM; kill -TERM $PPID; while :; do :; done"), 43);
}

TEST_F(Process, TheSecondOfAKindKills) {
  EXPECT_EQ(shell("trap '' TERM; kill -TERM $PPID; sleep 0.3; kill -TERM $PPID; while :; do sleep 0.05; done"), 137);
}

TEST_F(Process, IgnoredSignalsAreNotForwarded) {
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGHUP, &ignore, &before);
  int code = shell("kill -HUP $PPID; sleep 0.1; exit 5");
  sigaction(SIGHUP, &before, nullptr);
  EXPECT_EQ(code, 5);
}

TEST_F(Process, SignalsAfterTheEndDoNotEndTheTool) {
  {
    SignalGate gate;
    kill(getpid(), SIGTERM);
  }
  SUCCEED();  // the process lives
  EXPECT_EQ(shell("exit 3"), 3);
}

TEST_F(Process, ApartHasAGroupAndAFileOfItsOwn) {
  SignalGate gate;
  Command command{"/bin/sh", {"sh", "-c", "echo out; echo err >&2; cat; cut -d' ' -f5 /proc/$$/stat; echo $$; exit 3"},
                  current_environment(), Apart{root / "output", 20'000'000'000}};
  auto outcome = supervise(command, {}, gate);
  EXPECT_EQ(exit_code_of(outcome.wait_status), 3);
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_EQ(outcome.signal, 0);
  std::istringstream text(content("output"));
  std::string first, second;
  int group = 0, pid = -1;
  text >> first >> second >> group >> pid;
  EXPECT_EQ(first + second, "outerr");
  EXPECT_EQ(group, pid);
}

TEST_F(Process, ApartEndsWhenItsTimeIsOver) {
  SignalGate gate;
  // The shell waits for its child: only a signal to the group ends both.
  Command command{"/bin/sh", {"sh", "-c", "sleep 60; echo late"}, current_environment(), Apart{root / "output", 200'000'000}};
  auto begin = monotonic_ns();
  auto outcome = supervise(command, {}, gate);
  EXPECT_LT(monotonic_ns() - begin, 10'000'000'000u);
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_EQ(exit_code_of(outcome.wait_status), 128 + SIGTERM);
  EXPECT_EQ(content("output"), "");
}

TEST_F(Process, ApartIsMadeToEndWhenItDoesNotListen) {
  SignalGate gate;
  Command command{"/bin/sh", {"sh", "-c", "trap '' TERM; sleep 60"}, current_environment(), Apart{root / "output", 200'000'000}};
  auto outcome = supervise(command, {}, gate);
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_EQ(exit_code_of(outcome.wait_status), 128 + SIGKILL);
}

TEST_F(Process, ATimerTicksWhileTheProgramRuns) {
  SignalGate gate;
  int ticks = 0;
  Timer timer{50'000'000, [&] { return ++ticks < 1000; }};
  auto outcome = supervise({"/bin/sh", {"sh", "-c", "sleep 0.5; exit 6"}, current_environment()}, {}, gate, &timer);
  EXPECT_EQ(exit_code_of(outcome.wait_status), 6);
  EXPECT_GE(ticks, 3);
  EXPECT_LE(ticks, 10);
}

TEST_F(Process, ATimerEndsTheProgram) {
  SignalGate gate;
  int ticks = 0;
  Timer timer{20'000'000, [&] { return ++ticks < 3; }};
  auto begin = monotonic_ns();
  auto outcome = supervise({"/bin/sleep", {"sleep", "60"}, current_environment()}, {}, gate, &timer);
  EXPECT_EQ(outcome.wait_status, SIGTERM);
  EXPECT_EQ(ticks, 3);
  EXPECT_LT(monotonic_ns() - begin, 4'000'000'000u);
}

TEST_F(Process, ATimerMakesAProgramEndThatDoesNotListen) {
  SignalGate gate;
  Timer timer{20'000'000, [] { return false; }};
  auto begin = monotonic_ns();
  auto outcome =
      supervise({"/bin/sh", {"sh", "-c", "trap '' TERM; while :; do sleep 0.1; done"}, current_environment()}, {}, gate, &timer);
  EXPECT_EQ(outcome.wait_status, SIGKILL);
  EXPECT_GE(monotonic_ns() - begin, 5'000'000'000u);
}

TEST_F(Process, ApartSaysWhichSignalTheToolGot) {
  std::signal(SIGINT, SIG_DFL);  // ignored where the tests run as a shell's background job, and then not passed on
  SignalGate gate;
  // A loop of its own and no child: dash loses a signal that comes while it starts one with vfork.
  Command command{"/bin/sh", {"sh", "-c", "kill -INT $PPID; while :; do :; done"}, current_environment(),
                  Apart{root / "output", 20'000'000'000}};
  auto outcome = supervise(command, {}, gate);
  EXPECT_EQ(outcome.signal, SIGINT);
  EXPECT_EQ(exit_code_of(outcome.wait_status), 128 + SIGINT);
}

TEST_F(Process, ApartNeedsAFileThatCanBeWritten) {
  SignalGate gate;
  Command command{"/bin/true", {"true"}, current_environment(), Apart{root / "no/output", 1}};
  try {
    supervise(command, {}, gate);
    FAIL() << "no error";
  } catch (const scope::support::Error &error) {
    EXPECT_EQ(std::string(error.what()), "cannot write '" + (root / "no/output").string() + "': No such file or directory");
  }
}

TEST(SignalPolicyTest, ForwardsTheFirstAndKillsWithTheSecond) {
  SignalPolicy policy;
  EXPECT_EQ(policy.on_signal(SIGTERM, false, 1'000'000'000), Delivery::forward);
  EXPECT_EQ(policy.on_signal(SIGINT, false, 1'500'000'000), Delivery::forward);
  EXPECT_EQ(policy.on_signal(SIGTERM, false, 2'000'000'000), Delivery::kill);
  EXPECT_EQ(policy.on_signal(SIGINT, false, 2'500'000'000), Delivery::kill);
}

TEST(SignalPolicyTest, TwiceWithin100MillisecondsIsOneRequest) {
  SignalPolicy policy;
  EXPECT_EQ(policy.on_signal(SIGTERM, false, 1'000'000'000), Delivery::forward);
  EXPECT_EQ(policy.on_signal(SIGTERM, false, 1'099'999'999), Delivery::leave);
  EXPECT_EQ(policy.on_signal(SIGTERM, false, 1'100'000'000), Delivery::kill);
}

TEST(SignalPolicyTest, LeavesWhatTheTerminalSentToAll) {
  SignalPolicy policy;
  EXPECT_EQ(policy.on_signal(SIGINT, true, 1'000'000'000), Delivery::leave);
  EXPECT_EQ(policy.on_signal(SIGINT, true, 3'000'000'000), Delivery::leave);
  EXPECT_EQ(policy.on_signal(SIGINT, false, 4'000'000'000), Delivery::forward);
}

TEST(SignalPolicyTest, OtherSignalsAreAlwaysForwarded) {
  SignalPolicy policy;
  for (int signal : {SIGUSR1, SIGUSR2, SIGHUP, SIGQUIT}) {
    EXPECT_EQ(policy.on_signal(signal, false, 1'000'000'000), Delivery::forward);
    EXPECT_EQ(policy.on_signal(signal, false, 9'000'000'000), Delivery::forward);
  }
}

TEST(OutputOf, IsBothStreams) {
  EXPECT_EQ(output_of("/bin/sh", {"-c", "echo one; echo two >&2"}), "one\ntwo\n");
  EXPECT_EQ(output_of("/no/such/program", {}), "");
  EXPECT_EQ(output_of("/bin/cat", {}), "");  // standard input is empty
}
