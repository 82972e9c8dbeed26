// 2 ranks. Rank 0 sends 8 rounds of 3 messages (100, 200, 300 B; tags 1, 2, 3) with Isend and Waitall. Rank 1 posts three
// Irecv of 1,000 B a round and completes each round in another way: Wait, Waitall, Waitany, Waitsome, Test, Testany,
// Testsome, Testall; every round receives 600 B. Prints the calls that rank 1 made. A Test* that completes nothing is a call
// without a request.
#include <mpi.h>
#include <stdio.h>

enum { PER_ROUND = 3, ROUNDS = 8, ROOM = 1000 };
static MPI_Request requests[PER_ROUND];

static int by_wait(void) {
  for (int i = 0; i < PER_ROUND; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
  return PER_ROUND;
}

static int by_waitall(void) {
  MPI_Waitall(PER_ROUND, requests, MPI_STATUSES_IGNORE);
  return 1;
}

static int by_waitany(void) {
  int index;
  for (int i = 0; i < PER_ROUND; ++i) MPI_Waitany(PER_ROUND, requests, &index, MPI_STATUS_IGNORE);
  return PER_ROUND;
}

static int by_waitsome(void) {
  int calls = 0, count, indices[PER_ROUND];
  for (int done = 0; done < PER_ROUND; done += count, ++calls)
    MPI_Waitsome(PER_ROUND, requests, &count, indices, MPI_STATUSES_IGNORE);
  return calls;
}

static int by_test(void) {
  int calls = 0;
  for (int i = 0; i < PER_ROUND; ++i)
    for (int flag = 0; !flag; ++calls) MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
  return calls;
}

static int by_testany(void) {
  int calls = 0, index, flag;
  for (int done = 0; done < PER_ROUND; done += flag, ++calls) MPI_Testany(PER_ROUND, requests, &index, &flag, MPI_STATUS_IGNORE);
  return calls;
}

static int by_testsome(void) {
  int calls = 0, count, indices[PER_ROUND];
  for (int done = 0; done < PER_ROUND; done += count, ++calls)
    MPI_Testsome(PER_ROUND, requests, &count, indices, MPI_STATUSES_IGNORE);
  return calls;
}

static int by_testall(void) {
  int calls = 0;
  for (int flag = 0; !flag; ++calls) MPI_Testall(PER_ROUND, requests, &flag, MPI_STATUSES_IGNORE);
  return calls;
}

int main(int argc, char **argv) {
  int (*complete[ROUNDS])(void) = {by_wait, by_waitall, by_waitany, by_waitsome, by_test, by_testany, by_testsome, by_testall};
  const char *names[ROUNDS] = {"Wait", "Waitall", "Waitany", "Waitsome", "Test", "Testany", "Testsome", "Testall"};
  static char data[PER_ROUND][ROOM];
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < ROUNDS; ++round) {
    for (int i = 0; i < PER_ROUND; ++i)
      if (rank == 0)
        MPI_Isend(data[i], 100 * (i + 1), MPI_BYTE, 1, i + 1, MPI_COMM_WORLD, &requests[i]);
      else
        MPI_Irecv(data[i], ROOM, MPI_BYTE, MPI_ANY_SOURCE, i + 1, MPI_COMM_WORLD, &requests[i]);
    if (rank == 0) MPI_Waitall(PER_ROUND, requests, MPI_STATUSES_IGNORE);
    if (rank == 1) printf("%s %d\n", names[round], complete[round]());
  }
  MPI_Finalize();
  return 0;
}
