/* What recording adds to one MPI call, in nanoseconds.
 *
 * Runs under `scope-profiler run --mpi-calls`. Every operation is timed in alternating blocks: through the name that programs
 * use (the shim) and through the library's own function (bare), so that drift of the machine hits both alike. Prints for each
 * operation the minimum and the median over blocks of bare and shim, and of their difference. Both ranks take part in the
 * ping-pong and the Allreduce; the other operations run on rank 0 while rank 1 waits. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { blocks = 301 };

struct functions {
  int (*comm_rank)(MPI_Comm, int *);
  int (*iprobe)(int, int, MPI_Comm, int *, MPI_Status *);
  int (*bcast)(void *, int, MPI_Datatype, int, MPI_Comm);
  int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
  int (*isend)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
  int (*wait)(MPI_Request *, MPI_Status *);
  int (*recv)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
  int (*allreduce)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
};

static int rank;
static MPI_Comm split; /* of all ranks, in reverse order: every peer has to be translated */
static volatile int sink;

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void look_up(struct functions *f, void *handle) {
  *(void **)&f->comm_rank = dlsym(handle, "MPI_Comm_rank");
  *(void **)&f->iprobe = dlsym(handle, "MPI_Iprobe");
  *(void **)&f->bcast = dlsym(handle, "MPI_Bcast");
  *(void **)&f->send = dlsym(handle, "MPI_Send");
  *(void **)&f->isend = dlsym(handle, "MPI_Isend");
  *(void **)&f->wait = dlsym(handle, "MPI_Wait");
  *(void **)&f->recv = dlsym(handle, "MPI_Recv");
  *(void **)&f->allreduce = dlsym(handle, "MPI_Allreduce");
}

