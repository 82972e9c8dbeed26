// 2 ranks. After 5 Barriers, rank 0 sends rank 1 three messages of 1,000 bytes on a communicator of the name "pair"; then rank 1
// waits for ever in MPI_Recv from rank 0 with tag 42 on it, and rank 0 in MPI_Barrier of the world. An alarm ends what nobody
// else ends. With an argument: that is the communicator's name.
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv) {
  static char block[1000];
  int rank, number = 0;
  MPI_Comm pair;
  alarm(60);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_dup(MPI_COMM_WORLD, &pair);
  MPI_Comm_set_name(pair, argc > 1 ? argv[1] : "pair");
  for (int i = 0; i < 5; ++i) MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 3; ++i) {
    if (rank == 0) MPI_Send(block, sizeof block, MPI_BYTE, 1, i, pair);
    else MPI_Recv(block, sizeof block, MPI_BYTE, 0, i, pair, MPI_STATUS_IGNORE);
  }
  if (rank == 1) MPI_Recv(&number, 1, MPI_INT, 0, 42, pair, MPI_STATUS_IGNORE);
  else MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
