// 2 ranks, MPI 4. 10 rounds of a partitioned send of 4 x 100 doubles, received as 2 x 200: rank 0 sends 32,000 B at its 10
// starts, Pready 40 calls without bytes; rank 1 receives 32,000 B in its 10 waits.
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  static double data[400];
  MPI_Request request;
  if (rank == 0)
    MPI_Psend_init(data, 4, 100, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  else
    MPI_Precv_init(data, 2, 200, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int round = 0; round < 10; ++round) {
    MPI_Start(&request);
    for (int i = 0; rank == 0 && i < 4; ++i) MPI_Pready(i, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  MPI_Finalize();
  return 0;
}
