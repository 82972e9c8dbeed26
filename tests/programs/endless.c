// 1 rank. A million messages of 8 B to itself, each with a tag of its own: Isend, Recv, Wait a million each. Then five million
// Iprobe that find nothing. Prints the peak of its resident set in bytes, which the tool may raise by 16 MiB at most.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static long peak_bytes(void) {
  char line[256];
  long kilobytes = 0;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "VmHWM: %ld", &kilobytes) == 1) break;
  if (file) fclose(file);
  return kilobytes * 1024;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  double out = 1, in;
  int flag;
  MPI_Request request;
  for (int tag = 0; tag < 1000000; ++tag) {
    MPI_Isend(&out, 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, &request);
    MPI_Recv(&in, 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 5000000; ++i) MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  printf("peak %ld\n", peak_bytes());
  MPI_Finalize();
  return 0;
}
