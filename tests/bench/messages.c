/* Two ranks, two whole programs for programs.py:
 *   messages latency [LARGEST]   a ping-pong over sizes from 1 byte to LARGEST (4 MiB), as the OSU latency test has it, with more turns
 *                                (40,000, above 8 KiB 4,000);
 *   messages rate                windows of 64 small nonblocking messages, nothing else. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { largest = 4 << 20, window = 64, windows = 300000 };
static char *buffer;

static void latency(int rank, int up_to) {
  for (int bytes = 1; bytes <= up_to; bytes *= 2) {
    int turns = bytes <= 8192 ? 40000 : 4000;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < turns; ++i) {
      if (rank == 0) MPI_Send(buffer, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
      MPI_Recv(buffer, bytes, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank == 1) MPI_Send(buffer, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    }
  }
}

static void rate(int rank) {
  MPI_Request requests[window];
  for (int i = 0; i < windows; ++i) {
    for (int k = 0; k < window; ++k) {
      if (rank == 0)
        MPI_Isend(buffer + 8 * k, 8, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &requests[k]);
      else
        MPI_Irecv(buffer + 8 * k, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &requests[k]);
    }
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
    if (rank == 0)
      MPI_Recv(buffer, 8, MPI_CHAR, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
      MPI_Send(buffer, 8, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  buffer = calloc(1, largest);
  int up_to = argc > 2 ? atoi(argv[2]) : largest;
  if (argc < 2 || up_to < 1 || up_to > largest || !buffer || rank > 1) MPI_Abort(MPI_COMM_WORLD, 2);
  if (strcmp(argv[1], "rate") == 0)
    rate(rank);
  else
    latency(rank, up_to);
  free(buffer);
  MPI_Finalize();
  return 0;
}
