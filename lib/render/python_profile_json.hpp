#pragma once
// Our profile as one of the Python package scope-profiler.

#include <string>

#include "model/profile.hpp"

namespace scope::render {

/// "format": "scope-profiler-profile", version 1, recorded without a timeline: every row has an aggregate (count, total, minimum,
/// maximum in ns, and exclusive where it is known of the rank). Minimum and maximum are those of all ranks that share the row.
/// A region "program" on every rank is the time from its first MPI call to its last. Ranks of several worlds are numbered through.
std::string python_profile_json(const model::Profile &profile);

}  // namespace scope::render
