// 2 ranks: helper_processes FILE HELPER... Comm_rank, Barrier 5, the helpers, Barrier 5, Finalize. Helpers are no ranks: they write
// nothing and leave the rank's counts alone, whatever they do. FILE.<rank>.<helper> is made by a helper that outlived its parent.
//   system popen fork vfork posix_spawn   a child each, that ends
//   exit      a fork that calls exit(): atexit handlers and the shim's destructor run in it
//   mpi       a fork that calls MPI procedures and ends with exit(): it must not (MPI 4.1, 11.5), it does no harm
//   abort     a fork that ends with abort()
//   exec      a fork that runs this program again with "serial": MPI_Get_version, no MPI_Init
//   outlive   a fork that sleeps until its parent has ended, then exit()
//   daemon    two forks and a session of its own: likewise
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static int handled;
static pid_t rank_pid;
static char mark[4200];

static void at_exit(void) {
  if (getpid() != rank_pid) handled = 1;
}

static void wait_for(pid_t child, int expected) {
  int status = 0;
  if (child <= 0 || waitpid(child, &status, 0) != child || status != expected) MPI_Abort(MPI_COMM_WORLD, 9);
}

/// In a child: until the rank has ended, then leaves a mark and ends through exit().
static void outlive(const char *how) {
  while (kill(rank_pid, 0) == 0) {
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", rank_pid);
    int file = open(path, O_RDONLY);
    if (file < 0 || read(file, text, sizeof text - 1) <= 0 || strstr(text, ") Z ")) break;
    close(file);
    usleep(1000);
  }
  strcat(mark, how);
  close(open(mark, O_WRONLY | O_CREAT, 0600));
  exit(0);
}

/// What is written to the launcher's pipes keeps it waiting: a helper that stays has none of them.
static void detach(void) {
  for (int fd = 0; fd < 256; ++fd) close(fd);
  open("/dev/null", O_RDWR);
  dup2(0, 1), dup2(0, 2);
}

static void call_mpi(void) {
  int value = 0;
  char name[MPI_MAX_PROCESSOR_NAME];
  for (int i = 0; i < 7; ++i) MPI_Comm_rank(MPI_COMM_WORLD, &value);
  MPI_Comm_size(MPI_COMM_WORLD, &value);
  MPI_Get_processor_name(name, &value);
  MPI_Wtime();
}

static void help(const char *how, char *self) {
  char *words[] = {self, "serial", 0};
  struct rlimit no_core = {0, 0};
  pid_t child;
  if (!strcmp(how, "system") && system("true; ls > /dev/null") != 0) MPI_Abort(MPI_COMM_WORLD, 8);
  if (!strcmp(how, "popen")) {
    FILE *pipe = popen("echo 5; exit 3", "r");
    int five = 0;
    if (!pipe || fscanf(pipe, "%d", &five) != 1 || five != 5 || pclose(pipe) != 3 << 8) MPI_Abort(MPI_COMM_WORLD, 8);
  }
  if (!strcmp(how, "fork") && (child = fork()) == 0) _exit(4);
  else if (!strcmp(how, "fork")) wait_for(child, 4 << 8);
  if (!strcmp(how, "vfork") && (child = vfork()) == 0) execl("/bin/true", "true", (char *)0), _exit(7);
  else if (!strcmp(how, "vfork")) wait_for(child, 0);
  if (!strcmp(how, "posix_spawn")) wait_for(posix_spawn(&child, self, 0, 0, words, environ) ? -1 : child, 0);
  if (!strcmp(how, "exit") && (child = fork()) == 0) exit(5);
  else if (!strcmp(how, "exit")) wait_for(child, 5 << 8);
  if (!strcmp(how, "mpi") && (child = fork()) == 0) call_mpi(), exit(6);
  else if (!strcmp(how, "mpi")) wait_for(child, 6 << 8);
  if (!strcmp(how, "abort") && (child = fork()) == 0) {
    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGABRT, SIG_DFL);
    abort();
  } else if (!strcmp(how, "abort")) wait_for(child, SIGABRT);
  if (!strcmp(how, "exec") && (child = fork()) == 0) execv(self, words), _exit(7);
  else if (!strcmp(how, "exec")) wait_for(child, 0);
  if (!strcmp(how, "outlive") && fork() == 0) detach(), outlive(".outlive");
  if (!strcmp(how, "daemon")) {
    if ((child = fork()) == 0) {
      setsid();
      if (fork() == 0) detach(), outlive(".daemon");
      _exit(0);
    }
    wait_for(child, 0);
  }
}

int main(int argc, char **argv) {
  int version, subversion, rank;
  if (argc == 2 && !strcmp(argv[1], "serial")) return MPI_Get_version(&version, &subversion);
  rank_pid = getpid();
  atexit(at_exit);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(mark, 4096, "%s.%d", argv[1], rank);
  for (int i = 0; i < 5; ++i) MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 2; i < argc; ++i) help(argv[i], argv[0]);
  for (int i = 0; i < 5; ++i) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return handled;
}
