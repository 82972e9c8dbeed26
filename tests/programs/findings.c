// findings MODE [near]: a program that has just what one rule of the findings is about, or nearly.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size, near;

static void compute(double ms) {  // asleep, so that other work on the machine does not stretch it
  struct timespec time = {(time_t)(ms / 1000), (long)(ms * 1e6) % 1000000000};
  while (nanosleep(&time, &time)) continue;
}

static void send_to(int peer, void *data, int bytes) { MPI_Send(data, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD); }
static void receive_from(int peer, void *data, int bytes) { MPI_Recv(data, bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static void load_imbalance(void) {
  compute(near ? (rank == 1 ? 1030 : 1000) : (rank == 1 ? 600 : 200));
  MPI_Barrier(MPI_COMM_WORLD);
}

static void late_sender(void) {
  char data[8] = {0};
  compute(rank == 0 ? 500 : near ? 490 : 100);
  if (rank == 0) send_to(1, data, 8);
  if (rank == 1) receive_from(0, data, 8);
}

static void serialised_chain(void) {
  char data[8] = {0};
  if (near) compute(400);
  if (rank > 0) receive_from(rank - 1, data, 8);
  if (!near) compute(150);
  if (rank + 1 < size) send_to(rank + 1, data, 8);
}

static void outlier(void) { compute(near ? 200 + 100 * rank : rank == 2 ? 600 : 200); }

/// Messages to itself wait for nobody.
static void messages_to_itself(int count, int bytes) {
  char *out = calloc(1, (size_t)bytes), *in = malloc((size_t)bytes);
  for (int i = 0; i < count; ++i) {
    MPI_Request request;
    MPI_Isend(out, bytes, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &request);
    receive_from(rank, in, bytes);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  free(out);
  free(in);
}

static void small_messages(void) {
  messages_to_itself(2000000, 8);
  if (near) messages_to_itself(1000000, 1025);
}

static void eager_messages(void) { messages_to_itself(120000, near ? 65537 : 32768); }

static void dominant_pair(void) {
  int bytes = 1 << 20, others = near ? 1 << 20 : 1 << 10;
  char *out = calloc(1, (size_t)bytes), *in = malloc((size_t)bytes);
  for (int i = 0; i < 400; ++i) {
    int own = rank < 2 ? bytes : others;
    MPI_Sendrecv(out, own, MPI_BYTE, rank ^ 1, 0, in, own, MPI_BYTE, rank ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (near) {  // and the neighbours on the other side: three pairs, a third each
      if (rank == 1 || rank == 2) MPI_Sendrecv(out, own, MPI_BYTE, 3 - rank, 1, in, own, MPI_BYTE, 3 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  free(out);
  free(in);
}

static void polling(void) {
  int flag;
  if (rank == 0)
    for (double end = MPI_Wtime() + 0.4; MPI_Wtime() < end;) {
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      if (near) compute(10);
    }
  else compute(400);
}

static void communicator(void) {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
  compute(rank == 0 ? 500 : 100);
  MPI_Barrier(near ? MPI_COMM_WORLD : half);
  MPI_Comm_free(&half);
}

static void file_io(const char *name) {
  MPI_File file;
  int bytes = near ? 8 : 1 << 20;
  char *data = calloc(1, (size_t)bytes);
  MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  for (int i = 0; i < (near ? 1 : 128); ++i) MPI_File_write(file, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  free(data);
  if (near) compute(1000);
}

static void mpi_negligible(void) {
  compute(near && rank == 0 ? 600 : 1000);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void tool_overhead(void) {
  int own;
  for (int i = 0; i < (near ? 2000 : 2000000); ++i) {
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    if (near && i % 20 == 0) compute(1);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char *mode = argc > 1 ? argv[1] : "";
  near = argc > 2 && strcmp(argv[2], "near") == 0;
  if (!strcmp(mode, "load-imbalance")) load_imbalance();
  else if (!strcmp(mode, "late-sender")) late_sender();
  else if (!strcmp(mode, "serialised-chain")) serialised_chain();
  else if (!strcmp(mode, "outlier-rank") || !strcmp(mode, "outlier-node")) outlier();
  else if (!strcmp(mode, "small-messages")) small_messages();
  else if (!strcmp(mode, "eager-messages")) eager_messages();
  else if (!strcmp(mode, "dominant-pair")) dominant_pair();
  else if (!strcmp(mode, "polling")) polling();
  else if (!strcmp(mode, "communicator")) communicator();
  else if (!strcmp(mode, "file-io")) file_io(argv[argc - 1]);
  else if (!strcmp(mode, "mpi-negligible")) mpi_negligible();
  else if (!strcmp(mode, "tool-overhead")) tool_overhead();
  else fprintf(stderr, "findings: no mode %s\n", mode);
  MPI_Finalize();
  return 0;
}
