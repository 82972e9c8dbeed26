// 2 ranks. The same program in C (bindings.c) and in Fortran (bindings_mpif.f90, bindings_mpi.f90, bindings_f08.f90, and
// bindings_f08_short.f90 without ierror): the same calls with the same arguments, so that their profiles are the same but for
// times. tests/e2e/test_bindings.py compares them.
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm world = MPI_COMM_WORLD, twin, half;
  MPI_Request requests[2];
  MPI_Status status, statuses[2];
  MPI_Datatype pairs;
  int rank, ranks, other, flag, count, number[8] = {0}, more[8] = {0}, counts[2] = {1, 2}, places[2] = {0, 1};
  double x[4] = {0}, y[4];
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &ranks);
  other = 1 - rank;
  MPI_Allreduce(MPI_IN_PLACE, x, 2, MPI_DOUBLE, MPI_SUM, world);
  if (rank == 0) MPI_Send(number, 3, MPI_INT, 1, 7, world);
  if (rank == 1) MPI_Recv(more, 8, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
  if (rank == 0) MPI_Ssend(number, 2, MPI_INT, 1, 8, world);
  if (rank == 1) MPI_Recv(more, 8, MPI_INT, 0, 8, world, &status);
  if (rank == 1) MPI_Get_count(&status, MPI_INT, &count);
  MPI_Irecv(y, 4, MPI_DOUBLE, other, 9, world, &requests[0]);
  MPI_Isend(x, 3, MPI_DOUBLE, other, 9, world, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Irecv(y, 4, MPI_DOUBLE, other, 10, world, &requests[0]);
  MPI_Isend(x, 1, MPI_DOUBLE, other, 10, world, &requests[1]);
  MPI_Wait(&requests[1], &status);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Sendrecv(number, 5, MPI_INT, other, 11, more, 8, MPI_INT, other, 11, world, MPI_STATUS_IGNORE);
  MPI_Send_init(number, 4, MPI_INT, other, 12, world, &requests[0]);
  MPI_Recv_init(more, 8, MPI_INT, other, 12, world, &requests[1]);
  for (int round = 0; round < 3; ++round) {
    MPI_Startall(2, requests);
    MPI_Waitall(2, requests, statuses);
  }
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
  MPI_Probe(MPI_PROC_NULL, 1, world, MPI_STATUS_IGNORE);
  MPI_Iprobe(MPI_PROC_NULL, 1, world, &flag, MPI_STATUS_IGNORE);
  MPI_Bcast(number, 8, MPI_INT, 1, world);
  MPI_Gatherv(number, rank + 1, MPI_INT, more, counts, places, MPI_INT, 0, world);
  MPI_Alltoall(number, 2, MPI_INT, more, 2, MPI_INT, world);
  MPI_Scan(x, y, 2, MPI_DOUBLE, MPI_SUM, world);
  MPI_Iallreduce(x, y, 4, MPI_DOUBLE, MPI_MAX, world, &requests[0]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Comm_dup(world, &twin);
  MPI_Comm_set_name(twin, "twin");
  MPI_Comm_split(world, rank, 0, &half);
  MPI_Type_contiguous(2, MPI_INT, &pairs);
  MPI_Type_commit(&pairs);
  MPI_Bcast(number, 3, pairs, 0, twin);
  MPI_Barrier(half);
  MPI_Type_free(&pairs);
  MPI_Comm_free(&half);
  MPI_Comm_free(&twin);
  MPI_Finalize();
  return 0;
}
