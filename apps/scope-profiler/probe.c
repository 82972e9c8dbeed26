/* The ranks of `doctor`: MPI_Init, MPI_Comm_rank, one MPI_Barrier, MPI_Finalize. Built without any MPI: the library is loaded
 * at run time, and every procedure is looked up as the loader binds a program's calls (RTLD_DEFAULT), so that a preloaded
 * shim comes first. A handle of our own would pass it by.
 *
 *   scope-profiler-probe --which FAMILY CANDIDATE...   prints the path of the first candidate that can be loaded
 *   scope-profiler-probe --run FAMILY LIBRARY          is a rank
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { seconds = 40 }; /* no rank outlives a launcher that was killed by much */

static int fail(const char *what, const char *why) {
  fprintf(stderr, "scope-profiler-probe: %s%s%s\n", what, why ? ": " : "", why ? why : "");
  return 3;
}

/* Both families have had a libmpi.so.12. */
static int belongs(void *library, const char *family) {
  int is_open_mpi = dlsym(library, "ompi_mpi_comm_world") != NULL;
  return dlsym(library, "PMPI_Init") && is_open_mpi == (strcmp(family, "openmpi") == 0);
}

static int which(const char *family, char **candidates) {
  for (; *candidates; ++candidates) {
    void *library = dlopen(*candidates, RTLD_LAZY | RTLD_LOCAL);
    struct link_map *where = NULL;
    if (!library || !belongs(library, family) || dlinfo(library, RTLD_DI_LINKMAP, &where)) continue;
    return puts(where->l_name) < 0;
  }
  return 1;
}

static int run(const char *family, const char *file) {
  /* A machine word carries a communicator of both families. */
  int (*init)(void *, void *), (*rank_of)(uintptr_t, int *), (*barrier)(uintptr_t), (*finalize)(void);
  uintptr_t world = 0x44000000u; /* of the MPICH ABI */
  int rank = -1;
  if (!dlopen(file, RTLD_NOW | RTLD_GLOBAL)) return fail("cannot load the MPI library", dlerror());
  if (strcmp(family, "openmpi") == 0) world = (uintptr_t)dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world");
  *(void **)&init = dlsym(RTLD_DEFAULT, "MPI_Init");
  *(void **)&rank_of = dlsym(RTLD_DEFAULT, "MPI_Comm_rank");
  *(void **)&barrier = dlsym(RTLD_DEFAULT, "MPI_Barrier");
  *(void **)&finalize = dlsym(RTLD_DEFAULT, "MPI_Finalize");
  if (!world || !init || !rank_of || !barrier || !finalize) return fail("not an MPI library", file);
  if (init(NULL, NULL)) return fail("MPI_Init failed", NULL);
  if (rank_of(world, &rank) || rank < 0) return fail("MPI_Comm_rank failed", NULL);
  if (barrier(world)) return fail("MPI_Barrier failed", NULL);
  return finalize() ? fail("MPI_Finalize failed", NULL) : 0;
}

int main(int argc, char **argv) {
  alarm(seconds);
  if (argc >= 4 && strcmp(argv[1], "--which") == 0) return which(argv[2], argv + 3);
  if (argc == 4 && strcmp(argv[1], "--run") == 0) return run(argv[2], argv[3]);
  return fail("started by 'scope-profiler doctor' only", NULL);
}
