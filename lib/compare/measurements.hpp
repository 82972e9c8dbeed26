#pragma once
// A profile as what is compared: its sound repetitions, or the one run that it is.

#include <vector>

#include "model/profile.hpp"

namespace scope::compare {

struct Measurements {
  model::Profile profile;               ///< its calls, peers and so on are those of one repetition
  std::vector<model::Repeat> repeats;   ///< sound ones; the run itself where the profile has no repeats[]; may be empty
  std::size_t unsound = 0;              ///< repetitions that failed or are incomplete
};

Measurements measurements_of(model::Profile profile);

/// Procedures whose number of calls depends on timing in any program: MPI_Test and its kind, MPI_Waitsome, the probes.
bool is_polling(const std::string &call);

}  // namespace scope::compare
