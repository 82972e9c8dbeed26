#pragma once
// run --collect mpi: in MPI_Finalize, before the library's own, the leader of each node that can't reach the run directory sends
// the node file to a rank that can, on a communicator of ours. Everything is nonblocking and bounded: where somebody does not
// come, nothing is sent and the node files stay where they are.

namespace scope::preload {

/// In MPI_Init: makes the communicator, with all ranks of the world, and finds out who sends to whom. `away`: this rank's data are
/// not in the run directory.
void prepare_hand_over(bool away);

/// Whether there is something to do in MPI_Finalize for this rank: it is away, or takes over.
bool has_part_in_hand_over();

/// In MPI_Finalize, behind the dump. `directory` is this rank's place.
void hand_over(const char *directory);

/// Whether this rank's node file has arrived.
bool handed_over();

/// At exit of a process whose node file has arrived: removes what is left of it in the node's directory, and that.
void clear_place(const char *directory);

}  // namespace scope::preload
