#pragma once
// The JSON profile of the Python package scope-profiler, version 1, as our profile.

#include "model/json_reader.hpp"
#include "model/profile.hpp"

namespace scope::model {

inline constexpr const char python_format[] = "scope-profiler-profile";
inline constexpr int python_version = 1;

/// Regions of equal names become one row with the ranks side by side. Regions whose names carry MPI metadata
/// (model/region_name.hpp) are calls, too; their peers are not, since they are ranks of communicators that the file does not
/// describe. Self time, MPI time inside a region and percentiles come from the timeline, where there is one; else a warning says
/// what is not known. Metadata become tags. All ranks count as finished. Throws support::Error with the path of the key.
Profile parse_python_profile(const JsonView &root);

}  // namespace scope::model
