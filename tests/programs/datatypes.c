// 2 ranks. Sizes, not extents: a vector of 100 single ints with stride 10 has size 400 and extent 3,964. Rank 0 sends two of
// them (800 B, tag 1) and one struct of a char and a double (9 B, resized to 64, tag 2); rank 1 receives 200 ints (800 B) and
// the struct (9 B). Bcast of three vectors from rank 0: 1,200 B. A type that is freed and created anew under the same handle
// has its own size: then 20 times Send of a contiguous type of i bytes, tag 3: 1 to 20 B, 210 B in all.
#include <mpi.h>
#include <stddef.h>

struct pair {
  char letter;
  double number;
};

static void pairs(int rank) {
  struct pair pair = {'a', 1};
  int lengths[2] = {1, 1};
  MPI_Aint places[2] = {offsetof(struct pair, letter), offsetof(struct pair, number)};
  MPI_Datatype types[2] = {MPI_CHAR, MPI_DOUBLE}, packed, wide;
  MPI_Type_create_struct(2, lengths, places, types, &packed);
  MPI_Type_create_resized(packed, 0, 64, &wide);
  MPI_Type_commit(&wide);
  if (rank == 0) MPI_Send(&pair, 1, wide, 1, 2, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(&pair, 1, wide, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&packed);
  MPI_Type_free(&wide);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  static int data[3000];
  MPI_Datatype vector;
  MPI_Type_vector(100, 1, 10, MPI_INT, &vector);
  MPI_Type_commit(&vector);
  if (rank == 0) MPI_Send(data, 2, vector, 1, 1, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(data, 3000, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  pairs(rank);
  MPI_Bcast(data, 3, vector, 0, MPI_COMM_WORLD);
  MPI_Type_free(&vector);
  for (int i = 1; i <= 20; ++i) {
    MPI_Datatype bytes;
    MPI_Type_contiguous(i, MPI_BYTE, &bytes);
    MPI_Type_commit(&bytes);
    if (rank == 0) MPI_Send(data, 1, bytes, 1, 3, MPI_COMM_WORLD);
    if (rank == 1) MPI_Recv(data, 1, bytes, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Type_free(&bytes);
  }
  MPI_Finalize();
  return 0;
}
