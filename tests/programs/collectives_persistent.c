// 2 ranks. Persistent collectives (MPIX_ in Open MPI 4), each started and waited for many times; sent bytes are booked at the
// starts, received ones in the waits. Allreduce of a double, 100 rounds: 800 B sent and received. Bcast of 6 ints from rank
// 0, 10 rounds: rank 0 sends 240 B, rank 1 receives 240. Gatherv of r + 1 ints to rank 1, 10 rounds: 40 and 80 B sent, rank 1
// receives 120. Start and Wait 120 each, Request_free 3.
#include <mpi.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define INIT(name) MPIX_##name##_init
#else
#define INIT(name) MPI_##name##_init
#endif

static void rounds(int count, MPI_Request *request) {
  for (int i = 0; i < count; ++i) {
    MPI_Start(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(request);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, a[6] = {0}, b[6], counts[2] = {1, 2}, places[2] = {0, 1};
  double x = 1, y;
  MPI_Comm world = MPI_COMM_WORLD;
  MPI_Request request;
  MPI_Comm_rank(world, &rank);
  INIT(Allreduce)(&x, &y, 1, MPI_DOUBLE, MPI_SUM, world, MPI_INFO_NULL, &request);
  rounds(100, &request);
  INIT(Bcast)(a, 6, MPI_INT, 0, world, MPI_INFO_NULL, &request);
  rounds(10, &request);
  INIT(Gatherv)(a, rank + 1, MPI_INT, b, counts, places, MPI_INT, 1, world, MPI_INFO_NULL, &request);
  rounds(10, &request);
  MPI_Finalize();
  return 0;
}
