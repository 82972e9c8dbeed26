#include "screen.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "launch/process.hpp"

namespace scope::app {

namespace {

// xterm's alternate screen, hidden cursor; to the top left, clear to the end of the line, to the end of the screen.
constexpr char take_sequence[] = "\x1b[?1049h\x1b[?25l";
constexpr char give_back_sequence[] = "\x1b[?25h\x1b[?1049l";
constexpr char home[] = "\x1b[H", clear_line[] = "\x1b[K", clear_below[] = "\x1b[J";

void put(const std::string &text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

sigset_t handled() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP}) sigaddset(&set, signal);
  return set;
}

}  // namespace

Screen::Screen(bool full) : full_(full) {
  const sigset_t set = handled();
  sigprocmask(SIG_BLOCK, &set, &original_mask_);
  signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  keys_ = full_ && isatty(0) && tcgetattr(0, &original_) == 0;
  take();
}

Screen::~Screen() {
  give_back();
  if (signals_ >= 0) close(signals_);
  sigprocmask(SIG_SETMASK, &original_mask_, nullptr);
}

void Screen::take() {
  if (!full_ || taken_) return;
  if (keys_) {
    termios raw = original_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // keys at once and unseen; Ctrl-C and Ctrl-Z stay signals
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(0, TCSANOW, &raw);
  }
  put(take_sequence);
  taken_ = true;
}

void Screen::give_back() {
  if (!taken_) return;
  put(give_back_sequence);
  if (keys_) tcsetattr(0, TCSANOW, &original_);
  taken_ = false;
}

void Screen::show(const std::string &text) {
  if (!full_) return put(text);
  std::string frame = home;
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    if (begin > 0) frame += "\r\n";  // not behind the last line: it would scroll
    frame += text.substr(begin, end - begin) + clear_line;
  }
  put(frame + clear_below);
}

Screen::Event Screen::on_signal() {
  signalfd_siginfo info{};
  if (read(signals_, &info, sizeof info) != sizeof info) return Event::time;
  const int signal = static_cast<int>(info.ssi_signo);
  if (signal == SIGWINCH) return Event::redraw;
  if (signal == SIGTSTP) {
    give_back();
    raise(SIGSTOP);  // until somebody continues us
    take();
    return Event::redraw;
  }
  signal_ = signal;
  return Event::quit;
}

bool Screen::quit_key() {
  std::array<char, 64> keys{};
  const ssize_t got = read(0, keys.data(), keys.size());
  if (got <= 0) keys_ = false;  // the terminal is gone; it is restored as far as it can be
  return std::any_of(keys.begin(), keys.begin() + std::max<ssize_t>(got, 0), [](char key) { return key == 'q' || key == 'Q'; });
}

Screen::Event Screen::wait_until(std::uint64_t deadline_ns) {
  for (;;) {
    const std::uint64_t now = launch::monotonic_ns();
    if (now >= deadline_ns) return Event::time;
    std::array<pollfd, 2> wait{{{signals_, POLLIN, 0}, {keys_ ? 0 : -1, POLLIN, 0}}};
    const std::uint64_t left_ms = (deadline_ns - now) / 1'000'000 + 1;
    poll(wait.data(), wait.size(), static_cast<int>(std::min<std::uint64_t>(left_ms, 60'000)));
    if (wait[0].revents) {
      const Event event = on_signal();
      if (event != Event::time) return event;
    }
    if (wait[1].revents && quit_key()) return Event::quit;
  }
}

}  // namespace scope::app
