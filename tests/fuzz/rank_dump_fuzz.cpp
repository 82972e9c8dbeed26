// A rank dump, and what merge makes of it.

#include "fuzz.hpp"
#include "merged.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace scope;
  fuzz::expect_only_errors([&] { fuzz::use_record(model::parse_rank_dump(fuzz::text_of(data, size), "rank.json")); });
  return 0;
}
