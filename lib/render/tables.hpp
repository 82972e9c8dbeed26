#pragma once
// The tables of the report and the summary: which columns a view has, what they are called.

#include "analyze/views.hpp"
#include "model/profile.hpp"
#include "render/table.hpp"

namespace scope::render {

Table call_table(const model::Profile &profile, const analyze::Filter &filter);
Table rank_table(const model::Profile &profile, const analyze::Filter &filter);
/// Ranks in rows, the procedures that took longest in columns.
Table heat_table(const model::Profile &profile, const analyze::Filter &filter);
Table spread_table(const model::Profile &profile, const analyze::Filter &filter);
/// Of `most` rows at most, the heaviest; Table::more says how many there are besides.
Table peer_table_of(const model::Profile &profile, const analyze::Filter &filter, std::size_t most);
Table peer_table(const model::Profile &profile, const analyze::Filter &filter);
Table size_table(const model::Profile &profile, const analyze::Filter &filter);
Table communicator_table(const model::Profile &profile, const analyze::Filter &filter);
Table callsite_table(const model::Profile &profile, const analyze::Filter &filter);
Table region_table(const model::Profile &profile, const analyze::Filter &filter);

/// "9.000 ms that all 4 ranks together spent in MPI": what "% of MPI time" is a share of.
std::string mpi_time_text(const analyze::Denominators &whole);
/// "40.00 ms, the wall times of all 4 ranks added up": what "% of rank time" is a share of.
std::string rank_time_text(const analyze::Denominators &whole);

/// "killed (signal 9)".
std::string status_text(const analyze::RankView &rank);

}  // namespace scope::render
