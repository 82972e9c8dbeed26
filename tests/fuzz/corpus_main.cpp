// Stands in for libFuzzer where the compiler has none: runs the target on every file of the directories that are named, and
// on beginnings of each.

#include <algorithm>
#include <vector>

#include "fuzz.hpp"

int main(int argc, char **argv) {
  namespace fs = std::filesystem;
  std::size_t inputs = 0;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i])) continue;  // an option of libFuzzer
    for (const auto &entry : fs::directory_iterator(argv[i])) {
      std::ifstream in(entry.path(), std::ios::binary);
      std::string bytes((std::istreambuf_iterator<char>(in)), {});
      constexpr std::size_t cuts = 16;
      for (std::size_t part = 0; part <= cuts; ++part) {
        std::vector<std::uint8_t> data(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() * part / cuts));
        LLVMFuzzerTestOneInput(data.data(), data.size());
        ++inputs;
      }
    }
  }
  std::printf("%zu inputs\n", inputs);
  return inputs == 0;
}
