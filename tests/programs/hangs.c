// Ranks that get no further, by the word of argv[1]. An alarm ends what nobody else ends.
//   send      ranks 0 and 1 send 1 MiB to each other before they receive
//   skip      3 ranks: rank 1 leaves out a Barrier and waits for a message that nobody sends (rank 0, tag 42)
//   mixed     3 ranks: rank 2 calls Reduce where the others call Allreduce
//   tag       rank 0 sends tag 41 twice, rank 1 receives tag 42
//   any       rank 0 receives from any source what nobody sends; rank 1 waits for it in a Barrier
//   ring      3 ranks: each receives from the next one before it sends
//   wait      rank 0 waits for an Irecv from rank 1, which is in a Barrier
//   poll      rank 0 tests an Irecv and probes for ever; rank 1 is in a Barrier
//   gone      rank 1 ends with _exit(0); the others wait for it in a Barrier
//   compute   rank 1 computes for 8 s, the others wait in a Barrier; then all go on
//   subcomm   4 ranks: in the communicator of ranks 1 and 3, rank 3 calls no Bcast but a Barrier of the world
//   left      does not hang: rank 0 sends three messages, rank 1 receives one
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank;
static char big[1 << 20], other[1 << 20];

static void hang_send(void) {
  if (rank > 1) return;
  MPI_Send(big, sizeof big, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD);
  MPI_Recv(other, sizeof other, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void hang_skip(void) {
  int number = 0;
  if (rank == 1) MPI_Recv(&number, 1, MPI_INT, 0, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void hang_mixed(void) {
  static double in[1 << 17], out[1 << 17];
  if (rank == 2) MPI_Reduce(in, out, 1 << 17, MPI_DOUBLE, MPI_SUM, 2, MPI_COMM_WORLD);
  else MPI_Allreduce(in, out, 1 << 17, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void hang_tag(void) {
  int number = 0;
  if (rank == 0) {
    MPI_Send(&number, 1, MPI_INT, 1, 41, MPI_COMM_WORLD);
    MPI_Send(&number, 1, MPI_INT, 1, 41, MPI_COMM_WORLD);
  }
  if (rank == 1) MPI_Recv(&number, 1, MPI_INT, 0, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // @recv
  MPI_Barrier(MPI_COMM_WORLD);  // @barrier
}

static void hang_any(void) {
  int number = 0;
  if (rank == 0) MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void hang_ring(void) {
  int number = 0;
  MPI_Recv(&number, 1, MPI_INT, (rank + 1) % 3, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(&number, 1, MPI_INT, (rank + 2) % 3, 5, MPI_COMM_WORLD);
}

static void hang_wait(void) {
  int number = 0;
  if (rank == 0) {
    MPI_Request request;
    MPI_Irecv(&number, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void hang_poll(void) {
  int number = 0, done = 0, there = 0;
  if (rank == 0) {
    MPI_Request request;
    MPI_Irecv(&number, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, &request);
    while (!done) {
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      MPI_Test(&request, &done, MPI_STATUS_IGNORE);
      MPI_Iprobe(1, 8, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void leave_message(void) {
  int number = 0;
  MPI_Request request;
  for (int i = 0; i < 3 && rank == 0; ++i) MPI_Send(&number, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Irecv(&number, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

static void hang_gone(void) {
  if (rank == 1) _exit(0);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void compute(void) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while (rank == 1 && (double)(now.tv_sec - begin.tv_sec) + 1e-9 * (double)(now.tv_nsec - begin.tv_nsec) < 8);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void hang_subcomm(void) {
  MPI_Comm half;
  int number = 0;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  if (rank == 1) MPI_Bcast(&number, 1, MPI_INT, 1, half);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&half);
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*body)(void);
  } cases[] = {{"send", hang_send}, {"skip", hang_skip}, {"mixed", hang_mixed}, {"tag", hang_tag},
               {"any", hang_any}, {"ring", hang_ring}, {"wait", hang_wait}, {"poll", hang_poll},
               {"gone", hang_gone}, {"compute", compute}, {"subcomm", hang_subcomm}, {"left", leave_message}};
  alarm(60);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    if (argc > 1 && strcmp(cases[i].name, argv[1]) == 0) cases[i].body();
  MPI_Finalize();
  if (rank == 0) puts("went on");
  return 0;
}
