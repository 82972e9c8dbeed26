// A PMPI tool of the user's own, for LD_PRELOAD: counts MPI_Send through the profiling interface and writes the number to
// standard error in MPI_Finalize, "tool: rank R sent N".
#include <mpi.h>
#include <stdio.h>

static int sends;

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  ++sends;
  return PMPI_Send(buffer, count, type, dest, tag, comm);
}

int MPI_Finalize(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr, "tool: rank %d sent %d\n", rank, sends);
  return PMPI_Finalize();
}
