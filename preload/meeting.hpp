#pragma once
// Where the region library, if the program uses it, reads the MPI time and calls of its threads: wire/region_block.hpp.

namespace scope::preload {

/// Thread-local counts can be found from now on.
void open_meeting();

}  // namespace scope::preload
