#include "check_profiles.hpp"

#include <cstdio>

#include "compare/check.hpp"
#include "messages.hpp"
#include "render/check_text.hpp"
#include "support/error.hpp"
#include "terminal.hpp"

namespace scope::app {

void compare_sides(const std::vector<model::Repetition> &base, const std::vector<model::Repetition> &now,
                   const cli::CommonOptions &common) {
  if (base.empty() || now.empty()) return;
  compare::CheckOptions options;
  options.allow_different = true;  // it was asked for
  try {
    auto result = compare::check(compare::measurements_of(model::join_repeats(base)),
                                 compare::measurements_of(model::join_repeats(now)), options);
    std::erase_if(result.differences, [](const auto &d) { return d.kind == compare::Difference::Kind::command; });
    auto style = style_for_descriptor(2, common.color);
    std::fputs(render::check_text(result, style, common.verbose).c_str(), stderr);
  } catch (const support::Error &error) {
    warn(error.what());
  }
}

}  // namespace scope::app
