#include "json.hpp"

#include <errno.h>
#include <string.h>
#include <unistd.h>

namespace scope::preload {

void JsonWriter::flush() {
  std::size_t done = 0;
  written_ += used_;
  if (written_ > limit_) failed_ = true;
  if (limit_ != ~std::uint64_t{0}) sum_ = wire::node_sum(sum_, buffer_, used_);
  while (file_ >= 0 && done < used_ && !failed_) {
    ssize_t written = write(file_, buffer_ + done, used_ - done);
    if (written > 0)
      done += static_cast<std::size_t>(written);
    else if (written < 0 && errno != EINTR)
      failed_ = true;
  }
  used_ = 0;
}

void JsonWriter::put(char c) {
  if (used_ == sizeof buffer_) flush();
  buffer_[used_++] = c;
}

void JsonWriter::put_text(const char *text) {
  while (*text) put(*text++);
}

void JsonWriter::put_number(std::uint64_t value) {
  char digits[24];
  int count = 0;
  do digits[count++] = static_cast<char>('0' + value % 10);
  while (value /= 10);
  while (count) put(digits[--count]);
}

void JsonWriter::start(const char *key) {
  if (comma_) put(',');
  comma_ = true;
  if (!key) return;
  put('"');
  put_text(key);
  put_text("\":");
}

void JsonWriter::open(const char *key, char bracket) {
  start(key);
  put(bracket);
  comma_ = false;
}

void JsonWriter::close(char bracket) {
  put(bracket);
  comma_ = true;
}

void JsonWriter::new_line() {
  if (comma_) put(',');
  comma_ = false;
  put('\n');
}

void JsonWriter::text(const char *key, const char *value) {
  start(key);
  put('"');
  put_escaped(value);
  put('"');
}

void JsonWriter::number(const char *key, std::int64_t value) {
  start(key);
  if (value < 0) put('-');
  put_number(value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value));
}

void JsonWriter::unsigned_number(const char *key, std::uint64_t value) {
  start(key);
  put_number(value);
}

void JsonWriter::boolean(const char *key, bool value) {
  start(key);
  put_text(value ? "true" : "false");
}

void JsonWriter::hex(const char *key, std::uint64_t value) {
  start(key);
  put('"');
  for (int shift = 60; shift >= 0; shift -= 4) put("0123456789abcdef"[value >> shift & 15]);
  put('"');
}

/// Not with snprintf: the decimal point depends on the program's locale.
void JsonWriter::real(const char *key, double value) {
  start(key);
  int exponent = 0;
  while (value >= 1e17) value /= 10, ++exponent;
  while (value > 0 && value < 1e16 && exponent > -300) value *= 10, --exponent;
  std::uint64_t mantissa = static_cast<std::uint64_t>(value);
  while (mantissa && mantissa % 10 == 0) mantissa /= 10, ++exponent;
  put_number(mantissa);
  if (!mantissa || !exponent) return;
  put('e');
  if (exponent < 0) put('-');
  put_number(static_cast<std::uint64_t>(exponent < 0 ? -exponent : exponent));
}

namespace {

/// Length of the UTF-8 sequence at `text`, 0 if it is none (overlong, surrogate, too large, cut).
int sequence(const unsigned char *text) {
  auto follows = [text](int i) { return (text[i] & 0xc0) == 0x80; };
  unsigned char first = text[0];
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    if (!follows(1) || !follows(2)) return 0;
    if (first == 0xe0 && text[1] < 0xa0) return 0;
    if (first == 0xed && text[1] > 0x9f) return 0;
    return 3;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if (!follows(1) || !follows(2) || !follows(3)) return 0;
    if (first == 0xf0 && text[1] < 0x90) return 0;
    if (first == 0xf4 && text[1] > 0x8f) return 0;
    return 4;
  }
  return 0;
}

}  // namespace

void JsonWriter::put_escaped(const char *text) {
  const unsigned char *at = reinterpret_cast<const unsigned char *>(text);
  while (*at) {
    int length = sequence(at);
    if (length == 0) {
      put_text("\xef\xbf\xbd");
      ++at;
    } else if (*at == '"' || *at == '\\') {
      put('\\');
      put(static_cast<char>(*at++));
    } else if (*at < 0x20 || *at == 0x7f) {
      put_text("\\u00");
      put("0123456789abcdef"[*at >> 4]);
      put("0123456789abcdef"[*at & 15]);
      ++at;
    } else {
      for (; length; --length) put(static_cast<char>(*at++));
    }
  }
}

bool JsonWriter::finish() {
  flush();
  return !failed_;
}

}  // namespace scope::preload
