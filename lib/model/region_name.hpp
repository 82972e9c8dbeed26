#pragma once
// The region names that carry MPI metadata, shared with the Python package scope-profiler:
//   mpi:<operation> kind=<kind> bytes=<n> peer=<n> root=<n> tag=<n> comm=<id>[ request=<operation>]

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace scope::model {

struct RegionName {
  std::string operation;  ///< "send": the procedure without MPI_, lower case
  std::string kind;       ///< "point-to-point", "collective", "wait", "one-sided", "io", "process", "other"
  std::int64_t bytes = -1;
  int peer = -1, root = -1, tag = -1, comm = -1;
  std::string request;    ///< "" unless a wait
  bool operator==(const RegionName &) const = default;
};

/// "MPI_Send" -> "send", "MPIX_Allreduce_init" -> "allreduce_init".
std::string operation_of(std::string_view procedure);
std::string format_region_name(const RegionName &name);
/// Nothing for a name that does not begin with "mpi:", lacks a key, has them in another order, or a number that is none.
std::optional<RegionName> parse_region_name(std::string_view text);

}  // namespace scope::model
