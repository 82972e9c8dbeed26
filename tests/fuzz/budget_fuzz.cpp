// Budgets of `check`.

#include "compare/budget.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace scope;
  fuzz::expect_only_errors([&] { compare::parse_budget(fuzz::text_of(data, size), "budget.toml"); });
  return 0;
}
