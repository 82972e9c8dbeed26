// 2 ranks. Rank 0 sends 10, 20, 30, 40 and 50 B with tags 1 to 5. Rank 1 receives them after Probe (Recv), Mprobe (Mrecv),
// Mprobe (Imrecv, Wait), Improbe (Mrecv) and Iprobe (Recv), without knowing source, tag or size: Recv 2 calls, 60 B; Mrecv 2
// calls, 60 B; Wait 1 call of an imrecv, 30 B. Prints how often rank 1 called Improbe and Iprobe.
#include <mpi.h>
#include <stdio.h>

enum { ROOM = 1000 };

static void receive_all(void) {
  char data[ROOM];
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Message message;
  MPI_Request request;
  MPI_Status status;
  MPI_Probe(MPI_ANY_SOURCE, 1, world, &status);
  MPI_Recv(data, ROOM, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, world, MPI_STATUS_IGNORE);
  MPI_Mprobe(MPI_ANY_SOURCE, 2, world, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(data, ROOM, MPI_BYTE, &message, MPI_STATUS_IGNORE);
  MPI_Mprobe(0, 3, world, &message, &status);
  MPI_Imrecv(data, ROOM, MPI_BYTE, &message, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int found = 0, improbes = 0, iprobes = 0;
  for (; !found; ++improbes) MPI_Improbe(MPI_ANY_SOURCE, 4, world, &found, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(data, ROOM, MPI_BYTE, &message, &status);
  for (found = 0; !found; ++iprobes) MPI_Iprobe(0, MPI_ANY_TAG, world, &found, MPI_STATUS_IGNORE);
  MPI_Recv(data, ROOM, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
  printf("improbe %d\niprobe %d\n", improbes, iprobes);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  static char data[ROOM];
  if (rank == 0)
    for (int tag = 1; tag <= 5; ++tag) MPI_Send(data, 10 * tag, MPI_BYTE, 1, tag, MPI_COMM_WORLD);
  if (rank == 1) receive_all();
  MPI_Finalize();
  return 0;
}
