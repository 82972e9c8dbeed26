// 3 ranks, MPI 4. The _c forms, whose counts and count arrays have 64 bits; the expected bytes (sent / received) of rank r
// are beside each call, those of a message at its ends.
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int r;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  MPI_Comm world = MPI_COMM_WORLD;
  static int a[64], b[64];
  MPI_Count counts[3] = {1, 2, 3}, mine[3] = {r + 1, r + 1, r + 1};
  MPI_Aint places[3] = {0, 1, 3}, my_places[3] = {0, r + 1, 2 * (r + 1)};
  MPI_Request request;
  if (r == 0) MPI_Send_c(a, 5, MPI_INT, 1, 4, world);                                     // 20 / 0
  if (r == 1) MPI_Recv_c(b, 9, MPI_INT, 0, 4, world, MPI_STATUS_IGNORE);                  // 0 / 20
  if (r == 1) MPI_Isend_c(a, 6, MPI_INT, 2, 5, world, &request);                          // 24 / 0
  if (r == 2) MPI_Irecv_c(b, 9, MPI_INT, 1, 5, world, &request);                          // Wait: 0 / 24
  if (r > 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Allreduce_c(a, b, 7, MPI_INT, MPI_SUM, world);                                      // 28 / 28
  MPI_Gatherv_c(a, r + 1, MPI_INT, b, counts, places, MPI_INT, 1, world);                 // 4(r+1) / root 1: 24
  MPI_Alltoallv_c(a, counts, places, MPI_INT, b, mine, my_places, MPI_INT, world);        // 24 / 12(r+1)
  MPI_Reduce_scatter_c(a, b, counts, MPI_INT, MPI_SUM, world);                            // 24 / 4(r+1)
  MPI_Finalize();
  return 0;
}
