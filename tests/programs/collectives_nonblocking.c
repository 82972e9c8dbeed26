// 3 ranks. Nonblocking collectives, one Wait each: sent bytes are booked at the call, received ones at the Wait, whose entry
// names the operation. The expected bytes (sent / received) of rank r are beside each call. Wait 17 calls.
#include <mpi.h>

static MPI_Request request;
static void done(void) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int r;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  MPI_Comm world = MPI_COMM_WORLD;
  static int a[64], b[64];
  static double x[16], y[16];
  int counts[3] = {1, 2, 3}, places[3] = {0, 1, 3};
  MPI_Ibarrier(world, &request), done();                                                      // 0 / 0
  MPI_Ibcast(a, 6, MPI_INT, 1, world, &request), done();                                      // root 1: 24 / 0, else 0 / 24
  MPI_Ireduce(x, y, 3, MPI_DOUBLE, MPI_SUM, 2, world, &request), done();                      // 24 / root 2: 24
  MPI_Iallreduce(MPI_IN_PLACE, y, 3, MPI_DOUBLE, MPI_SUM, world, &request), done();           // 24 / 24
  MPI_Igather(a, 2, MPI_INT, b, 2, MPI_INT, 0, world, &request), done();                      // 8 / root 0: 24
  MPI_Igatherv(a, r + 1, MPI_INT, b, counts, places, MPI_INT, 1, world, &request), done();    // 4(r+1) / root 1: 24
  MPI_Iscatter(a, 2, MPI_INT, b, 2, MPI_INT, 2, world, &request), done();                     // root 2: 24 / 8
  MPI_Iscatterv(a, counts, places, MPI_INT, b, r + 1, MPI_INT, 0, world, &request), done();   // root 0: 24 / 4(r+1)
  MPI_Iallgather(a, 2, MPI_INT, b, 2, MPI_INT, world, &request), done();                      // 8 / 24
  MPI_Iallgatherv(a, r + 1, MPI_INT, b, counts, places, MPI_INT, world, &request), done();    // 4(r+1) / 24
  MPI_Ialltoall(a, 2, MPI_INT, b, 2, MPI_INT, world, &request), done();                       // 24 / 24
  MPI_Ireduce_scatter(x, y, counts, MPI_DOUBLE, MPI_SUM, world, &request), done();            // 48 / 8(r+1)
  MPI_Iscan(a, b, 2, MPI_INT, MPI_SUM, world, &request), done();                              // 8 / 8
  MPI_Iexscan(a, b, 2, MPI_INT, MPI_SUM, world, &request), done();                            // 8 / rank 0: 0, else 8
  int mine[3] = {r + 1, r + 1, r + 1}, my_places[3] = {0, r + 1, 2 * (r + 1)}, bytes[3] = {0, 32, 64};
  MPI_Datatype types[3] = {MPI_INT, MPI_DOUBLE, MPI_INT}, my_types[3] = {types[r], types[r], types[r]};
  MPI_Ialltoallv(a, counts, places, MPI_INT, b, mine, my_places, MPI_INT, world, &request), done();  // 24 / 12(r+1)
  MPI_Ialltoallw(a, counts, bytes, types, b, mine, bytes, my_types, world, &request), done();        // 32 / 12, 48, 36
  MPI_Ireduce_scatter_block(x, y, 2, MPI_DOUBLE, MPI_SUM, world, &request), done();                  // 48 / 16
  MPI_Finalize();
  return 0;
}
