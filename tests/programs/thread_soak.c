// 2 ranks, MPI_THREAD_MULTIPLE. Rounds for as many seconds as the first argument says (rank 0 has the watch), at least 300 of them. A
// round makes and frees communicators (dup, reversed split, create_group), datatypes, windows, groups and keyvals, lets two new threads
// make calls of their own, and has requests end in every way: waited for, tested, freed, cancelled, persistent, started and freed.
// Everything that is made is freed. Rank 0 prints "at ROUNDS SECONDS BYTES", resident bytes of the profiler, after 300 rounds and then
// ten times.
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "our_memory.h"

enum { warm_up = 300, together = 8 };
static int rank;

static void communicators(int round) {
  MPI_Comm twin, split, part;
  MPI_Group all, half;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &split);
  int peer;
  MPI_Comm_rank(split, &peer);
  double out = 1, in;
  MPI_Sendrecv(&out, 1, MPI_DOUBLE, 1 - peer, 1, &in, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 1, split, MPI_STATUS_IGNORE);
  MPI_Comm_group(twin, &all);
  MPI_Group_incl(all, 1, &rank, &half);
  MPI_Comm_create_group(twin, half, round % 100, &part);
  MPI_Barrier(part);
  MPI_Comm_free(&part);
  MPI_Group_free(&half);
  MPI_Group_free(&all);
  // One that is freed while a request on it is pending.
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 2, twin, &request);
  MPI_Send(&out, 1, MPI_DOUBLE, 1 - rank, 2, twin);
  MPI_Comm_free(&twin);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&split);
}

static void handles(void) {
  MPI_Datatype row, pair;
  MPI_Type_contiguous(3, MPI_DOUBLE, &row);
  MPI_Type_vector(2, 1, 2, row, &pair);
  MPI_Type_commit(&pair);
  double out[12] = {0}, in[12];
  MPI_Sendrecv(out, 1, pair, 0, 3, in, 1, pair, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Type_free(&pair);
  MPI_Type_free(&row);
  MPI_Win window;
  void *shared;  // Open MPI 4 has no other kind of window under MPI_THREAD_MULTIPLE
  MPI_Win_allocate_shared(sizeof in, sizeof(double), MPI_INFO_NULL, MPI_COMM_SELF, &shared, &window);
  MPI_Win_fence(0, window);
  MPI_Put(out, 1, MPI_DOUBLE, 0, 0, 1, MPI_DOUBLE, window);
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_free_keyval(&key);
}

static void requests(MPI_Comm comm, int self, int tag) {
  double out = 1, in[together];
  MPI_Request all[2 * together];
  int flag, index, count, indices[2 * together];
  for (int way = 0; way < 4; ++way) {
    for (int i = 0; i < together; ++i) MPI_Irecv(&in[i], 1, MPI_DOUBLE, self, tag, comm, &all[i]);
    for (int i = 0; i < together; ++i) MPI_Isend(&out, 1, MPI_DOUBLE, self, tag, comm, &all[together + i]);
    if (way == 0) MPI_Waitall(2 * together, all, MPI_STATUSES_IGNORE);
    for (int left = 2 * together; way == 1 && left > 0; --left) MPI_Waitany(2 * together, all, &index, MPI_STATUS_IGNORE);
    for (int left = 2 * together; way == 2 && left > 0; left -= count) MPI_Testsome(2 * together, all, &count, indices, MPI_STATUSES_IGNORE);
    for (flag = 0; way == 3 && !flag;) MPI_Testall(2 * together, all, &flag, MPI_STATUSES_IGNORE);
  }
  MPI_Request request;
  MPI_Isend(&out, 1, MPI_DOUBLE, self, tag, comm, &request);  // freed while it is active
  MPI_Request_free(&request);
  MPI_Recv(in, 1, MPI_DOUBLE, self, tag, comm, MPI_STATUS_IGNORE);
  MPI_Irecv(in, 1, MPI_DOUBLE, self, tag + 1000, comm, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Send_init(&out, 1, MPI_DOUBLE, self, tag, comm, &request);
  MPI_Start(&request);
  MPI_Recv(in, 1, MPI_DOUBLE, self, tag, comm, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);
}

static void *thread(void *argument) {
  int tag = (int)(intptr_t)argument;
  requests(MPI_COMM_SELF, 0, tag);
  return NULL;
}

static void one_round(int round) {
  for (int i = 0; i < 4; ++i) communicators(round);
  handles();
  requests(MPI_COMM_SELF, 0, 10);
  // One after the other: MPICH 4.0.2 fails by itself where two threads at once send to themselves.
  for (intptr_t i = 0; i < 2; ++i) {
    pthread_t one;
    pthread_create(&one, NULL, thread, (void *)(20 + i));
    pthread_join(one, NULL);
  }
}

int main(int argc, char **argv) {
  int level, prints = 0, go_on = 1, round = 0;
  double seconds = argc > 1 ? atof(argv[1]) : 5;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (; round < warm_up; ++round) one_round(round);
  double begin = MPI_Wtime();
  while (go_on) {
    double now = MPI_Wtime() - begin;
    if (rank == 0 && (now >= seconds * prints / 10)) printf("at %d %.1f %ld\n", round, now, our_bytes()), ++prints;
    go_on = prints <= 10;
    MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (go_on) one_round(round++);
  }
  MPI_Finalize();
  return level != MPI_THREAD_MULTIPLE;
}
