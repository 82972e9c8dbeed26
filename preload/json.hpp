#pragma once
// Writes JSON into a file through a buffer of our own: no allocation, no locale, no C library streams.

#include <cstddef>
#include <cstdint>

#include "wire/node_file.hpp"

namespace scope::preload {

class JsonWriter {
 public:
  /// -1: nothing is written, only counted. `limit`: writing more is a failure.
  explicit JsonWriter(int file, std::uint64_t limit = ~std::uint64_t{0}) : file_(file), limit_(limit) {}

  void begin_object(const char *key = nullptr) { open(key, '{'); }
  void end_object() { close('}'); }
  void begin_array(const char *key = nullptr) { open(key, '['); }
  void end_array() { close(']'); }

  void text(const char *key, const char *value);   ///< invalid UTF-8 becomes U+FFFD
  void number(const char *key, std::int64_t value);
  void unsigned_number(const char *key, std::uint64_t value);
  void real(const char *key, double value);        ///< 17 significant digits, finite and not negative
  void boolean(const char *key, bool value);
  void element(std::uint64_t value) { unsigned_number(nullptr, value); }
  void hex(const char *key, std::uint64_t value);  ///< 16 digits as text
  void new_line();

  /// Writes what is buffered. False if anything could not be written.
  bool finish();
  /// Bytes, and wire::node_sum of them; after finish().
  std::uint64_t written() const { return written_; }
  std::uint64_t sum() const { return sum_; }

 private:
  void open(const char *key, char bracket);
  void close(char bracket);
  void start(const char *key);
  void put(char c);
  void put_text(const char *text);
  void put_number(std::uint64_t value);
  void put_escaped(const char *text);
  void flush();

  int file_;
  std::uint64_t limit_, written_ = 0, sum_ = wire::node_sum_begin;
  std::size_t used_ = 0;
  bool failed_ = false;
  bool comma_ = false;
  char buffer_[16384];
};

}  // namespace scope::preload
