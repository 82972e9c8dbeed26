// n ranks. Prints "rank R of N ARGUMENTS" in one line a rank. Init, Comm_rank, Comm_size, Finalize 1 each. As an MPMD part,
// as a singleton, under the other MPI's launcher, and as a rank that has nothing to say about MPI.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char line[1000];
  int length = snprintf(line, sizeof line, "rank %d of %d", rank, size);
  for (int i = 1; i < argc && length < 900; ++i) length += snprintf(line + length, sizeof line - length, " %s", argv[i]);
  line[length++] = '\n';
  if (write(1, line, length) != length) return 1;  // at once: launchers mix the parts of a line that comes in parts
  MPI_Finalize();
  return 0;
}
