#pragma once
// Budgets: limits in a file, TOML with one addition.
//
//   mpi_share <= 0.25                          # as one would say it
//   parallel_efficiency = ">= 0.8"             # the same as plain TOML
//   calls.MPI_Iprobe.calls <= 1e6
//   calls."MPI_I*".total <= 2 s                # * and ? stand for any characters, in names of calls and regions
//   wall <= +5%                                # growth: needs a base
//   findings.late-sender = "forbid"
//   [regions."main/solve"]
//   total <= 30 s

#include <string>
#include <vector>

#include "compare/options.hpp"

namespace scope::compare {

/// The limits of a budget, in the order of their lines; each one's source is "FILE:LINE". Throws support::Error with file, line,
/// column and reason, and for an unknown name with the nearest one. Any text is safe to give.
std::vector<Limit> parse_budget(const std::string &text, const std::string &file);

/// A first budget from a profile: what it is now with some room, exact counts as they are.
std::string first_budget(const Measurements &measurements, const std::string &file);

}  // namespace scope::compare
