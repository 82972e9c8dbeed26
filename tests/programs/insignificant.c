// 3 ranks. Scatterv from rank 0 with junk pointers on the others, where they mean nothing and must not be touched: rank 0
// sends 48 B, rank r receives 8 (r + 1) B.
#include <mpi.h>
#include <stdint.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int counts[3] = {1, 2, 3}, places[3] = {0, 8, 16};
  double data[24] = {0}, mine[3];
  uintptr_t one = 1;
  void *junk = (void *)one;
  MPI_Scatterv(rank == 0 ? data : junk, rank == 0 ? counts : junk, rank == 0 ? places : junk,
               rank == 0 ? MPI_DOUBLE : MPI_DATATYPE_NULL, mine, rank + 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
