#pragma once
// Repetitions of one command become one profile.

#include <cstdint>
#include <string>
#include <vector>

#include "model/profile.hpp"

namespace scope::model {

/// The entry of an analysed profile. Metadata give start and exit status.
Repeat repeat_of(const Profile &profile, std::int64_t elapsed_ns);

/// What a repetition took: the longest rank's wall time, or without ranks (no MPI) the command's elapsed time.
std::int64_t wall_ns_of(const Repeat &repeat);

/// Whether it can be measured by: the command ended with 0 and all ranks reported.
bool is_sound(const Repeat &repeat);

struct Repetition {
  Profile profile;  ///< analysed
  std::int64_t elapsed_ns = 0;
};

/// The profile of the series: that of the repetition with the median wall time among the sound ones (of an even number the
/// shorter of the two in the middle), with the entries of all. Where none is sound it is the last one. A warning
/// ("repeats-vary") names the calls whose number or bytes differ between sound repetitions. There must be a repetition.
Profile join_repeats(std::vector<Repetition> repetitions);

/// Procedures whose calls or bytes differ between the sound repetitions, by name. Missing is 0.
std::vector<std::string> varying_calls(const std::vector<Repeat> &repeats);

}  // namespace scope::model
