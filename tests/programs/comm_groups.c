// 3 ranks. Communicators that are made and freed at once, so that handles are reused; on each, Comm_set_name and one Barrier.
// pair-I-TAG: MPI_Comm_create_group of {0, 1}, 12 tags, 4 times over; all-I: Comm_dup; half-COLOUR-I: Comm_split of even
// and odd ranks.
#include <mpi.h>
#include <stdio.h>

static void use(MPI_Comm comm, const char *name) {
  MPI_Comm_set_name(comm, name);
  MPI_Barrier(comm);
  MPI_Comm_free(&comm);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, first[2] = {0, 1};
  char name[64];
  MPI_Comm comm;
  MPI_Group whole, pair;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_group(MPI_COMM_WORLD, &whole);
  MPI_Group_incl(whole, 2, first, &pair);
  for (int i = 0; i < 4; ++i)
    for (int tag = 0; rank < 2 && tag < 12; ++tag) {
      MPI_Comm_create_group(MPI_COMM_WORLD, pair, tag, &comm);
      snprintf(name, sizeof name, "pair-%d-%d", i, tag);
      use(comm, name);
    }
  for (int i = 0; i < 10; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    snprintf(name, sizeof name, "all-%d", i);
    use(comm, name);
  }
  for (int i = 0; i < 5; ++i) {
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comm);
    snprintf(name, sizeof name, "half-%d-%d", rank % 2, i);
    use(comm, name);
  }
  MPI_Group_free(&pair);
  MPI_Group_free(&whole);
  MPI_Finalize();
  return 0;
}
