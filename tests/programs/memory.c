// 1 rank. 70,000 messages of 8 B to itself, each with a tag of its own, and one of every size below 6,000 B (Isend, Recv, Wait): more
// signatures than a rank's table holds. Then 70,000 receives are posted before the first is sent, and completed by one Waitall.
// Writes resident bytes of the profiler in between to stderr: "start", "signatures", "posted", "completed", "finalized".
#include <mpi.h>

#include "our_memory.h"

enum { count = 70000, largest = 6000 };
static double in[count], out;
static MPI_Request requests[count];

static void report(const char *when) { fprintf(stderr, "%s %ld\n", when, our_bytes()); }

static void message(int bytes, int tag) {
  static char out[largest], got[largest];
  MPI_Request request;
  MPI_Isend(out, bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD, &request);
  MPI_Recv(got, bytes, MPI_BYTE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  report("start");
  for (int tag = 0; tag < count; ++tag) message(8, tag);
  for (int bytes = 0; bytes < largest; ++bytes) message(bytes, 1);
  report("signatures");
  for (int tag = 0; tag < count; ++tag) MPI_Irecv(&in[tag], 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, &requests[tag]);
  report("posted");
  for (int tag = 0; tag < count; ++tag) MPI_Send(&out, 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD);
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  report("completed");
  MPI_Finalize();
  report("finalized");
  return 0;
}
