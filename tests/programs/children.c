// n ranks. Barrier 10, in whose midst the rank starts helpers: system(), popen() and fork() with exit(). They are no ranks,
// write nothing, and what they do at their exit leaves the rank's counts alone.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 5; ++i) MPI_Barrier(MPI_COMM_WORLD);
  int code = system("true; ls > /dev/null");
  FILE *pipe = popen("date > /dev/null", "r");
  if (pipe) pclose(pipe);
  fflush(0);
  if (fork() == 0) exit(0);
  wait(0);
  for (int i = 0; i < 5; ++i) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return code;
}
