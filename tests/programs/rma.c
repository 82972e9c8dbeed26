// 2 ranks, a window of 64 ints on a communicator in which the ranks are swapped, so that targets must be translated. Rank 0
// does, on the other: Put 4 ints (16 B sent), Accumulate 3 ints (12 B sent), Get 2 ints (8 B received), Get_accumulate 5 ints
// (20 B each way), Fetch_and_op of an int (4 B each way), Compare_and_swap of an int (4 B received), Rput 6 ints (24 B sent
// at the call, Wait without bytes), Rget 7 ints (28 B received by the Wait). All have peer 1. Win_fence 2, Win_lock,
// Win_flush and Win_unlock 1.
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  static int memory[64], a[16], b[16];
  MPI_Comm swapped;
  MPI_Win win;
  MPI_Request request;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &swapped);
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, swapped, &win);
  int other = 0;  // rank 0 of the world is rank 1 there
  MPI_Win_fence(0, win);
  if (rank == 0) MPI_Put(a, 4, MPI_INT, other, 0, 4, MPI_INT, win);
  if (rank == 0) MPI_Accumulate(a, 3, MPI_INT, other, 8, 3, MPI_INT, MPI_SUM, win);
  if (rank == 0) MPI_Get(b, 2, MPI_INT, other, 16, 2, MPI_INT, win);
  MPI_Win_fence(0, win);
  if (rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win);
    MPI_Get_accumulate(a, 5, MPI_INT, b, 5, MPI_INT, other, 0, 5, MPI_INT, MPI_SUM, win);
    MPI_Win_flush(other, win);
    MPI_Fetch_and_op(a, b, MPI_INT, other, 20, MPI_SUM, win);
    MPI_Compare_and_swap(a, a + 1, b, MPI_INT, other, 21, win);
    MPI_Rput(a, 6, MPI_INT, other, 24, 6, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Rget(b, 7, MPI_INT, other, 32, 7, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(other, win);
  }
  MPI_Win_free(&win);
  MPI_Comm_free(&swapped);
  MPI_Finalize();
  return 0;
}
