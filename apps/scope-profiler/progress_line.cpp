#include "progress_line.hpp"

#include <unistd.h>

#include <cstdio>

#include "launch/process.hpp"
#include "messages.hpp"
#include "support/text.hpp"

namespace scope::app {
namespace {

constexpr std::int64_t first_after_ns = 500'000'000, period_ns = 100'000'000;

std::int64_t now_ns() { return static_cast<std::int64_t>(launch::monotonic_ns()); }

}  // namespace

ProgressLine::ProgressLine() : on_(!quiet() && isatty(2)), next_ns_(now_ns() + first_after_ns) {}

model::Progress ProgressLine::of(const char *verb, const char *things) {
  if (!on_) return {};
  return [this, verb, things](std::size_t done, std::size_t all) {
    const std::int64_t now = now_ns();
    if (now < next_ns_) return;
    next_ns_ = now + period_ns;
    show("scope-profiler: " + std::string(verb) + " " + support::format_count(static_cast<std::int64_t>(done)) + " of " +
         support::format_count(static_cast<std::int64_t>(all)) + " " + things);
  };
}

void ProgressLine::show(const std::string &text) {
  std::fprintf(stderr, "\r%s\x1b[K", text.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace scope::app
