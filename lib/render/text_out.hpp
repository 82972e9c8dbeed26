#pragma once
// Text that is too long for the memory, on its way to a file.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace scope::render {

/// Takes the next part of a text; it may throw.
using Sink = std::function<void(std::string_view)>;

/// Gathers small parts into large ones. What was not flushed is lost.
class TextOut {
 public:
  explicit TextOut(Sink sink) : sink_(std::move(sink)) { text_.reserve(capacity + 4096); }

  TextOut &operator<<(std::string_view text) {
    text_ += text;
    if (text_.size() >= capacity) flush();
    return *this;
  }
  TextOut &operator<<(const char *text) { return *this << std::string_view(text); }
  TextOut &operator<<(const std::string &text) { return *this << std::string_view(text); }
  TextOut &operator<<(std::int64_t number);
  TextOut &operator<<(std::uint32_t number) { return *this << static_cast<std::int64_t>(number); }
  TextOut &operator<<(int number) { return *this << static_cast<std::int64_t>(number); }

  void flush() {
    sink_(text_);
    text_.clear();
  }

 private:
  static constexpr std::size_t capacity = 1 << 16;
  Sink sink_;
  std::string text_;
};

/// Nanoseconds as microseconds with three decimals: exact.
struct Microseconds {
  std::int64_t ns;  ///< >= 0
};
TextOut &operator<<(TextOut &out, Microseconds instant);

/// A JSON text in quotes: valid UTF-8, harmless on a terminal (support::json_terminal_safe).
std::string json_string(std::string_view data);

}  // namespace scope::render
