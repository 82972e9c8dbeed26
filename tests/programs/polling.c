// 2 ranks. Rank 0 polls with Iprobe for a second and prints how often; memory stays flat, and the report has one line for it.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, flag;
  long calls = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    for (double end = MPI_Wtime() + 1; MPI_Wtime() < end; ++calls)
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    printf("iprobe %ld\n", calls);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
