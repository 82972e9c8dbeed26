// A live block: as a merge reads it, and as those do that look at a running job.

#include <cstddef>
#include <cstring>
#include <vector>

#include "fuzz.hpp"
#include "merged.hpp"
#include "model/live_progress.hpp"
#include "wire/live_block.hpp"
#include "wire/mpi_calls.hpp"

namespace {

/// No fuzzer guesses the hash of the table; and the corpus must not go stale with it.
void make_current(std::vector<std::uint8_t> &bytes) {
  using namespace scope::wire;
  if (bytes.size() < sizeof(Header) || std::memcmp(bytes.data(), live_magic, sizeof live_magic) != 0) return;
  const std::uint32_t version = live_version, header_bytes = sizeof(Header);
  const std::uint64_t hash = table_hash();
  std::memcpy(bytes.data() + offsetof(Header, version), &version, sizeof version);
  std::memcpy(bytes.data() + offsetof(Header, header_bytes), &header_bytes, sizeof header_bytes);
  std::memcpy(bytes.data() + offsetof(Header, table_hash), &hash, sizeof hash);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace scope;
  static fuzz::InputFile file("live-node-1-1.block");
  std::vector<std::uint8_t> bytes(data, data + size);
  make_current(bytes);
  const auto &path = file.write(bytes.data(), bytes.size());
  model::read_live_progress(path);
  model::read_live_work(path);
  fuzz::expect_only_errors([&] { fuzz::use_record(model::read_live_block(path)); });
  return 0;
}
