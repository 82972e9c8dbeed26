// No MPI. Prints which objects with "mpi" in their file name, but for the tool's own, are mapped into the process; exit code
// argv[1].
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4096];
  int mapped = 0;
  while (maps && fgets(line, sizeof line, maps)) {
    char *path = strchr(line, '/'), *name = path ? strrchr(path, '/') : 0;
    if (name && strstr(name, "mpi") && !strstr(name, "libscope-profiler")) mapped += printf("mapped %s", path);
  }
  puts(mapped ? "MPI is there" : "no MPI");
  return argc > 1 ? atoi(argv[1]) : 0;
}
