// 2 ranks. Comm_dup, Comm_set_name, Barrier, Comm_free 20,000 each, with names that hold quotes, a tab and a byte that is no
// UTF-8. Memory stays flat and the profile is valid JSON.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  char name[MPI_MAX_OBJECT_NAME];
  for (int i = 0; i < 20000; ++i) {
    MPI_Comm twin;
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    snprintf(name, sizeof name, "halo \"%d\"\t\xff", i);
    MPI_Comm_set_name(twin, name);
    MPI_Barrier(twin);
    MPI_Comm_free(&twin);
  }
  MPI_Finalize();
  return 0;
}
