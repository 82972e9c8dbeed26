// n ranks. Rank 0 copies standard input to standard output byte by byte as it is, and the number of bytes to standard error.
// Bcast 1 of a long, 8 B.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, c;
  long bytes = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    for (; (c = getchar()) != EOF; ++bytes) putchar(c);
    fflush(stdout);
    fprintf(stderr, "copied %ld\n", bytes);
  }
  MPI_Bcast(&bytes, 1, MPI_LONG, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
