#pragma once
// The tables of what a timeline explained.

#include "analyze/filter.hpp"
#include "model/profile.hpp"
#include "render/table.hpp"

namespace scope::render {

Table wait_table(const model::Profile &profile, const analyze::Filter &filter);
Table delay_table(const model::Profile &profile, const analyze::Filter &filter);
Table path_table(const model::Profile &profile, const analyze::Filter &filter);

/// "Waiting 1.200 s, 40.0 % of the time in calls, most of it wait-nxn in MPI_Allreduce (1.000 s); most is due to computation of
/// rank 3 in solve". "" without a timeline, or where nobody waited.
std::string waiting_text(const model::Profile &profile);

/// "Waiting in collectives, an estimate from the ranks' sums: 1.200 s or more, ...", of a profile without timeline; "" where there
/// is nothing to say.
std::string estimate_text(const model::Profile &profile);

}  // namespace scope::render
