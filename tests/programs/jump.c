// 1 rank. An error handler leaves MPI_Send by longjmp, five times; after that calls count as before: Barrier 10, and Send 1
// to itself with its Irecv (4 B). Exit code 1 if not all five jumps happened.
#include <mpi.h>
#include <setjmp.h>

static jmp_buf back;
static volatile int jumps;

static void leave(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  (void)code;
  ++jumps;
  longjmp(back, 1);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Errhandler handler;
  MPI_Comm twin;
  int x = 1, y;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_create_errhandler(leave, &handler);
  MPI_Comm_set_errhandler(twin, handler);
  for (volatile int i = 0; i < 5; ++i)
    if (setjmp(back) == 0) MPI_Send(&x, 1, MPI_INT, 99, 0, twin);
  for (int i = 0; i < 10; ++i) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request request;
  MPI_Irecv(&y, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
  MPI_Send(&x, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return jumps != 5 || y != 1;
}
