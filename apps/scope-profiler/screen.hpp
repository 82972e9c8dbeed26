#pragma once
// A terminal that shows one text after the other in place, and the wait between two of them. What it changed of the terminal it
// restores, however it ends: q, signals, Ctrl-Z.

#include <termios.h>

#include <csignal>
#include <cstdint>
#include <string>

namespace scope::app {

class Screen {
 public:
  /// `full`: standard output is a terminal that is taken over; else only signals are waited for.
  explicit Screen(bool full);
  ~Screen();
  Screen(const Screen &) = delete;
  Screen &operator=(const Screen &) = delete;

  /// Replaces what is shown. Lines end with line feeds; there must be no more of them, and none wider, than the terminal has.
  void show(const std::string &text);

  enum class Event { time, redraw, quit };
  /// Until CLOCK_MONOTONIC reaches `deadline_ns`, the terminal's size changed or it was given back, or somebody wants to quit.
  Event wait_until(std::uint64_t deadline_ns);

  /// The signal behind Event::quit, 0 for a key.
  int signal() const { return signal_; }

 private:
  void take();
  void give_back();
  Event on_signal();
  bool quit_key();

  bool full_, keys_ = false, taken_ = false;
  int signals_ = -1, signal_ = 0;
  sigset_t original_mask_{};
  termios original_{};
};

}  // namespace scope::app
