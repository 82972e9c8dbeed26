#pragma once
// What profiles of the Python package have in common, with and without a timeline. Internal to the room.

#include <nlohmann/json.hpp>

#include "analyze/rank_rows.hpp"
#include "model/profile.hpp"

namespace scope::render {

/// All keys but "regions".
nlohmann::ordered_json python_head(const model::Profile &profile, bool has_events);

/// The tags of an MPI call's row.
nlohmann::ordered_json mpi_tags(const model::RegionName &name);

/// A row without a timeline.
nlohmann::ordered_json row_of(const analyze::RankRow &row);

/// What gives a reader the wall time of a rank that has no timeline. `has_regions`: other rows say what part of it was not MPI.
nlohmann::ordered_json program_row(const model::Rank &rank, std::size_t index, bool has_regions);

}  // namespace scope::render
