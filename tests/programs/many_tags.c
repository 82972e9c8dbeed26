// 1 rank. Sends itself 2,000 messages of 8 B, each with a tag of its own: more entries than a small bound allows. Totals stay
// exact: Sendrecv 2,000, 16,000 B each way.
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  double out = 1, in;
  for (int tag = 0; tag < 2000; ++tag)
    MPI_Sendrecv(&out, 1, MPI_DOUBLE, 0, tag, &in, 1, MPI_DOUBLE, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
