// 3 ranks. Collectives with MPI_IN_PLACE: the numbers are those of the call that is not in place. The expected bytes (sent /
// received) of rank r are beside each call. Arguments that MPI does not look at hold junk.
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int r;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Datatype no_type = MPI_DATATYPE_NULL;
  static int a[64], b[64];
  static double x[16];
  int counts[3] = {1, 2, 3}, places[3] = {0, 1, 3};
  int pairs[3] = {r + 1, r + 2, r + 3}, spread[3] = {0, 8, 16}, spread_bytes[3] = {0, 32, 64};
  MPI_Datatype ints[3] = {MPI_INT, MPI_INT, MPI_INT};
  MPI_Allgather(MPI_IN_PLACE, 0, no_type, a, 4, MPI_INT, world);                        // 16 / 48
  MPI_Allgatherv(MPI_IN_PLACE, 0, no_type, a, counts, places, MPI_INT, world);          // 4(r+1) / 24
  MPI_Alltoall(MPI_IN_PLACE, -7, no_type, a, 4, MPI_INT, world);                        // 48 / 48
  MPI_Alltoallv(MPI_IN_PLACE, 0, 0, no_type, a, pairs, spread, MPI_INT, world);         // 12r+24 / 12r+24
  MPI_Alltoallw(MPI_IN_PLACE, 0, 0, 0, a, pairs, spread_bytes, ints, world);            // 12r+24 / 12r+24
  MPI_Allreduce(MPI_IN_PLACE, x, 3, MPI_DOUBLE, MPI_SUM, world);                        // 24 / 24
  MPI_Reduce(r == 1 ? MPI_IN_PLACE : x, r == 1 ? x : 0, 3, MPI_DOUBLE, MPI_SUM, 1, world);  // 24 / root 1: 24
  MPI_Reduce_scatter(MPI_IN_PLACE, x, counts, MPI_DOUBLE, MPI_SUM, world);              // 48 / 8(r+1)
  MPI_Reduce_scatter_block(MPI_IN_PLACE, x, 2, MPI_DOUBLE, MPI_SUM, world);             // 48 / 16
  MPI_Scan(MPI_IN_PLACE, a, 2, MPI_INT, MPI_SUM, world);                                // 8 / 8
  MPI_Exscan(MPI_IN_PLACE, a, 2, MPI_INT, MPI_SUM, world);                              // 8 / rank 0: 0, else 8
  if (r == 0) {
    MPI_Gather(MPI_IN_PLACE, 0, no_type, a, 4, MPI_INT, 0, world);                      // 16 / root 0: 48
    MPI_Gatherv(MPI_IN_PLACE, 0, no_type, a, counts, places, MPI_INT, 0, world);        // 4(r+1) / root 0: 24
    MPI_Scatter(a, 4, MPI_INT, MPI_IN_PLACE, 0, no_type, 0, world);                     // root 0: 48 / 16
    MPI_Scatterv(a, counts, places, MPI_INT, MPI_IN_PLACE, 0, no_type, 0, world);       // root 0: 24 / 4(r+1)
  } else {
    MPI_Gather(a, 4, MPI_INT, 0, -1, no_type, 0, world);
    MPI_Gatherv(a, r + 1, MPI_INT, 0, 0, 0, no_type, 0, world);
    MPI_Scatter(0, -1, no_type, b, 4, MPI_INT, 0, world);
    MPI_Scatterv(0, 0, 0, no_type, b, r + 1, MPI_INT, 0, world);
  }
  MPI_Finalize();
  return 0;
}
