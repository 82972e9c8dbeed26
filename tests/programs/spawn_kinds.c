// 1 rank, which starts two ranks of this program by Comm_spawn and two more by Comm_spawn_multiple (two commands of one rank).
// With each pair: Bcast of 5 ints from the parent (MPI_ROOT): 20 B; Reduce of a double to it: 8 B from each child;
// Intercomm_merge, Barrier on the whole, Comm_free; Comm_disconnect. Three worlds.
#include <mpi.h>
#include <string.h>

static void work(MPI_Comm far, int root, int high) {
  int data[5] = {0};
  double x = 1, y;
  MPI_Comm whole;
  MPI_Bcast(data, 5, MPI_INT, root, far);
  MPI_Reduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, root, far);
  MPI_Intercomm_merge(far, high, &whole);
  MPI_Barrier(whole);
  MPI_Comm_free(&whole);
  MPI_Comm_disconnect(&far);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm far;
  MPI_Comm_get_parent(&far);
  if (far != MPI_COMM_NULL) {
    work(far, 0, 1);
  } else {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &far, MPI_ERRCODES_IGNORE);
    work(far, MPI_ROOT, 0);
    char *commands[2] = {argv[0], argv[0]};
    int ranks[2] = {1, 1};
    MPI_Info infos[2] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, ranks, infos, 0, MPI_COMM_SELF, &far, MPI_ERRCODES_IGNORE);
    work(far, MPI_ROOT, 0);
  }
  MPI_Finalize();
  return 0;
}
