#pragma once
// A directory of its own for a test, removed at its end.

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace scope::test {

struct TemporaryDirectory {
  std::filesystem::path path;
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "scope-unit-XXXXXX").string();
    path = ::mkdtemp(name.data()) ? name : "";
  }
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

  std::filesystem::path write(const std::string &name, const std::string &content) const {
    // ext4 flushes a file that is emptied and written again to the disk: thousands of those take a while.
    std::filesystem::remove(path / name);
    std::ofstream(path / name, std::ios::binary) << content;
    return path / name;
  }
  /// How many files and directories are in it.
  std::size_t entries() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(path)) ++count;
    return count;
  }
};

}  // namespace scope::test
