// 1 rank. Prints what a program can see of its surroundings: errno around MPI calls, signal dispositions, thread level, the
// names in its environment, open file descriptors after MPI_Finalize, and the results of queries. The same with and without
// the tool, but for the preload itself.
#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static void show_errno(const char *when) {
  printf("errno %s %d\n", when, errno);
  errno = 77;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void show_environment(void) {
  char *names[4096];
  int count = 0;
  for (char **entry = environ; *entry && count < 4096; ++entry) names[count++] = strndup(*entry, strcspn(*entry, "="));
  qsort(names, count, sizeof *names, by_name);
  for (int i = 0; i < count; ++i) printf("environment %s\n", names[i]);
}

static void show_signals(void) {
  for (int number = 1; number < 32; ++number) {
    struct sigaction action;
    if (sigaction(number, 0, &action) != 0) continue;
    const char *what = action.sa_handler == SIG_DFL ? "default" : action.sa_handler == SIG_IGN ? "ignored" : "handled";
    printf("signal %d %s\n", number, what);
  }
}

int main(int argc, char **argv) {
  int rank, size, level, flag, data = 0;
  errno = 77;
  MPI_Initialized(&flag);
  show_errno("Initialized");
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  errno = 77;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  show_errno("Comm_rank");
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  show_errno("Comm_size");
  MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_SELF);
  show_errno("Bcast");
  printf("rank %d size %d level %d argc %d\n", rank, size, level, argc);
  show_signals();
  show_environment();
  MPI_Finalize();
  MPI_Finalized(&flag);
  printf("finalized %d\n", flag);
  return 0;
}
