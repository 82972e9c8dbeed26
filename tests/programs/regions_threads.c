/* MPI in threads (MPI_THREAD_MULTIPLE, 1 if the library gives less: then nothing is done). On every rank 4 threads one after another
 * and 4 at once: "exchange" (8 calls) with 5 Barriers of a communicator of their own each, so 40 MPI calls. "main" is around them in
 * the first thread, with 1 Barrier: what other threads do is not in it. */
#include <mpi.h>
#include <pthread.h>
#include <scope_profiler.h>

static void *exchange(void *comm) {
  SCOPE_BEGIN("exchange");
  for (int i = 0; i < 5; ++i) MPI_Barrier(*(MPI_Comm *)comm);
  SCOPE_END("exchange");
  return NULL;
}

int main(int argc, char **argv) {
  MPI_Comm comms[4];
  pthread_t threads[4];
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  if (level == MPI_THREAD_MULTIPLE) {
    for (int i = 0; i < 4; ++i) MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
    SCOPE_BEGIN("main");
    for (int i = 0; i < 4; ++i) {
      pthread_create(&threads[i], NULL, exchange, &comms[i]);
      pthread_join(threads[i], NULL);
    }
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, exchange, &comms[i]);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    SCOPE_END("main");
  }
  MPI_Finalize();
  return 0;
}
