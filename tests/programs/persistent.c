// 2 ranks, both do the same with the other. Send_init of 3 ints (tag 5) and Recv_init of 100 ints from anywhere; 5 rounds of
// Start, Start, Wait, Wait; 2 rounds of Startall and Waitall. Then Ssend_init of 2 ints (tag 6) with its Recv_init: 4 rounds
// of Startall and Waitall. A rank: Start 10, Startall 6, Wait 11 (one of them on a request that is not active), Waitall 6;
// sent 7 x 12 + 4 x 8 = 116 B, all at the starts; received as much, all in the waits.
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, out[3] = {1, 2, 3}, in[100];
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int other = 1 - rank;
  MPI_Request r[2], s[2];
  MPI_Send_init(out, 3, MPI_INT, other, 5, MPI_COMM_WORLD, &r[0]);
  MPI_Recv_init(in, 100, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &r[1]);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  for (int i = 0; i < 5; ++i) {
    MPI_Start(&r[0]);
    MPI_Start(&r[1]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
  }
  for (int i = 0; i < 2; ++i) {
    MPI_Startall(2, r);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  }
  MPI_Ssend_init(out, 2, MPI_INT, other, 6, MPI_COMM_WORLD, &s[0]);
  MPI_Recv_init(in, 100, MPI_INT, other, MPI_ANY_TAG, MPI_COMM_WORLD, &s[1]);
  for (int i = 0; i < 4; ++i) {
    MPI_Startall(2, s);
    MPI_Waitall(2, s, MPI_STATUSES_IGNORE);
  }
  for (int i = 0; i < 2; ++i) {
    MPI_Request_free(&r[i]);
    MPI_Request_free(&s[i]);
  }
  MPI_Finalize();
  return 0;
}
