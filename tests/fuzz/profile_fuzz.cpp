// The merged profile, as report and check read it.

#include "fuzz.hpp"
#include "merged.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace scope;
  fuzz::expect_only_errors([&] {
    model::Profile profile = model::parse_profile(fuzz::text_of(data, size), "trace.json");
    const std::string text = model::to_json(profile);
    fuzz::require(model::to_json(model::parse_profile(text, "trace.json")) == text, "a profile that does not come back as it was");
    fuzz::use_profile(profile);
  });
  return 0;
}
