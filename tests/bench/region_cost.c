/* What a begin and an end of a region cost together, in nanoseconds: minimum and median over blocks of an empty pair, next to two
 * reads of the time-stamp counter alone. Outside of `scope-profiler run` that is the cost while nothing is recorded. */
#define _GNU_SOURCE
#include <scope_profiler.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { blocks = 301, pairs = 2000 };

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void place(void) {
  SCOPE_BEGIN("pair");
  SCOPE_END("pair");
}
static void name(void) {
  scope_begin("pair by name");
  scope_end("pair by name");
}
static void reads(void) {
#if defined(__x86_64__)
  __asm__ volatile("rdtsc\n\trdtsc" ::: "rax", "rdx");
#endif
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void measure(const char *what, void (*pair)(void)) {
  static double times[blocks];
  for (int block = 0; block < blocks; ++block) {
    double start = now_ns();
    for (int i = 0; i < pairs; ++i) pair();
    times[block] = (now_ns() - start) / pairs;
  }
  qsort(times, blocks, sizeof *times, ascending);
  printf("%-44s min %6.2f  median %6.2f\n", what, times[0], times[blocks / 2]);
}

int main(void) {
  SCOPE_BEGIN("around");
  measure("two reads of the time-stamp counter", reads);
  measure("SCOPE_BEGIN + SCOPE_END", place);
  measure("scope_begin + scope_end", name);
  SCOPE_END("around");
  return 0;
}
