// 2 ranks. 50 messages of 8 B each way, one after the other. Prints "host RANK NAME" and "rounds RANK N".
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, length;
  double value = 0;
  char host[MPI_MAX_PROCESSOR_NAME];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Get_processor_name(host, &length);
  for (int i = 0; i < 50; ++i) {
    if (rank == 0) {
      MPI_Send(&value, 1, MPI_DOUBLE, 1, i, MPI_COMM_WORLD);
      MPI_Recv(&value, 1, MPI_DOUBLE, 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(&value, 1, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      value += 1;
      MPI_Send(&value, 1, MPI_DOUBLE, 0, i, MPI_COMM_WORLD);
    }
  }
  printf("host %d %s\nrounds %d %d\n", rank, host, rank, (int)value);
  MPI_Finalize();
  return 0;
}
