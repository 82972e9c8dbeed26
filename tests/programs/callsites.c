/* Call sites: the line of every call is marked, and tests/e2e/test_callsites.py finds the marks.
 *
 * Per rank: 10 steps of one Sendrecv (in exchange, called at two places in turn) and one Barrier; 3 messages of 100 ints around
 * the ring with Irecv, Isend and Waitall; one Allreduce from a function that the compiler puts into its caller. */
#include <mpi.h>

enum { steps = 10, messages = 3 };

__attribute__((noinline)) static int exchange(int rank, int size) {
  int got = 0;
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* @exchange */
  return got + 1;
}

__attribute__((noinline)) static int step(int number, int rank, int size) {
  int sum = 0;
  if (number % 2) sum += exchange(rank, size); /* @odd */
  else sum -= exchange(rank, size); /* @even */
  MPI_Barrier(MPI_COMM_WORLD); /* @barrier */
  return sum + 1;
}

static inline __attribute__((always_inline)) int agree(int value) {
  int sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* @allreduce */
  return sum;
}

__attribute__((noinline)) static int ring(int rank, int size) {
  static int out[100], in[100];
  for (int i = 0; i < messages; ++i) {
    MPI_Request requests[2];
    MPI_Irecv(in, 100, MPI_INT, (rank + size - 1) % size, 2, MPI_COMM_WORLD, &requests[0]); /* @irecv */
    MPI_Isend(out, 100, MPI_INT, (rank + 1) % size, 2, MPI_COMM_WORLD, &requests[1]); /* @isend */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* @waitall */
  }
  return in[0] + 1;
}

int main(int argc, char **argv) {
  int rank, size, sum = 0;
  MPI_Init(&argc, &argv); /* @init */
  MPI_Comm_rank(MPI_COMM_WORLD, &rank); /* @rank */
  MPI_Comm_size(MPI_COMM_WORLD, &size); /* @size */
  for (int i = 0; i < steps; ++i) sum += step(i, rank, size); /* @step */
  sum += ring(rank, size);
  sum += agree(sum);
  MPI_Finalize(); /* @finalize */
  return sum == 123456;
}
