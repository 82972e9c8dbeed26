// 4 ranks. Split into even and odd with reversed order, so that the lower world rank is rank 1 there: rank 0 of each, the
// higher world rank, sends 3 ints (12 B, tag 1) to rank 1: 2 -> 0 and 3 -> 1 in world ranks. The receiver asks for any
// source. Two communicators of size 2 named "even" and "odd", the Send and the Recv in them. Then a Barrier on the parent and
// on a duplicate of it.
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, place, data[3] = {0};
  MPI_Comm half, twin;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_set_name(half, rank % 2 ? "odd" : "even");
  MPI_Comm_rank(half, &place);
  if (place == 0) MPI_Send(data, 3, MPI_INT, 1, 1, half);
  if (place == 1) MPI_Recv(data, 3, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, half, MPI_STATUS_IGNORE);
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(twin);
  MPI_Comm_free(&twin);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
