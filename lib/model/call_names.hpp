#pragma once
// What analyses ask of a procedure by its name.

#include <string_view>

namespace scope::model {

/// Calls that return at once whether or not anything came: MPI_Test*, MPI_Iprobe, MPI_Improbe, MPI_Request_get_status*,
/// MPI_Parrived. False for a name that is no procedure.
bool only_asks(std::string_view procedure);

}  // namespace scope::model
