/* What the shim adds to the start and end of processes. Three programs in one:
 *   startup serial SHIM DIRECTORY   starts /bin/true, with and without the shim in turn, and prints medians;
 *   startup                         an MPI program: prints what MPI_Init and MPI_Finalize took on this rank, and of it the shim;
 *   a library (-DINNER), preloaded behind the shim: takes the time of the two calls as they come out of the shim, so that the
 *   difference is the shim's own, whatever the ranks wait for. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static double read_us(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}
static double now_us(void) { return read_us(CLOCK_MONOTONIC); }
static double cpu_us(void) { return read_us(CLOCK_THREAD_CPUTIME_ID); }

#ifdef INNER

/* Of MPI_Init, then of MPI_Finalize: at its begin and at its end, the clock and the thread's own CPU time. */
double inner[2][2][2];

static void note(double *at) {
  at[0] = now_us();
  at[1] = cpu_us();
}
int MPI_Init(int *argc, char ***argv) {
  note(inner[0][0]);
  int result = PMPI_Init(argc, argv);
  note(inner[0][1]);
  return result;
}
int MPI_Finalize(void) {
  note(inner[1][0]);
  int result = PMPI_Finalize();
  note(inner[1][1]);
  return result;
}

#else

#include <dlfcn.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { pairs = 501 };
extern char **environ;

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static double median(double *values) {
  qsort(values, pairs, sizeof *values, compare);
  return values[pairs / 2];
}

static double run_true(char **environment) {
  char *arguments[] = {"true", NULL};
  pid_t child;
  int status;
  double begin = now_us();
  if (posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environment) != 0 || waitpid(child, &status, 0) < 0 || status != 0) {
    fprintf(stderr, "startup: /bin/true did not run\n");
    exit(2);
  }
  return now_us() - begin;
}

static int serial(const char *shim, const char *directory) {
  static char preload[4200], run_directory[4200], run_id[] = "SCOPE_PROFILER_RUN_ID=bench";
  static double bare[pairs], with[pairs], added[pairs];
  snprintf(preload, sizeof preload, "LD_PRELOAD=%s", shim);
  snprintf(run_directory, sizeof run_directory, "SCOPE_PROFILER_RUN_DIR=%s", directory);
  size_t count = 0;
  while (environ[count]) ++count;
  char **environment = calloc(count + 4, sizeof *environment);
  if (!environment) return 2;
  memcpy(environment, environ, count * sizeof *environ);
  environment[count] = preload;
  environment[count + 1] = run_directory;
  environment[count + 2] = run_id;
  for (int i = 0; i < pairs; ++i) {
    if (i % 2) bare[i] = run_true(environ);
    with[i] = run_true(environment);
    if (i % 2 == 0) bare[i] = run_true(environ);
    added[i] = with[i] - bare[i];
  }
  double added_median = median(added), bare_median = median(bare), with_median = median(with);
  printf("/bin/true, us: bare min %.0f median %.0f, shim min %.0f median %.0f, added min %.0f median %.0f\n", bare[0], bare_median, with[0],
         with_median, with[0] - bare[0], added_median);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[1], "serial") == 0) return serial(argv[2], argv[3]);
  double (*inner)[2][2] = dlsym(RTLD_DEFAULT, "inner");
  if (!inner) return 3;
  double at[2][2][2];
  for (int call = 0; call < 2; ++call) {
    at[call][0][1] = cpu_us();
    at[call][0][0] = now_us();
    if (call == 0)
      MPI_Init(&argc, &argv);
    else
      MPI_Finalize();
    at[call][1][0] = now_us();
    at[call][1][1] = cpu_us();
    if (call == 0) MPI_Barrier(MPI_COMM_WORLD);
  }
  for (int call = 0; call < 2; ++call) {
    double own[2];
    for (int clock = 0; clock < 2; ++clock) own[clock] = inner[call][0][clock] - at[call][0][clock] + at[call][1][clock] - inner[call][1][clock];
    printf("%s %.0f own %.0f cpu %.0f\n", call ? "finalize" : "init", at[call][1][0] - at[call][0][0], own[0], own[1]);
  }
  return 0;
}
#endif
