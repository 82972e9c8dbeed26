// 1 rank. 70,000 messages of 8 B to itself, each with a tag of its own. `memory one`: one after the other (Isend, Recv, Wait).
// `memory all`: all receives are posted, then all are sent, then one MPI_Waitall completes the receives: as many operations under
// way, and in one wait. Prints "before", "after" with the resident set in bytes and "peak" with its maximum in between.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { count = 70000 };
static double in[count];
static MPI_Request requests[count];

static long status_bytes(const char *key) {
  char line[256];
  long kilobytes = 0;
  FILE *file = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), ": %ld", &kilobytes) == 1) break;
  if (file) fclose(file);
  return kilobytes * 1024;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  double out = 1;
  MPI_Request request;
  memset(in, 1, sizeof in);
  memset(requests, 1, sizeof requests);
  printf("before %ld\n", status_bytes("VmRSS"));
  if (argc > 1 && strcmp(argv[1], "all") == 0) {
    for (int tag = 0; tag < count; ++tag) MPI_Irecv(&in[tag], 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, &requests[tag]);
    for (int tag = 0; tag < count; ++tag) MPI_Send(&out, 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  } else {
    for (int tag = 0; tag < count; ++tag) {
      MPI_Isend(&out, 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, &request);
      MPI_Recv(&in[tag], 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
  }
  printf("after %ld\n", status_bytes("VmRSS"));
  printf("peak %ld\n", status_bytes("VmHWM"));
  MPI_Finalize();
  fprintf(stderr, "finalized %ld\n", status_bytes("VmHWM"));
  return 0;
}
