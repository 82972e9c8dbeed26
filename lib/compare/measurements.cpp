#include "compare/measurements.hpp"

#include "model/call_names.hpp"
#include "model/repeats.hpp"

namespace scope::compare {

Measurements measurements_of(model::Profile profile) {
  Measurements result;
  if (profile.repeats.empty()) {
    auto repeat = model::repeat_of(profile, 0);
    if (model::is_sound(repeat)) result.repeats.push_back(std::move(repeat));
    else result.unsound = 1;
  }
  for (const model::Repeat &repeat : profile.repeats) {
    if (model::is_sound(repeat)) result.repeats.push_back(repeat);
    else ++result.unsound;
  }
  result.profile = std::move(profile);
  return result;
}

bool is_polling(const std::string &call) { return model::only_asks(call) || call == "MPI_Waitsome"; }

}  // namespace scope::compare
