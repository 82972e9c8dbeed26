// 2 ranks, MPI 4. 10 rounds of a partitioned send of 4 x 100 doubles, received as 2 x 200: rank 0 sends 32,000 B at its 10
// starts; Pready 16 calls (4 rounds), Pready_list 3, Pready_range 3, all without bytes. Rank 1 asks with Parrived until both parts
// are there, prints how often ("parrived N"), and receives 32,000 B in its 10 waits.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  static double data[400];
  MPI_Request request;
  int list[] = {3, 1, 0, 2};  // the standard has it const, MPICH 4.0 not
  int asked = 0;
  if (rank == 0)
    MPI_Psend_init(data, 4, 100, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  else
    MPI_Precv_init(data, 2, 200, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  for (int round = 0; round < 10; ++round) {
    MPI_Start(&request);
    for (int i = 0; rank == 0 && round < 4 && i < 4; ++i) MPI_Pready(i, request);
    if (rank == 0 && round >= 4 && round < 7) MPI_Pready_list(4, list, request);
    if (rank == 0 && round >= 7) MPI_Pready_range(0, 3, request);
    for (int i = 0; rank == 1 && i < 2; ++i) {
      int flag = 0;
      for (; !flag; ++asked) MPI_Parrived(request, i, &flag);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  if (rank == 1) printf("parrived %d\n", asked);
  MPI_Finalize();
  return 0;
}
