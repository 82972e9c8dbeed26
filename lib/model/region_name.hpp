#pragma once
// The region names that carry MPI metadata, shared with the Python package scope-profiler. Form and parser are those of the public
// header that programs use.

#include <optional>
#include <string>
#include <string_view>

#include "region/include/scope_profiler_mpi_names.hpp"

namespace scope::model {

using RegionName = ::scope_profiler::MpiRegionMetadata;

/// "MPI_Send" -> "send", "MPIX_Allreduce_init" -> "allreduce_init".
std::string operation_of(std::string_view procedure);
inline std::string format_region_name(const RegionName &name) { return ::scope_profiler::format_mpi_region(name); }
/// Nothing for a name that does not begin with "mpi:", lacks a key, has them in another order, or a number that is none.
inline std::optional<RegionName> parse_region_name(std::string_view text) { return ::scope_profiler::parse_mpi_region(text); }

}  // namespace scope::model
