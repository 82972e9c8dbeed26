// 2 ranks, 8 threads each under MPI_THREAD_MULTIPLE. Thread t exchanges with thread t of the other rank, 60 rounds: 4 Isend of
// 8 (k + 1) B into 4 Irecv from MPI_ANY_SOURCE, tag 10 t + k, all 8 requests completed in one of six ways (by turns: Waitany,
// Testsome, Waitall, Testany, Waitsome, Wait), so that handles are reused by all threads at once. Statuses are ignored. Then a
// pair of persistent requests, 20 rounds of Startall and Testall, 16 B, tag 10 t + 9. A rank prints its calls of what polls.
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

enum { THREADS = 8, ROUNDS = 60, MESSAGES = 4, ALL = 2 * MESSAGES };
static int rank;
static pthread_barrier_t together;
static long polls[3];  // Testsome, Testany, Testall
static const MPI_Comm world = MPI_COMM_WORLD;

static void complete(int way, MPI_Request *requests) {
  int index, count, flag, indices[ALL], left = ALL;
  switch (way) {
    case 0:
      for (; left > 0; --left) MPI_Waitany(ALL, requests, &index, MPI_STATUS_IGNORE);
      break;
    case 1:
      while (left > 0) {
        MPI_Testsome(ALL, requests, &count, indices, MPI_STATUSES_IGNORE);
        __atomic_fetch_add(&polls[0], 1, __ATOMIC_RELAXED);
        left -= count;
      }
      break;
    case 2: MPI_Waitall(ALL, requests, MPI_STATUSES_IGNORE); break;
    case 3:
      while (left > 0) {
        MPI_Testany(ALL, requests, &index, &flag, MPI_STATUS_IGNORE);
        __atomic_fetch_add(&polls[1], 1, __ATOMIC_RELAXED);
        left -= flag;
      }
      break;
    case 4:
      for (; left > 0; left -= count) MPI_Waitsome(ALL, requests, &count, indices, MPI_STATUSES_IGNORE);
      break;
    default:
      for (int i = 0; i < ALL; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  }
}

static void *storm(void *argument) {
  int t = (int)(intptr_t)argument, flag;
  char out[MESSAGES][64] = {{0}}, in[MESSAGES][64];
  MPI_Request requests[ALL];
  MPI_Comm_size(world, &flag);
  pthread_barrier_wait(&together);  // all have called MPI and none has ended: eight slots
  for (int round = 0; round < ROUNDS; ++round) {
    for (int k = 0; k < MESSAGES; ++k) {
      MPI_Irecv(in[k], 64, MPI_BYTE, MPI_ANY_SOURCE, 10 * t + k, world, &requests[2 * k]);
      MPI_Isend(out[k], 8 * (k + 1), MPI_BYTE, 1 - rank, 10 * t + k, world, &requests[2 * k + 1]);
    }
    complete(round % 6, requests);
  }
  MPI_Send_init(out[0], 16, MPI_BYTE, 1 - rank, 10 * t + 9, world, &requests[0]);
  MPI_Recv_init(in[0], 64, MPI_BYTE, 1 - rank, 10 * t + 9, world, &requests[1]);
  for (int round = 0; round < 20; ++round) {
    MPI_Startall(2, requests);
    for (flag = 0; !flag;) {
      MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
      __atomic_fetch_add(&polls[2], 1, __ATOMIC_RELAXED);
    }
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  return 0;
}

int main(int argc, char **argv) {
  int level;
  pthread_t threads[THREADS];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(world, &rank);
  pthread_barrier_init(&together, 0, THREADS);
  for (intptr_t i = 0; i < THREADS; ++i) pthread_create(&threads[i], 0, storm, (void *)i);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], 0);
  printf("%d %ld %ld %ld\n", rank, polls[0], polls[1], polls[2]);
  MPI_Finalize();
  return level != MPI_THREAD_MULTIPLE;
}
