/* Regions around MPI calls, on every rank:
 *   setup             1 call,  MPI_Init inside (the recorder runs before MPI)
 *   solve             3 calls, one MPI_Allreduce each, and
 *   solve/exchange    3 calls, two MPI_Sendrecv each
 *   level, level/level, level/level/level: recursion, one MPI_Barrier each
 *   finish            1 call,  MPI_Finalize inside; it ends after MPI
 * With an argument: "kill": rank 1 is killed in the second solve, inside exchange, after its first MPI_Sendrecv; the others end it
 * in MPI. */
#include <mpi.h>
#include <scope_profiler.h>
#include <signal.h>
#include <string.h>

static int rank, size;

static void exchange(int die) {
  int other = rank ^ 1, mine = rank, theirs;
  SCOPE_BEGIN("exchange");
  MPI_Sendrecv(&mine, 1, MPI_INT, other, 1, &theirs, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (die) raise(SIGKILL);
  MPI_Sendrecv(&mine, 1, MPI_INT, other, 2, &theirs, 1, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  SCOPE_END("exchange");
}

static void level(int depth) {
  scope_begin("level");
  MPI_Barrier(MPI_COMM_WORLD);
  if (depth > 1) level(depth - 1);
  scope_end("level");
}

int main(int argc, char **argv) {
  int kill = argc > 1 && strcmp(argv[1], "kill") == 0, sum;
  SCOPE_BEGIN("setup");
  MPI_Init(&argc, &argv);
  SCOPE_END("setup");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int step = 0; step < 3; ++step) {
    SCOPE_BEGIN("solve");
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    exchange(kill && rank == 1 && step == 1);
    SCOPE_END("solve");
  }
  level(3);
  SCOPE_BEGIN("finish");
  MPI_Finalize();
  SCOPE_END("finish");
  return sum == size * (size - 1) / 2 ? 0 : 1;
}
