// 2 ranks. Rank 1 receives into 1 MiB from any source with any tag: Recv 10 B from rank 0, tag 0, the status ignored; then
// the Wait of an Irecv completes 10 B from rank 0, tag 1. The posted size counts nowhere.
#include <mpi.h>

int main(int argc, char **argv) {
  static char data[1 << 20];
  MPI_Request request;
  MPI_Status status;
  int rank, count = 10;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Send(data, 10, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    MPI_Isend(data, 10, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(data, sizeof data, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(data, sizeof data, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_BYTE, &count);
  }
  MPI_Finalize();
  return count != 10;
}
