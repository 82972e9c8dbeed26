// A node file, the dumps in it, and what merge makes of them.

#include <unistd.h>

#include <cstdlib>

#include "fuzz.hpp"
#include "merged.hpp"
#include "model/node_file.hpp"

namespace {

/// One file for all inputs: the reader takes its parts from where they lie.
const std::filesystem::path &file_of(const std::uint8_t *data, std::size_t size) {
  static const std::filesystem::path path = [] {
    std::string name = (std::filesystem::temp_directory_path() / "scope-fuzz-XXXXXX.ranks").string();
    int file = mkstemps(name.data(), 6);
    if (file < 0) abort();
    close(file);
    std::atexit([] { std::filesystem::remove(path); });
    return std::filesystem::path(name);
  }();
  std::ofstream(path, std::ios::binary | std::ios::trunc).write(reinterpret_cast<const char *>(data), static_cast<std::streamsize>(size));
  return path;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace scope;
  fuzz::expect_only_errors([&] {
    const auto file = model::read_node_file(file_of(data, size));
    for (const auto &slot : file.slots) {
      if (slot.kind != wire::NodeSlotKind::dump) continue;
      fuzz::expect_only_errors([&] { fuzz::use_record(model::read_dump(model::slot_path(file, slot))); });
    }
  });
  return 0;
}
