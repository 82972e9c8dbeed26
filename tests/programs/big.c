// 1 rank. Types of 1 GiB and 3 GiB, for which MPI_Type_size says MPI_UNDEFINED: 4 Bcasts on MPI_COMM_SELF, 12,884,901,888 B
// sent; with MPI 4 one Bcast_c of 3 x 2^30 bytes more: 16,106,127,360 B in all. No memory is touched, the communicator has
// one rank.
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  static char data[4096];
  MPI_Datatype one, three;
  MPI_Type_contiguous(1 << 30, MPI_BYTE, &one);
  MPI_Type_commit(&one);
  MPI_Type_contiguous(3, one, &three);
  MPI_Type_commit(&three);
  for (int i = 0; i < 2; ++i) {
    MPI_Bcast(data, 3, one, 0, MPI_COMM_SELF);
    MPI_Bcast(data, 1, three, 0, MPI_COMM_SELF);
  }
#if MPI_VERSION >= 4
  MPI_Bcast_c(data, (MPI_Count)3 << 30, MPI_BYTE, 0, MPI_COMM_SELF);
#endif
  MPI_Type_free(&one);
  MPI_Type_free(&three);
  MPI_Finalize();
  return 0;
}
