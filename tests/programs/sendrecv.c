// n ranks in a ring. Sendrecv of 5 ints to the right, tag 3: 20 B each way. Sendrecv_replace of 2 doubles to the left, tag 4:
// 16 B each way. Sendrecv and Send with MPI_PROC_NULL: calls without bytes and without a peer.
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int right = (rank + 1) % size, left = (rank + size - 1) % size;
  int out[5] = {rank}, in[8];
  double both[2] = {rank};
  MPI_Sendrecv(out, 5, MPI_INT, right, 3, in, 8, MPI_INT, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv_replace(both, 2, MPI_DOUBLE, left, 4, right, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out, 5, MPI_INT, MPI_PROC_NULL, 9, in, 5, MPI_INT, MPI_PROC_NULL, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(0, 0, MPI_INT, MPI_PROC_NULL, 9, MPI_COMM_WORLD);
  int wrong = in[0] != left || both[0] != right;
  MPI_Finalize();
  return wrong;
}
