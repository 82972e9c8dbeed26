#pragma once
// Writes JSON into a file through a buffer of our own: no allocation, no locale, no C library streams.

#include <cstddef>
#include <cstdint>

namespace scope::preload {

class JsonWriter {
 public:
  explicit JsonWriter(int file) : file_(file) {}

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
  std::size_t used_ = 0;
  bool failed_ = false;
  bool comma_ = false;
  char buffer_[16384];
};

}  // namespace scope::preload
