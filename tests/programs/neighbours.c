// 3 ranks. A star 0 -> 1, 0 -> 2: Neighbor_alltoall of 4 doubles: rank 0 64 B sent, 0 received; ranks 1, 2 0 sent, 32
// received. Ineighbor_allgather of 2 doubles: 32 / 0 and 0 / 16 (sends by out-degree). Neighbor_alltoallv with 1 double to
// rank 1 and 2 to rank 2: rank 0 24 / 0, rank 1 0 / 8, rank 2 0 / 16. Neighbor_allgatherv of 3 doubles: 48 / 0 and 0 / 24.
// Neighbor_alltoallw of 1 double to rank 1 and 2 ints to rank 2: 16 / 0, 0 / 8, 0 / 8. A Cartesian line: Neighbor_alltoall of
// 4 doubles: ends 32 / 32, middle 64 / 64 (the missing neighbours are MPI_PROC_NULL).
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int r;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  int in[1] = {0}, out[2] = {1, 2};
  MPI_Comm star, line;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, r ? 1 : 0, in, MPI_UNWEIGHTED, r ? 0 : 2, out, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &star);
  static double s[16], d[16];
  MPI_Neighbor_alltoall(s, 4, MPI_DOUBLE, d, 4, MPI_DOUBLE, star);
  MPI_Request request;
  MPI_Ineighbor_allgather(s, 2, MPI_DOUBLE, d, 2, MPI_DOUBLE, star, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  int send_counts[2] = {1, 2}, places[2] = {0, 4}, receive_counts[1] = {r}, three[1] = {3}, zero[1] = {0};
  MPI_Neighbor_alltoallv(s, send_counts, places, MPI_DOUBLE, d, receive_counts, zero, MPI_DOUBLE, star);
  MPI_Neighbor_allgatherv(s, 3, MPI_DOUBLE, d, three, zero, MPI_DOUBLE, star);
  MPI_Aint byte_places[2] = {0, 32}, none[1] = {0};
  MPI_Datatype out_types[2] = {MPI_DOUBLE, MPI_INT}, in_type[1] = {r == 1 ? MPI_DOUBLE : MPI_INT};
  MPI_Neighbor_alltoallw(s, send_counts, byte_places, out_types, d, receive_counts, none, in_type, star);
  int sizes[1] = {3}, periodic[1] = {0};
  MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periodic, 0, &line);
  MPI_Neighbor_alltoall(s, 4, MPI_DOUBLE, d, 4, MPI_DOUBLE, line);
  MPI_Comm_free(&line);
  MPI_Comm_free(&star);
  MPI_Finalize();
  return 0;
}
