// 2 ranks, argv: a library that starts MPI in its constructor (early_init.c). Barrier 5: two of seven fall between Pcontrol(0)
// and (1), where Pcontrol(2) changes nothing. An error handler of the program that itself calls MPI: Send 1 with an error; what
// the handler calls is inside that Send. After MPI_Finalize: Finalized 2, Get_version 1 more. With a number as a second argument:
// Pcontrol of it before MPI_Init.
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>

static int handled;

static void handle(MPI_Comm *comm, int *code, ...) {
  int class, rank;
  MPI_Error_class(*code, &class);
  MPI_Comm_rank(*comm, &rank);
  handled += class == MPI_ERR_RANK && rank >= 0;
}

int main(int argc, char **argv) {
  int flag, version, subversion;
  MPI_Initialized(&flag);
  if (argc > 2) MPI_Pcontrol(atoi(argv[2]));  // before MPI_Init: an error in both MPIs
  if (!flag && (argc < 2 || !dlopen(argv[1], RTLD_NOW))) return 2;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(2);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(1);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Pcontrol(2);
  for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm twin;
  MPI_Errhandler handler;
  MPI_Comm_dup(MPI_COMM_WORLD, &twin);
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(twin, handler);
  int code = MPI_Send(&flag, 1, MPI_INT, 99, 0, twin);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&twin);
  MPI_Finalize();
  MPI_Finalized(&flag);
  MPI_Finalized(&flag);
  MPI_Get_version(&version, &subversion);
  return code == MPI_SUCCESS || handled != 1 || !flag;
}
