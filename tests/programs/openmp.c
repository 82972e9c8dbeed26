// 2 ranks with 3 OpenMP threads each, MPI_THREAD_MULTIPLE. Every thread sends 5 messages of 4 ints (16 B) to the other rank with its
// number as tag, and receives as many; between parallel regions one thread makes 2 Allreduce of 8 B. Prints "threads 3" on rank 0.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

int main(int argc, char **argv) {
  int provided, rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int threads = 0;
  double sum = 0;
  for (int round = 0; round < 2; ++round) {
#pragma omp parallel num_threads(3)
    {
      int number = omp_get_thread_num(), out[4] = {rank, number, round, 0}, in[4];
#pragma omp single
      threads = omp_get_num_threads();
      for (int i = 0; i < (round ? 2 : 3); ++i) {
        MPI_Request request;
        MPI_Irecv(in, 4, MPI_INT, 1 - rank, number, MPI_COMM_WORLD, &request);
        MPI_Send(out, 4, MPI_INT, 1 - rank, number, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
    }
    double mine = rank;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
  if (rank == 0) printf("threads %d\n", threads);
  MPI_Finalize();
  return sum == 1 ? 0 : 1;
}
