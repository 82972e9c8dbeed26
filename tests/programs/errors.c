// 2 ranks, errors returned. Rank 0: Send to rank 99, which fails (errors 1 of 2 calls); rank 1: Recv of 4 B for a message of
// 8 B fails with MPI_ERR_TRUNCATE (errors 1 of 1). Exit code 1 if the program does not see these very errors.
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, code = MPI_SUCCESS, class = MPI_SUCCESS, wanted = MPI_ERR_RANK;
  char data[8] = "";
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (rank == 0) {
    MPI_Send(data, 8, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
    code = MPI_Send(data, 8, MPI_BYTE, 99, 1, MPI_COMM_WORLD);
  } else {
    code = MPI_Recv(data, 4, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    wanted = MPI_ERR_TRUNCATE;
  }
  MPI_Error_class(code, &class);
  MPI_Finalize();
  return class != wanted;
}
