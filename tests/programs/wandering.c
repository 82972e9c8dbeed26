// n ranks. Changes directory to / after MPI_Init, sets umask 077 and clears its environment: the data are found none the
// less. Barrier 1.
#include <mpi.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  umask(077);
  int code = chdir("/");
  unsetenv("SCOPE_PROFILER_RUN_DIR");
  unsetenv("SCOPE_PROFILER_RUN_ID");
  MPI_Finalize();
  return code;
}
