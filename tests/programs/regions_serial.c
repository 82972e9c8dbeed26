/* Regions without MPI. The first argument says which:
 *   nest       a (1 call), a/b (2), a/b/c (4), b (1): b at the top is not the b in a
 *   names      names with /, \, a line feed, bytes that are no UTF-8, 300 letters, and none
 *   unpaired   an end without a begin, twice; "outer" ends while "left" is open in it; "open" is open when the program exits
 *   paths      9,000 different names in "around": more than a process keeps apart
 *   deep       one region in itself, 100 deep
 *   fork       the child of a fork marks 5 times "child"; the parent once "before" and once "after"
 *   exec       "first", then the program starts itself with "nest" in a child process
 *   kill       ends "done" 3 times, then is killed in "open"
 *   _exit      the same, but ends with _exit
 *   wait       writes "ready" to stdout inside of "open", until it is killed */
#include <scope_profiler.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void nest(void) {
  SCOPE_BEGIN("a");
  for (int i = 0; i < 2; ++i) {
    SCOPE_BEGIN("b");
    for (int k = 0; k < 2; ++k) {
      SCOPE_BEGIN("c");
      SCOPE_END("c");
    }
    SCOPE_END("b");
  }
  SCOPE_END("a");
  SCOPE_BEGIN("b");
  SCOPE_END("b");
}

static void one(const char *name) {
  scope_begin(name);
  scope_end(name);
}

static void names(void) {
  char length[301];
  memset(length, 'x', 300);
  length[300] = 0;
  one("a/b");
  one("c\\d");
  one("line\nfeed");
  one("bytes \xff\xfe");
  one(length);
  one("");
}

static void unpaired(void) {
  SCOPE_END("never");
  SCOPE_END("never");
  SCOPE_BEGIN("outer");
  SCOPE_BEGIN("left");
  SCOPE_END("outer");
  SCOPE_BEGIN("open");
}

static void paths(void) {
  char name[32];
  SCOPE_BEGIN("around");
  for (int i = 0; i < 9000; ++i) {
    sprintf(name, "region %d", i);
    one(name);
  }
  SCOPE_END("around");
}

static void deep(int left) {
  SCOPE_BEGIN("deep");
  if (left > 1) deep(left - 1);
  SCOPE_END("deep");
}

static void forked(void) {
  one("before");
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 5; ++i) one("child");
    exit(0);
  }
  waitpid(child, NULL, 0);
  one("after");
}

static void exec_child(const char *self) {
  one("first");
  pid_t child = fork();
  if (child == 0) {
    execl(self, self, "nest", (char *)NULL);
    _exit(1);
  }
  waitpid(child, NULL, 0);
}

static void end_open(const char *how) {
  for (int i = 0; i < 3; ++i) one("done");
  SCOPE_BEGIN("open");
  if (strcmp(how, "kill") == 0) raise(SIGKILL);
  if (strcmp(how, "_exit") == 0) _exit(0);
  puts("ready");
  fflush(stdout);
  for (;;) pause();
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "nest";
  if (strcmp(what, "nest") == 0) nest();
  else if (strcmp(what, "names") == 0) names();
  else if (strcmp(what, "unpaired") == 0) unpaired();
  else if (strcmp(what, "paths") == 0) paths();
  else if (strcmp(what, "deep") == 0) deep(100);
  else if (strcmp(what, "fork") == 0) forked();
  else if (strcmp(what, "exec") == 0) exec_child(argv[0]);
  else end_open(what);
  return 0;
}
