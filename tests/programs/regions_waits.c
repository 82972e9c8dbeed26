// regions_waits MODE: after a barrier, one rank is late by 200 ms at a known place, and somebody waits for it in a known call. Says on
// standard output how long the sleep really took: "asleep NS". The late rank is in region "solve" meanwhile, the others in "exchange".
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scope_profiler.h"

static int rank, size;
static char out[16], in[16];

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void late(void) {
  SCOPE_BEGIN("solve");
  long long begin = now();
  struct timespec time = {0, 200000000};
  while (nanosleep(&time, &time)) continue;
  printf("asleep %lld\n", now() - begin);
  fflush(stdout);
  SCOPE_END("solve");
}

static void send_to(int peer) { MPI_Send(out, 16, MPI_BYTE, peer, 7, MPI_COMM_WORLD); }

static void late_sender(void) {
  if (rank == 0) late(), send_to(1);
  if (rank == 1) MPI_Recv(in, 16, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void late_sender_any(void) {
  if (rank == 0) late(), send_to(1);
  if (rank == 1) MPI_Recv(in, 16, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void late_sender_wait(void) {
  MPI_Request requests[2];
  if (rank == 0) late(), send_to(1);
  if (rank != 1) return;
  MPI_Irecv(in, 16, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(in, 0, MPI_BYTE, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void late_sender_persistent(void) {
  MPI_Request request;
  if (rank == 0) MPI_Send_init(out, 16, MPI_BYTE, 1, 7, MPI_COMM_WORLD, &request);
  if (rank == 1) MPI_Recv_init(in, 16, MPI_BYTE, 0, 7, MPI_COMM_WORLD, &request);
  if (rank > 1) return;
  if (rank == 0) late();
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

static void late_sender_exchange(void) {
  if (rank > 1) return;
  if (rank == 0) late();
  MPI_Sendrecv(out, 16, MPI_BYTE, 1 - rank, 7 + rank, in, 16, MPI_BYTE, 1 - rank, 8 - rank, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void late_sender_probed(void) {
  if (rank == 0) late(), send_to(1);
  if (rank != 1) return;
  MPI_Message message;
  MPI_Mprobe(0, 7, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Mrecv(in, 16, MPI_BYTE, &message, MPI_STATUS_IGNORE);
}

static void late_receiver(void) {
  if (rank == 0) MPI_Ssend(out, 16, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
  if (rank != 1) return;
  late();
  MPI_Recv(in, 16, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void barrier(void) {
  if (rank == 1) late();
  MPI_Barrier(MPI_COMM_WORLD);
}

static void nxn(void) {
  double one = 1, sum;
  if (rank == 1) late();
  MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void nxn_request(void) {
  double one = 1, sum;
  MPI_Request request;
  if (rank == 1) late();
  MPI_Iallreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void broadcast(void) {
  if (rank == 1) late();
  MPI_Bcast(out, 16, MPI_BYTE, 1, MPI_COMM_WORLD);
}

static void reduce(void) {
  double one = 1, sum;
  if (rank == 1) late();
  MPI_Reduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void split(void) {  // root 0 of the communicator is the last rank of the world
  MPI_Comm comm;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  MPI_Barrier(comm);
  if (rank == size - 1) late();
  MPI_Bcast(out, 16, MPI_BYTE, 0, comm);
  MPI_Comm_free(&comm);
}

static void fence(void) {
  MPI_Win window;
  MPI_Win_create(in, 16, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_fence(0, window);
  if (rank == 1) late();
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
}

static void chain(void) {  // one after the other, whatever the network takes
  if (rank == 0) late(), send_to(1);
  if (rank == 1) MPI_Recv(in, 16, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE), late();
}

static void finalize(void) {
  if (rank == 1) late();
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } modes[] = {{"late-sender", late_sender}, {"any", late_sender_any}, {"wait", late_sender_wait}, {"persistent", late_sender_persistent},
               {"exchange", late_sender_exchange}, {"probed", late_sender_probed}, {"late-receiver", late_receiver}, {"barrier", barrier},
               {"nxn", nxn}, {"nxn-request", nxn_request}, {"broadcast", broadcast}, {"reduce", reduce}, {"split", split}, {"fence", fence}, {"chain", chain},
               {"finalize", finalize}};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *mode = argc > 1 ? argv[1] : "";
  for (unsigned i = 0; i < sizeof modes / sizeof modes[0]; ++i) {
    if (strcmp(mode, modes[i].name) != 0) continue;
    SCOPE_BEGIN("exchange");
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);  // all leave it together: the first one was waited in
    modes[i].run();
    SCOPE_END("exchange");
    MPI_Finalize();
    return 0;
  }
  MPI_Abort(MPI_COMM_WORLD, 2);
  return 2;
}
