/* What recording adds to a call, in instructions: under callgrind, each function below makes 1000 calls through the library's own
 * function (bare) or through the name that programs use (shim). tests/e2e/test_instructions.py compares the two. One rank. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>

enum { calls = 1000 };

struct functions {
  int (*comm_rank)(MPI_Comm, int *);
  int (*iprobe)(int, int, MPI_Comm, int *, MPI_Status *);
  int (*bcast)(void *, int, MPI_Datatype, int, MPI_Comm);
  int (*allreduce)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
  int (*isend)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
  int (*recv)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
  int (*wait)(MPI_Request *, MPI_Status *);
};

static void look_up(struct functions *f, void *handle) {
  *(void **)&f->comm_rank = dlsym(handle, "MPI_Comm_rank");
  *(void **)&f->iprobe = dlsym(handle, "MPI_Iprobe");
  *(void **)&f->bcast = dlsym(handle, "MPI_Bcast");
  *(void **)&f->allreduce = dlsym(handle, "MPI_Allreduce");
  *(void **)&f->isend = dlsym(handle, "MPI_Isend");
  *(void **)&f->recv = dlsym(handle, "MPI_Recv");
  *(void **)&f->wait = dlsym(handle, "MPI_Wait");
}

static void comm_rank(const struct functions *f) {
  int value;
  f->comm_rank(MPI_COMM_WORLD, &value);
}
static void iprobe(const struct functions *f) {
  int flag;
  f->iprobe(MPI_ANY_SOURCE, 12345, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}
static void bcast(const struct functions *f) {
  int value = 1;
  f->bcast(&value, 1, MPI_INT, 0, MPI_COMM_SELF);
}
static void allreduce(const struct functions *f) {
  double value = 1, sum;
  f->allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}
static void self_message(const struct functions *f) {
  int value = 1, got;
  MPI_Request request;
  f->isend(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  f->recv(&got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  f->wait(&request, MPI_STATUS_IGNORE);
}

/* measure_NAME_bare and measure_NAME_shim; the first calls, which find functions and make entries, are outside. */
#define MEASURE_AS(name, what)                                                             \
  __attribute__((noinline)) static void measure_##name##_##what(const struct functions *f) { \
    for (int i = 0; i < calls; ++i) name(f);                                               \
  }
#define MEASURE(name) MEASURE_AS(name, bare) MEASURE_AS(name, shim)
MEASURE(comm_rank)
MEASURE(iprobe)
MEASURE(bcast)
MEASURE(allreduce)
MEASURE(self_message)

#define RUN(name)                                            \
  do {                                                       \
    for (int i = 0; i < 10; ++i) name(&bare), name(&shim);   \
    measure_##name##_bare(&bare);                            \
    measure_##name##_shim(&shim);                            \
  } while (0)

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  struct functions bare, shim;
  look_up(&shim, RTLD_DEFAULT);
  Dl_info library;
  void *any = dlsym(RTLD_DEFAULT, "MPI_Wtime"); /* never wrapped: it lies in the library */
  void *handle = any && dladdr(any, &library) ? dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  if (!handle) MPI_Abort(MPI_COMM_WORLD, 2);
  look_up(&bare, handle);
  if (bare.comm_rank == shim.comm_rank) MPI_Abort(MPI_COMM_WORLD, 3);
  RUN(comm_rank);
  RUN(iprobe);
  RUN(bcast);
  RUN(allreduce);
  RUN(self_message);
  MPI_Finalize();
  return 0;
}
