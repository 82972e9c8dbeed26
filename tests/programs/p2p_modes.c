// 2 ranks. Every send mode, blocking and not; message k has k + 1 ints and tag 10 + k, all from rank 0 to rank 1. Rank 0:
// Send, Ssend, Bsend, Rsend, Isend, Issend, Ibsend, Irsend 1 call each, 4 (k + 1) B sent; Waitall 1 call that completes four
// sends and books no byte again. Rank 1: Irecv 8 calls (no bytes), Waitall 1 call with 8 completions, 144 B received.
#include <mpi.h>

enum { MESSAGES = 8, LONGEST = 64 };

static void send_all(void) {
  static int data[LONGEST];
  static char space[4096];
  MPI_Request requests[4];
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Buffer_attach(space, sizeof space);
  MPI_Send(data, 1, MPI_INT, 1, 10, world);
  MPI_Ssend(data, 2, MPI_INT, 1, 11, world);
  MPI_Bsend(data, 3, MPI_INT, 1, 12, world);
  MPI_Rsend(data, 4, MPI_INT, 1, 13, world);
  MPI_Isend(data, 5, MPI_INT, 1, 14, world, &requests[0]);
  MPI_Issend(data, 6, MPI_INT, 1, 15, world, &requests[1]);
  MPI_Ibsend(data, 7, MPI_INT, 1, 16, world, &requests[2]);
  MPI_Irsend(data, 8, MPI_INT, 1, 17, world, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  void *address;
  int size;
  MPI_Buffer_detach(&address, &size);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  static int data[MESSAGES][LONGEST];
  MPI_Request requests[MESSAGES];
  if (rank == 1)
    for (int k = 0; k < MESSAGES; ++k) MPI_Irecv(data[k], LONGEST, MPI_INT, 0, 10 + k, MPI_COMM_WORLD, &requests[k]);
  MPI_Barrier(MPI_COMM_WORLD);  // ready mode wants the receives posted
  if (rank == 0) send_all();
  if (rank == 1) MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
  MPI_Finalize();
  return 0;
}
