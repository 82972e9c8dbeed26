// 2 ranks. Many small sends outstanding at once share one request handle in both MPIs: rank 0 Isend 500 with sizes 1 to 4 B
// in turn (1,250 B), Waitall 1 with 500 completions and no byte booked twice; rank 1 Irecv 500, Waitall 1, 1,250 B received.
// The same again with rank 0 testing the first half and waiting for the rest one by one: Wait 250.
#include <mpi.h>

enum { MANY = 500 };

int main(int argc, char **argv) {
  static char data[MANY][4];
  static MPI_Request requests[MANY];
  MPI_Init(&argc, &argv);
  int rank, flag;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < MANY; ++i)
      if (rank == 0)
        MPI_Isend(data[i], i % 4 + 1, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &requests[i]);
      else
        MPI_Irecv(data[i], 4, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &requests[i]);
    if (rank == 0 && round == 1) {
      for (int i = 0; i < MANY / 2; ++i)
        for (flag = 0; !flag;) MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
      for (int i = MANY / 2; i < MANY; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    } else {
      MPI_Waitall(MANY, requests, MPI_STATUSES_IGNORE);
    }
  }
  MPI_Finalize();
  return 0;
}
