// n ranks. An attribute of MPI_COMM_SELF whose delete callback, run by MPI_Finalize, calls Comm_rank 3 times on
// MPI_COMM_WORLD: it counts.
#include <mpi.h>

static int at_the_end(MPI_Comm comm, int key, void *value, void *state) {
  (void)comm, (void)key, (void)value, (void)state;
  int rank;
  for (int i = 0; i < 3; ++i) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return MPI_SUCCESS;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_the_end, &key, 0);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, 0);
  MPI_Finalize();
  return 0;
}
