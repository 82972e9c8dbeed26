// 1 rank or more. World rank 0's world spawns two ranks of this program, sends each 12 B (tag 6) over the intercommunicator
// and disconnects. Two worlds: the parents' (Comm_spawn 1 a rank; Send 2 by rank 0) and the children's (Comm_get_parent, Recv
// 1 each).
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm parent, children;
  int rank, data[3] = {1, 2, 3};
  MPI_Comm_get_parent(&parent);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (parent != MPI_COMM_NULL) {
    MPI_Recv(data, 3, MPI_INT, 0, 6, parent, MPI_STATUS_IGNORE);
    MPI_Comm_disconnect(&parent);
  } else {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
    for (int i = 0; rank == 0 && i < 2; ++i) MPI_Send(data, 3, MPI_INT, i, 6, children);
    MPI_Comm_disconnect(&children);
  }
  MPI_Finalize();
  return 0;
}
