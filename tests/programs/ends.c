// n ranks. 100 Barriers, then the end that argv[1] names: they are counted on every rank whatever the end.
//   code     MPI_Finalize, then exit code 3      exit     return 0 without MPI_Finalize     exit1  rank 1: exit(1), others sleep
//   _exit    _exit(0) in every rank              abort    rank 1: MPI_Abort(3)              kill   rank 1: SIGKILL to itself
//   segv     rank 1: null pointer                error    rank 1: fatal MPI error           sleep  wait for a signal from outside
//   recv     rank 1 waits in MPI_Recv for ever, rank 0 kills itself
// "sleep" writes one line, "ready", once all ranks are there.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void end_of_rank_1(const char *how) {
  int x = 0;
  if (!strcmp(how, "exit1")) exit(1);
  if (!strcmp(how, "abort")) MPI_Abort(MPI_COMM_WORLD, 3);
  if (!strcmp(how, "kill")) raise(SIGKILL);
  if (!strcmp(how, "segv")) *(volatile int *)0 = 1;
  if (!strcmp(how, "error")) MPI_Send(&x, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
  if (!strcmp(how, "recv")) MPI_Recv(&x, 1, MPI_INT, 0, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "";
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 100; ++i) MPI_Barrier(MPI_COMM_WORLD);
  // Launchers end the others when one goes: all are to have left the last Barrier by then.
  usleep(500000);
  if (!strcmp(how, "exit")) return 0;
  if (!strcmp(how, "_exit")) _exit(0);
  if (!strcmp(how, "code") || !*how) {
    MPI_Finalize();
    if (*how) usleep(500000);  // and through MPI_Finalize by the first exit code that is not 0
    return *how ? 3 : 0;
  }
  if (rank == 0 && !strcmp(how, "sleep")) {
    puts("ready");
    fflush(stdout);
  }
  if (rank == 1) end_of_rank_1(how);
  if (rank == 0 && !strcmp(how, "recv")) {
    usleep(300000);
    raise(SIGKILL);
  }
  sleep(30);
  return 0;
}
