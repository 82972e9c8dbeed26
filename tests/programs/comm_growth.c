// 2 ranks. Comm_dup, Barrier, Comm_free 200 times to warm up, then 20,000 times; Barrier 2 on the world. Exit code 1 if the
// resident set grew by more than 4 MiB in between (a leak of 256 B a communicator would be 5 MB), or could not be read.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

static long resident_bytes(void) {
  long pages = -1;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%*d %ld", &pages) != 1) pages = -1;
  if (file) fclose(file);
  return pages < 0 ? -1 : pages * sysconf(_SC_PAGESIZE);
}

static void churn(int times) {
  for (int i = 0; i < times; ++i) {
    MPI_Comm twin;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Barrier(twin);
    MPI_Comm_free(&twin);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  churn(200);
  long before = resident_bytes();
  churn(20000);
  long after = resident_bytes();
  printf("grew %ld\n", after - before);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return before < 0 || after < 0 || after - before > 4 << 20;
}
