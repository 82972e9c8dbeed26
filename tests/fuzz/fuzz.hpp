#pragma once
// What fuzz targets share. A target hands hostile bytes to a reader. Only support::Error may come out, in few words; what was
// accepted must survive what the commands do with it.

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "support/error.hpp"
#include "support/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace scope::fuzz {

inline constexpr std::size_t longest_error = 1000;

/// Ends the target in a way that fuzzers count as a crash.
inline void require(bool condition, const char *what) {
  if (condition) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

inline std::string text_of(const std::uint8_t *data, std::size_t size) { return {reinterpret_cast<const char *>(data), size}; }

/// Runs `action`; an Error is the expected answer to most inputs.
template <class Action>
void expect_only_errors(Action action) {
  try {
    action();
  } catch (const support::Error &error) {
    std::string text = error.what();
    require(!text.empty() && text.size() <= longest_error, "an error without a text, or with a very long one");
    require(support::valid_utf8(text) == text, "an error that is no UTF-8");
  }
}

/// Text as people get it: valid UTF-8 and no control characters but line feeds.
inline void require_harmless(const std::string &text, const char *what) {
  require(support::valid_utf8(text) == text, what);
  for (unsigned char c : text) require((c >= 0x20 && c != 0x7f) || c == '\n', what);
  require(text.find("\xc2\x9b") == std::string::npos, what);  // CSI in one character
}

/// A file of its own that holds the input, gone at the end of the process.
class InputFile {
 public:
  explicit InputFile(const std::string &name) {
    std::error_code error;
    bool memory = std::filesystem::is_directory("/dev/shm", error);
    std::string pattern = (memory ? "/dev/shm" : std::filesystem::temp_directory_path().string()) + "/scope-fuzz-XXXXXX";
    directory_ = ::mkdtemp(pattern.data()) ? pattern : "";
    require(!directory_.empty(), "no temporary directory");
    path_ = directory_ / name;
  }
  ~InputFile() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  const std::filesystem::path &write(const std::uint8_t *data, std::size_t size) {
    std::ofstream(path_, std::ios::binary | std::ios::trunc).write(reinterpret_cast<const char *>(data), static_cast<std::streamsize>(size));
    return path_;
  }

 private:
  std::filesystem::path directory_, path_;
};

}  // namespace scope::fuzz
