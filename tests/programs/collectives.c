// 3 ranks. Every blocking collective once; the expected bytes (sent / received) of rank r are beside each call.
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int r;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  MPI_Comm world = MPI_COMM_WORLD;
  static int a[64], b[64];
  static double x[16], y[16];
  int counts[3] = {1, 2, 3}, places[3] = {0, 1, 3};  // rank i has i + 1 elements
  int mine[3] = {r + 1, r + 1, r + 1}, my_places[3] = {0, r + 1, 2 * (r + 1)};
  MPI_Barrier(world);                                                                    // 0 / 0
  MPI_Bcast(a, 6, MPI_INT, 1, world);                                                    // root 1: 24 / 0, else 0 / 24
  MPI_Reduce(x, y, 3, MPI_DOUBLE, MPI_SUM, 2, world);                                    // 24 / root 2: 24
  MPI_Allreduce(x, y, 3, MPI_DOUBLE, MPI_SUM, world);                                    // 24 / 24
  MPI_Gather(a, 2, MPI_INT, b, 2, MPI_INT, 0, world);                                    // 8 / root 0: 24
  MPI_Gatherv(a, r + 1, MPI_INT, b, counts, places, MPI_INT, 1, world);                  // 4(r+1) / root 1: 24
  MPI_Scatter(a, 2, MPI_INT, b, 2, MPI_INT, 2, world);                                   // root 2: 24 / 8
  MPI_Scatterv(a, counts, places, MPI_INT, b, r + 1, MPI_INT, 0, world);                 // root 0: 24 / 4(r+1)
  MPI_Allgather(a, 2, MPI_INT, b, 2, MPI_INT, world);                                    // 8 / 24
  MPI_Allgatherv(a, r + 1, MPI_INT, b, counts, places, MPI_INT, world);                  // 4(r+1) / 24
  MPI_Alltoall(a, 2, MPI_INT, b, 2, MPI_INT, world);                                     // 24 / 24
  MPI_Alltoallv(a, counts, places, MPI_INT, b, mine, my_places, MPI_INT, world);         // 24 / 12(r+1)
  MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_INT}, my_types[3] = {types[r], types[r], types[r]};
  int bytes[3] = {0, 32, 64};
  MPI_Alltoallw(a, counts, bytes, types, b, mine, bytes, my_types, world);               // 32 / 12, 48, 36
  MPI_Reduce_scatter(x, y, counts, MPI_DOUBLE, MPI_SUM, world);                          // 48 / 8(r+1)
  MPI_Reduce_scatter_block(x, y, 2, MPI_DOUBLE, MPI_SUM, world);                         // 48 / 16
  MPI_Scan(a, b, 2, MPI_INT, MPI_SUM, world);                                            // 8 / 8
  MPI_Exscan(a, b, 2, MPI_INT, MPI_SUM, world);                                          // 8 / rank 0: 0, else 8
  MPI_Finalize();
  return 0;
}
