// A library whose constructor starts MPI, after MPI_Initialized 1 and MPI_Get_version 1. early_late.c loads it.
#include <mpi.h>

__attribute__((constructor)) static void start(void) {
  int flag, version, subversion;
  MPI_Initialized(&flag);
  MPI_Get_version(&version, &subversion);
  if (!flag) MPI_Init(0, 0);
}
