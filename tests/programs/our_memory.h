/* Resident bytes of the profiler in this process: its library, its files, and the private pages that it took, which alone are marked
 * to be wiped in a forked child ("wf" in /proc/self/smaps, Linux 4.14). So MPI's own growth does not matter. -1: not known. */
#include <stdio.h>
#include <string.h>

static long our_bytes(void) {
  FILE *file = fopen("/proc/self/smaps", "r");
  if (!file) return -1;
  char line[4400];
  long sum = 0, resident = 0, kilobytes;
  int ours = 0;
  while (fgets(line, sizeof line, file)) {
    unsigned long from, to;
    if (sscanf(line, "%lx-%lx ", &from, &to) == 2 && strchr(line, '-') < strchr(line, ' ')) {
      ours = strstr(line, "libscope-profiler-mpi.so") || (strstr(line, "/live-") && strstr(line, ".block"));
    } else if (sscanf(line, "Rss: %ld", &kilobytes) == 1) {
      resident = kilobytes * 1024;
    } else if (strncmp(line, "VmFlags:", 8) == 0) {
      if (ours || strstr(line, " wf")) sum += resident;
    }
  }
  fclose(file);
  return sum;
}
