#pragma once
// Which MPI world this process belongs to: a key that is equal for all ranks of one MPI_COMM_WORLD and for no other world of
// the run, found without communicating.
//
// Open MPI gives every job an id in the environment. MPICH's process managers do not; hydra's proxies carry the address of
// their mpiexec and the number of the process group in their arguments. What a process inherited by accident (a rank's helper,
// a program of another MPI than its launcher's) is told apart by the size that MPI reports. The environment is read before
// MPI_Init, since a singleton changes it.

namespace scope::preload {

/// Before MPI_Init.
void note_environment();

/// After MPI_Init, `family` and Header::rank and size are set: fills Header::world_key and parent_key.
void find_world();

}  // namespace scope::preload