static void comm_rank(const struct functions *f) {
  int value;
  f->comm_rank(MPI_COMM_WORLD, &value);
  sink = value;
}
static void iprobe(const struct functions *f) {
  int flag;
  f->iprobe(MPI_ANY_SOURCE, 12345, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  sink = flag;
}
static void bcast(const struct functions *f) {
  int value = 1;
  f->bcast(&value, 1, MPI_INT, 0, MPI_COMM_SELF);
}
/* A blocking send to self may wait for its receive, and does in MPICH: there the send is a nonblocking one. */
#ifdef OPEN_MPI
enum { self_calls = 2 };
static const char self_name[] = "Send+Recv to self";
static void send_recv_self(const struct functions *f) {
  int value = 1, got;
  f->send(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
  f->recv(&got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}
#else
enum { self_calls = 3 };
static const char self_name[] = "Isend+Recv+Wait to self";
static void send_recv_self(const struct functions *f) {
  int value = 1, got;
  MPI_Request request;
  f->isend(&value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
  f->recv(&got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  f->wait(&request, MPI_STATUS_IGNORE);
}
#endif
static void allreduce_self(const struct functions *f) {
  double value = 1, sum;
  f->allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}
static void ping_pong(const struct functions *f) {
  int value = 1;
  if (rank == 0) f->send(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
  f->recv(&value, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) f->send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
}
static void ping_pong_split(const struct functions *f) {
  int value = 1;
  if (rank == 0) f->send(&value, 1, MPI_INT, 0, 2, split);
  f->recv(&value, 1, MPI_INT, rank, 2, split, MPI_STATUS_IGNORE);
  if (rank == 1) f->send(&value, 1, MPI_INT, 1, 2, split);
}
static void iprobe_split(const struct functions *f) {
  int flag;
  f->iprobe(1, 12345, split, &flag, MPI_STATUS_IGNORE);
  sink = flag;
}
static void allreduce(const struct functions *f) {
  double value = 1, sum;
  f->allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static const struct operation {
  const char *name;
  void (*once)(const struct functions *);
  int calls; /* MPI calls of this rank in one go */
  int both;  /* ranks 0 and 1 take part */
  int repeat;
} operations[] = {
    {"Comm_rank", comm_rank, 1, 0, 400},          {"Iprobe", iprobe, 1, 0, 200},
    {"Bcast on COMM_SELF", bcast, 1, 0, 400},     {"Allreduce on COMM_SELF", allreduce_self, 1, 0, 200},
    {self_name, send_recv_self, self_calls, 0, 100}, {"Iprobe, split comm", iprobe_split, 1, 0, 200},
    {"ping-pong, 2 ranks", ping_pong, 2, 1, 50},   {"ping-pong, split comm", ping_pong_split, 2, 1, 50},
    {"Allreduce, 2 ranks", allreduce, 1, 1, 50},
};

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, compare);
  return values[count / 2];
}

/* Of sorted values without the outermost 2 %: what happens in a few blocks only, such as packing a timeline, is in it. */
static double trimmed_mean(const double *values, int count) {
  int cut = count / 50;
  double sum = 0;
  for (int i = cut; i < count - cut; ++i) sum += values[i];
  return sum / (count - 2 * cut);
}

static double block(const struct operation *operation, const struct functions *f) {
  double start = now_ns();
  for (int i = 0; i < operation->repeat; ++i) operation->once(f);
  return (now_ns() - start) / (operation->repeat * operation->calls);
}

static void measure(const struct operation *operation, const struct functions *bare, const struct functions *shim) {
  static double plain[blocks], recorded[blocks], added[blocks];
  if (rank == 0 || operation->both) {
    for (int i = 0; i < blocks; ++i) {
      plain[i] = block(operation, bare);
      recorded[i] = block(operation, shim);
      added[i] = recorded[i] - plain[i];
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank != 0) return;
  double added_median = median(added, blocks), plain_median = median(plain, blocks), recorded_median = median(recorded, blocks);
  printf("%-24s %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f %7.2f\n", operation->name, plain[0], plain_median, recorded[0], recorded_median,
         recorded[0] - plain[0], added_median, trimmed_mean(added, blocks), recorded_median / plain_median);
}

#if defined(__x86_64__)
static double two_counter_reads(void) {
  double best = 1e9;
  for (int i = 0; i < 100; ++i) {
    double start = now_ns();
    for (int k = 0; k < 1000; ++k) sink = (int)(__builtin_ia32_rdtsc() - __builtin_ia32_rdtsc());
    double each = (now_ns() - start) / 1000;
    if (each < best) best = each;
  }
  return best;
}
#endif

static double two_clock_reads(void) {
  double best = 1e9;
  for (int i = 0; i < 100; ++i) {
    double start = now_ns();
    for (int k = 0; k < 1000; ++k) sink = (int)(now_ns() - now_ns());
    double each = (now_ns() - start) / 1000;
    if (each < best) best = each;
  }
  return best;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &split);
  struct functions bare, shim;
  look_up(&shim, RTLD_DEFAULT);
  Dl_info library;
  void *any = dlsym(RTLD_DEFAULT, "MPI_Wtime"); /* never wrapped: it lies in the library */
  void *handle = any && dladdr(any, &library) ? dlopen(library.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  if (!handle) {
    fprintf(stderr, "call_cost: the MPI library was not found\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  look_up(&bare, handle);
  if (bare.comm_rank == shim.comm_rank) {
    fprintf(stderr, "call_cost: not under the shim; start it with `scope-profiler run --mpi-calls`\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  if (rank == 0) {
#if defined(__x86_64__)
    printf("floor: two counter reads %.1f ns, two clock_gettime %.1f ns\n", two_counter_reads(), two_clock_reads());
#else
    printf("floor: two clock_gettime %.1f ns\n", two_clock_reads());
#endif
    printf("%-24s %9s %9s %9s %9s %9s %9s %9s %7s\n", "ns per call", "bare min", "median", "shim min", "median", "added min", "median", "mean", "ratio");
  }
  for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i) measure(&operations[i], &bare, &shim);
  MPI_Comm_free(&split);
  MPI_Finalize();
  return 0;
}
