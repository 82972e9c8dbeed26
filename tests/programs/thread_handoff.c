// 2 ranks under MPI_THREAD_MULTIPLE. The first thread begins 200 times an Irecv (MPI_ANY_SOURCE, tag 1) and an Isend (tag 1, 16 B); a second
// one completes them: MPI_Test, then MPI_Wait, of the receive, MPI_Wait of the send. Prints 0: tests, 1: of them, those that completed.
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { TURNS = 200 };
static MPI_Request requests[TURNS][2];
static int begun; // pairs, so far
static long tests, tested;

static void *complete(void *unused) {
  for (int i = 0; i < TURNS; ++i) {
    while (__atomic_load_n(&begun, __ATOMIC_ACQUIRE) <= i) continue;
    int done = 0;
    for (int looks = 0; looks < 3 && !done; ++looks) {
      MPI_Test(&requests[i][0], &done, MPI_STATUS_IGNORE);
      ++tests;
    }
    tested += done;
    if (!done) MPI_Wait(&requests[i][0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[i][1], MPI_STATUS_IGNORE);
  }
  return unused;
}

int main(int argc, char **argv) {
  int level, rank;
  char got[TURNS][16], sent[16] = "";
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_t other;
  pthread_create(&other, NULL, complete, NULL);
  for (int i = 0; i < TURNS; ++i) {
    MPI_Irecv(got[i], 16, MPI_CHAR, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[i][0]);
    MPI_Isend(sent, 16, MPI_CHAR, 1 - rank, 1, MPI_COMM_WORLD, &requests[i][1]);
    __atomic_store_n(&begun, i + 1, __ATOMIC_RELEASE);
  }
  pthread_join(other, NULL);
  long counts[2] = {tests, tested}, all[4];
  MPI_Gather(counts, 2, MPI_LONG, all, 2, MPI_LONG, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("0 %ld %ld\n1 %ld %ld\n", all[0], all[1], all[2], all[3]);
  MPI_Finalize();
  return 0;
}
