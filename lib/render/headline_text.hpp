#pragma once
// The sentences about a whole profile, shared by the summary and the report. They hold data as they are: escape before use.

#include <string>

#include "analyze/views.hpp"
#include "model/profile.hpp"

namespace scope::render {

/// "" where there is nothing to say.
struct HeadlineText {
  std::string command;      ///< as a shell would read it
  std::string facts;        ///< ranks, hosts, library, wall time, exit status
  std::string batch;        ///< the batch job; "" outside one
  std::string incomplete;   ///< how many ranks of how many reported
  std::string unfinished;   ///< ranks that did not reach MPI_Finalize's end
  std::string efficiency;
  std::string explanation;  ///< of the efficiency
  std::string mpi;          ///< MPI's share with its denominator
  std::string startup;      ///< what MPI_Init and MPI_Finalize took, where that is much, and the figures without them
  std::string waiting;      ///< what a timeline says of it: how much, the largest wait state, the origin of most delays
  std::string estimate;     ///< of waiting in collectives, where there is no timeline
  std::string messages;     ///< point-to-point and one-sided traffic
  std::string cost;         ///< the tool's own
};
HeadlineText headline_text(const model::Profile &profile, const analyze::Headline &line);

/// What there is to say of a profile without ranks: that no MPI was used, or that nothing was recorded.
std::string no_mpi_text(const model::Profile &profile);

}  // namespace scope::render
