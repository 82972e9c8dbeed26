// n ranks: limits WHAT... Does what makes it hard to write files, and after that Sendrecv 3,000 to itself (4 B), each with a tag of
// its own, so that the table of calls must grow; Barrier 10, Comm_rank 1. Prints "rank R N": what it got, added up. WHAT, before
// MPI_Init or ("late-") after it:
//   chdir    to /                    umask=N   octal                      fsize=N   RLIMIT_FSIZE, bytes (SIGXFSZ stays as it is)
//   nofile=N RLIMIT_NOFILE           close     every descriptor from 3 on but PMI_FD, which MPICH is started with
//   streams  descriptors 0 to 2 are closed (nothing is printed)   remove   its run directory, where it has one
#include <dirent.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int with_value(const char *word, const char *name, long *value, int base) {
  size_t length = strlen(name);
  if (strncmp(word, name, length) || word[length] != '=') return 0;
  *value = strtol(word + length + 1, 0, base);
  return 1;
}

static void limit(int which, long value) {
  struct rlimit both = {(rlim_t)value, (rlim_t)value};
  setrlimit(which, &both);
}

static void close_all(void) {
  const char *text = getenv("PMI_FD");
  int pmi = text ? atoi(text) : -1;
  for (int fd = 3; fd < 1024; ++fd)
    if (fd != pmi) close(fd);
}

static void remove_directory(const char *path) {
  DIR *directory = opendir(path);
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    char name[4096];
    snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    unlink(name);
  }
  if (directory) closedir(directory);
  rmdir(path);
}

static void make_it_hard(const char *word) {
  long value = 0;
  if (!strcmp(word, "chdir") && chdir("/") != 0) exit(8);
  if (with_value(word, "umask", &value, 8)) umask((mode_t)value);
  if (with_value(word, "fsize", &value, 10)) limit(RLIMIT_FSIZE, value);
  if (with_value(word, "nofile", &value, 10)) limit(RLIMIT_NOFILE, value);
  if (!strcmp(word, "close")) close_all();
  if (!strcmp(word, "streams")) close(0), close(1), close(2);
  if (!strcmp(word, "remove")) remove_directory(getenv("SCOPE_PROFILER_RUN_DIR") ? getenv("SCOPE_PROFILER_RUN_DIR") : "/nonexistent");
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    if (strncmp(argv[i], "late-", 5)) make_it_hard(argv[i]);
  MPI_Init(0, 0);
  for (int i = 1; i < argc; ++i)
    if (!strncmp(argv[i], "late-", 5)) make_it_hard(argv[i] + 5);
  int rank, got = 0;
  long sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int tag = 0; tag < 3000; ++tag) {
    MPI_Sendrecv(&tag, 1, MPI_INT, 0, tag, &got, 1, MPI_INT, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    sum += got;
  }
  for (int i = 0; i < 10; ++i) MPI_Barrier(MPI_COMM_WORLD);
  printf("rank %d %ld\n", rank, sum);
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
