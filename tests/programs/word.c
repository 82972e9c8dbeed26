// n ranks. Prints "HOST RANK WORD" in one line a rank, with the value of SCOPE_TEST_WORD. Init, Comm_rank, Finalize 1 each.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char host[256] = "", line[600];
  gethostname(host, sizeof host - 1);
  const char *word = getenv("SCOPE_TEST_WORD");
  int length = snprintf(line, sizeof line, "%s %d %.200s\n", host, rank, word ? word : "none");
  if (write(1, line, (size_t)length) != length) return 1;
  MPI_Finalize();
  return 0;
}
