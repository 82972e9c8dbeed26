#pragma once
// What things of a timeline are called in the formats of other tools.

#include <string>
#include <string_view>

#include "timeline/timeline.hpp"

namespace scope::render {

/// "MPI_Send"; "MPI call" where the procedure is not known.
std::string_view call_name(wire::Call call);

/// The last name of a path of regions (model::RegionRow::path), as the program gave it.
std::string region_name(std::string_view path);

/// "rank 3", "world 1 rank 3" where there are several worlds.
std::string rank_name(const timeline::Header &header, std::size_t rank);

}  // namespace scope::render
