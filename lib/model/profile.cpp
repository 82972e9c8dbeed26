#include "model/profile.hpp"

#include <algorithm>

namespace scope::model {

bool keeps_each_rank(const Profile &profile) {
  auto spreads = [](const auto &row) { return row.spread.has_value(); };
  return std::none_of(profile.calls.begin(), profile.calls.end(), spreads) && std::none_of(profile.regions.begin(), profile.regions.end(), spreads);
}

bool is_startup(std::string_view call) { return call == "MPI_Init" || call == "MPI_Init_thread" || call == "MPI_Finalize"; }

}  // namespace scope::model
