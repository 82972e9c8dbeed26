// n ranks: gate FILE [deaf]. Barrier 5 and a Sendrecv around the ring (4 B), then each rank makes FILE.<rank> and waits until FILE
// is there; then Barrier 5, Allreduce (8 B), Finalize. "deaf": it ignores SIGINT, SIGTERM and SIGHUP.
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  alarm(60);
  MPI_Init(&argc, &argv);
  if (argc > 2 && !strcmp(argv[2], "deaf")) {
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
  }
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 0; i < 5; ++i) MPI_Barrier(MPI_COMM_WORLD);
  int sent = rank, got = -1;
  MPI_Sendrecv(&sent, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  char mark[4096];
  snprintf(mark, sizeof mark, "%s.%d", argv[1], rank);
  close(open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  while (access(argv[1], F_OK) != 0) usleep(1000);
  for (int i = 0; i < 5; ++i) MPI_Barrier(MPI_COMM_WORLD);
  double one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return sum != size;
}
