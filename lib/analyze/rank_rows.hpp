#pragma once
// The profile as rows of one region on one rank, MPI calls among them by their canonical names: the shape of the Python package's
// profiles, which know neither procedures nor signatures.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/profile.hpp"
#include "model/region_name.hpp"

namespace scope::analyze {

struct RankRow {
  std::string name;       ///< of the region; an MPI call's is canonical
  std::size_t rank = 0;   ///< index into Profile::ranks
  std::int64_t calls = 0, total_ns = 0;      ///< of this rank alone
  std::int64_t min_ns = 0, max_ns = 0;       ///< of all ranks that have the row: bounds of this rank's
  std::optional<std::int64_t> self_ns;       ///< nothing where it is known for all ranks together only
  std::string source_file;
  int source_line = 0;
  std::optional<model::RegionName> mpi;      ///< of an MPI call
};

/// Regions in the order of the profile, equal names of different paths added up; then MPI calls by procedure. Of every rank and
/// procedure, calls and times add up to the profile's: signatures of one rank are rows of their own; what several ranks share is
/// a row of its own where the procedure has one such signature, else one row for all of them, in which what differs is -1.
/// Procedures that wait for several requests at once are one row a rank, too, since such a call is no single signature's.
std::vector<RankRow> rank_rows(const model::Profile &profile);

}  // namespace scope::analyze
