// 3 ranks. Ranks 0 and 1 accept, rank 2 connects through a port whose name it gets by Send (tag 1). Over the intercommunicator:
// rank 2 sends 12 B (tag 2) to remote rank 1, world rank 1; Bcast of 5 ints from world rank 0: 20 B; Reduce of a double to it:
// 8 B from rank 2; Comm_disconnect. Comm_accept, Open_port, Close_port, Comm_connect where they are made; Comm_split 1.
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, data[5] = {0};
  double x = 1, y;
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm half, far;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank == 2, rank, &half);
  if (rank == 0) {
    MPI_Open_port(MPI_INFO_NULL, port);
    MPI_Send(port, MPI_MAX_PORT_NAME, MPI_CHAR, 2, 1, MPI_COMM_WORLD);
  }
  if (rank == 2) MPI_Recv(port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 2) MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &far);
  else MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &far);
  if (rank == 2) MPI_Send(data, 3, MPI_INT, 1, 2, far);
  if (rank == 1) MPI_Recv(data, 5, MPI_INT, MPI_ANY_SOURCE, 2, far, MPI_STATUS_IGNORE);
  int root = rank == 2 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  MPI_Bcast(data, 5, MPI_INT, root, far);
  MPI_Reduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, root, far);
  MPI_Comm_disconnect(&far);
  if (rank == 0) MPI_Close_port(port);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
