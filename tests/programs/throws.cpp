// 1 rank. An error handler throws a C++ exception through MPI_Send, five times; after that calls count as before: Barrier 10,
// and Send 1 to itself with its Irecv (4 B). Exit code 1 if not all five were caught.
#include <mpi.h>

#include <stdexcept>

static void fail(MPI_Comm *, int *, ...) { throw std::runtime_error("MPI error"); }

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Errhandler handler;
  MPI_Comm twin;
  int x = 1, y = 0, caught = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_create_errhandler(fail, &handler);
  MPI_Comm_set_errhandler(twin, handler);
  for (int i = 0; i < 5; ++i) {
    try {
      MPI_Send(&x, 1, MPI_INT, 99, 0, twin);
    } catch (const std::runtime_error &) {
      ++caught;
    }
  }
  for (int i = 0; i < 10; ++i) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request request;
  MPI_Irecv(&y, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
  MPI_Send(&x, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return caught != 5 || y != 1;
}
