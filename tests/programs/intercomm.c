// 4 ranks, {0, 1} and {2, 3} joined by an intercommunicator. World rank 0 sends 7 B (tag 2) to remote rank 1, world rank 3.
// Bcast of 5 ints from world rank 0 (MPI_ROOT): 20 B sent there, 0 at rank 1 (MPI_PROC_NULL), 20 B received by 2 and 3.
// Allreduce of a double: 8 B sent and received by all. Allgather of an int: 4 B sent, 8 received (two remote ranks). Alltoall
// of an int: 8 B sent and received. Gather of an int to world rank 0: 4 B sent by 2 and 3, 8 received by 0. Then the merged
// intracommunicator: Barrier 1.
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int upper = rank >= 2;
  MPI_Comm half, bridge, whole;
  MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : 2, 11, &bridge);
  char letters[16] = "";
  int a[5] = {0}, b[5];
  double x = 1, y;
  if (rank == 0) MPI_Send(letters, 7, MPI_BYTE, 1, 2, bridge);
  if (rank == 3) MPI_Recv(letters, 16, MPI_BYTE, 0, MPI_ANY_TAG, bridge, MPI_STATUS_IGNORE);
  int root = upper ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Bcast(a, 5, MPI_INT, root, bridge);
  MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, bridge);
  MPI_Allgather(a, 1, MPI_INT, b, 1, MPI_INT, bridge);
  MPI_Alltoall(a, 1, MPI_INT, b, 1, MPI_INT, bridge);
  MPI_Gather(a, 1, MPI_INT, b, 1, MPI_INT, root, bridge);
  MPI_Intercomm_merge(bridge, upper, &whole);
  MPI_Barrier(whole);
  MPI_Comm_free(&whole);
  MPI_Comm_free(&bridge);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
