// 2 ranks, 4 threads each under MPI_THREAD_MULTIPLE. A rank: Sendrecv 804 calls, 6,432 B each way; Comm_rank 4. At the end
// the threads of rank 0 wait for half a second at the same time: MPI time is their union, not their sum, at most the wall
// time. Exit code 1 where the MPI library gives less than MPI_THREAD_MULTIPLE.
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

static void exchange(int other, int tag) {
  long out = tag, in;
  MPI_Sendrecv(&out, 1, MPI_LONG, other, tag, &in, 1, MPI_LONG, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void *work(void *argument) {
  int tag = (int)(intptr_t)argument, rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 200; ++i) exchange(1 - rank, tag);
  if (rank == 1) usleep(500000);
  exchange(1 - rank, tag);
  return 0;
}

int main(int argc, char **argv) {
  int level;
  pthread_t threads[4];
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  for (intptr_t i = 0; i < 4; ++i) pthread_create(&threads[i], 0, work, (void *)i);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], 0);
  MPI_Finalize();
  return level != MPI_THREAD_MULTIPLE;
}
