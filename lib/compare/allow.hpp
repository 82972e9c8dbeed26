#pragma once
// The file of --allow: changes that are known and accepted.

#include <string>
#include <vector>

#include "compare/options.hpp"

namespace scope::compare {

/// One pattern of metric names a line ("calls.MPI_Allreduce.*"); what follows " #" is for people, as are lines that begin with
/// '#'. `file` is named in errors and sources. Throws support::Error for a line with several words.
std::vector<Allowance> parse_allowances(const std::string &text, const std::string &file);

}  // namespace scope::compare
