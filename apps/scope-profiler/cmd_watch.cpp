// `watch`: a running job, from its run directory; any number of times at once, and the job does not notice.

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string_view>

#include "commands.hpp"
#include "launch/process.hpp"
#include "launch/run_directory.hpp"
#include "live_job.hpp"
#include "messages.hpp"
#include "render/escape.hpp"
#include "render/watch.hpp"
#include "screen.hpp"
#include "support/error.hpp"
#include "terminal.hpp"

namespace scope::app {

namespace fs = std::filesystem;
using support::Error;

namespace {

constexpr char hint[] = "q quits";
/// Looking takes at most a quarter of the time, however many ranks there are.
constexpr std::uint64_t pause_per_look = 3;

std::string job_text(const fs::path &directory) {
  const auto info = launch::read_run_info(directory);
  return "'" + directory.string() + "' (" + render::shell_line(info.command) + ", started " + info.started + ")";
}

/// The one run directory in `place` whose job runs.
fs::path find_job(const std::string &place) {
  const fs::path where = place.empty() ? fs::current_path() : fs::absolute(place).lexically_normal();
  const auto directories = launch::run_directories_in(where);
  std::vector<fs::path> running;
  std::copy_if(directories.begin(), directories.end(), std::back_inserter(running), launch::is_running);
  if (running.size() == 1) return running.front();
  if (!running.empty()) {
    std::string text = "several jobs run in '" + where.string() + "'; name the directory of one: ";
    for (std::size_t i = 0; i < running.size(); ++i) text += (i ? ", " : "") + job_text(running[i]);
    throw Error(text + ".");
  }
  if (directories.empty())
    throw Error("no job runs in '" + where.string() +
                "': there is no run directory. Name the directory that the profile of 'scope-profiler run --mpi-calls' goes to.");
  std::string text = "no job runs in '" + where.string() + "'. What ended jobs left is there; next: ";
  for (std::size_t i = 0; i < directories.size(); ++i)
    text += (i ? ", or " : "") + render::shell_line({"scope-profiler", "merge", directories[i].string()});
  throw Error(text);
}

analyze::WatchOrder order_of(const std::string &word) {
  using enum analyze::WatchOrder;
  if (word == "mpi") return mpi;
  if (word == "calls") return calls;
  if (word == "bytes") return bytes;
  return word == "rank" ? rank : since;
}

render::WatchOptions options_of(const cli::WatchCommand &command) {
  using enum render::WatchRows;
  return {order_of(command.order), command.rows == "ranks" ? ranks : command.rows == "states" ? states : automatic, command.top};
}

std::string local_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%H:%M:%S", &parts);
  return text;
}

bool takes_screen(const cli::WatchCommand &command) {
  const char *terminal = std::getenv("TERM");
  return !command.once && command.format == "text" && isatty(1) && terminal && *terminal && std::string_view(terminal) != "dumb";
}

/// Looks at one job again and again.
class Watcher {
 public:
  Watcher(const cli::CommandLine &line, fs::path directory)
      : line_(line), command_(line.watch), options_(options_of(line.watch)), directory_(std::move(directory)),
        clock_(static_cast<std::uint64_t>(command_.stall_timeout * 1e9)), interval_ns_(static_cast<std::uint64_t>(command_.interval * 1e9)) {
    const auto info = launch::read_run_info(directory_);
    job_ = {directory_.string(), info.run_id, info.started, info.command};
  }

  /// False: the job has ended.
  bool look() {
    try {
      if (!launch::is_running(directory_)) return false;
      clock_.look(looks_at(directory_), launch::monotonic_ns(), interval_ns_);
      const auto worlds = live_worlds(directory_, job_.run_id, clock_);
      const std::uint64_t now = launch::monotonic_ns();
      watched_ = analyze::watch(worlds, before_, now, static_cast<std::int64_t>(clock_.still_ns()),
                                static_cast<std::int64_t>(command_.stall_timeout * 1e9));
      between_ns_ = before_.at_ns ? static_cast<std::int64_t>(now - before_.at_ns) : 0;
      before_ = analyze::remember(worlds, now);
      return true;
    } catch (const Error &) {
      if (fs::exists(directory_)) throw;
      return false;  // it was removed while it was read
    }
  }

  std::string lines() const {
    if (command_.format == "json") return render::watch_json(watched_, job_, options_, between_ns_, !command_.once);
    if (!command_.once) return render::watch_lines(watched_, options_, local_time());
    return render::watch_screen(watched_, job_, options_, style_for_descriptor(1, line_.common.color), 0, "");
  }

  std::string screen() const {
    return render::watch_screen(watched_, job_, options_, style_for_descriptor(1, line_.common.color), terminal_height(1), hint);
  }

  std::uint64_t interval_ns() const { return interval_ns_; }

 private:
  const cli::CommandLine &line_;
  const cli::WatchCommand &command_;
  render::WatchOptions options_;
  fs::path directory_;
  render::WatchJob job_;
  analyze::StallClock clock_;
  std::uint64_t interval_ns_;
  std::int64_t between_ns_ = 0;
  analyze::WatchBefore before_;
  analyze::Watched watched_;
};

/// Waits for the next look; false: to quit.
bool pause(Screen &screen, const Watcher &watcher, std::uint64_t begun_ns, bool redraw) {
  const std::uint64_t now = launch::monotonic_ns();
  const std::uint64_t until = std::max(begun_ns + watcher.interval_ns(), now + pause_per_look * (now - begun_ns));
  for (;;) {
    const auto event = screen.wait_until(until);
    if (event == Screen::Event::time) return true;
    if (event == Screen::Event::quit) return false;
    if (redraw) screen.show(watcher.screen());
  }
}

/// To quit is what a screen is quit for; who reads a log wants to know what ended it.
int code_of_quit(const Screen &screen, bool full) { return full && screen.signal() != SIGTERM ? 0 : 128 + screen.signal(); }

int follow(Watcher &watcher, const cli::WatchCommand &command) {
  const bool full = takes_screen(command);
  Screen screen(full);
  for (bool first = true;; first = false) {
    const std::uint64_t begun = launch::monotonic_ns();
    if (!watcher.look()) return 0;
    const bool rates = !first || full;  // a log begins with the first rates
    if (rates) screen.show(full ? watcher.screen() : watcher.lines());
    if (std::ferror(stdout)) return 0;  // nobody reads any more
    if (!pause(screen, watcher, begun, full)) return code_of_quit(screen, full);
  }
}

int look_once(Watcher &watcher) {
  Screen screen(false);
  if (!watcher.look()) throw Error("the job has just ended.");
  if (!pause(screen, watcher, launch::monotonic_ns(), false)) return 128 + screen.signal();
  watcher.look();  // where it has ended meanwhile, the first look is what there is
  screen.show(watcher.lines());
  if (std::ferror(stdout) && errno != EPIPE) throw Error("cannot write to standard output: " + support::errno_text(errno) + ".");
  return 0;
}

}  // namespace

int watch_command(const cli::CommandLine &line) {
  Watcher watcher(line, find_job(line.watch.directory));
  if (line.watch.once) return look_once(watcher);
  const int code = follow(watcher, line.watch);
  if (code == 0 && !watcher.look()) info("the job has ended.");
  return code;
}

}  // namespace scope::app
