/* What recording adds to one MPI call, in nanoseconds.
 *
 * Runs under `scope-profiler run --mpi-calls`. Every operation is timed in alternating blocks: through the name that programs
 * use (the shim) and through the library's own function (bare), so that drift of the machine hits both alike. Prints for each
 * operation the minimum and the median over blocks of bare and shim, and of their difference. Both ranks take part in the
 * ping-pong and the Allreduce; the other operations run on rank 0 while the others sleep.
 *
 *   call_cost           2 ranks: all operations
 *   call_cost split     any number of ranks: rank 0's operations on a communicator that was split off in reverse order
 *   call_cost threads   2 ranks, MPI_THREAD_MULTIPLE: operations of 1 thread of rank 0, then of 4 at once, each on its own messages
 *                       and a communicator of its own (the last one: all on the same, from any source), in CPU time of the thread.
 *                       What the shim adds must be the same: a cache line that threads share would show */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { blocks = 301, most_threads = 4 };

struct functions {
  int (*comm_rank)(MPI_Comm, int *);
  int (*iprobe)(int, int, MPI_Comm, int *, MPI_Status *);
  int (*bcast)(void *, int, MPI_Datatype, int, MPI_Comm);
  int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
  int (*isend)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
  int (*irecv)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
  int (*wait)(MPI_Request *, MPI_Status *);
  int (*recv)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Status *);
  int (*allreduce)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
};

static int rank;
static MPI_Comm split; /* of all ranks, in reverse order: every peer has to be translated */
static MPI_Comm alone; /* of this rank only, split off likewise */
static int split_rank;
static __thread MPI_Comm own; /* of this thread */
static __thread int own_tag;
static __thread volatile int sink;

static clockid_t bench_clock = CLOCK_MONOTONIC;
static double now_ns(void) {
  struct timespec time;
  clock_gettime(bench_clock, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void look_up(struct functions *f, void *handle) {
  *(void **)&f->comm_rank = dlsym(handle, "MPI_Comm_rank");
  *(void **)&f->iprobe = dlsym(handle, "MPI_Iprobe");
  *(void **)&f->bcast = dlsym(handle, "MPI_Bcast");
  *(void **)&f->send = dlsym(handle, "MPI_Send");
  *(void **)&f->isend = dlsym(handle, "MPI_Isend");
  *(void **)&f->irecv = dlsym(handle, "MPI_Irecv");
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
static void comm_rank_split(const struct functions *f) {
  int value;
  f->comm_rank(split, &value);
  sink = value;
}
/* The send is nonblocking in both MPIs: a blocking one to self may wait for its receive. */
static void message_on(const struct functions *f, MPI_Comm comm, int self) {
  int value = 1, got;
  MPI_Request request;
  f->isend(&value, 1, MPI_INT, self, 1, comm, &request);
  f->recv(&got, 1, MPI_INT, self, 1, comm, MPI_STATUS_IGNORE);
  f->wait(&request, MPI_STATUS_IGNORE);
}
static void message_split(const struct functions *f) { message_on(f, split, split_rank); }
static void message_own(const struct functions *f) { message_on(f, own, 0); }
/* Which rank of the world a message came from is known at the wait only: the request has to hold its communicator. */
static void message_from_any(const struct functions *f) {
  int value = 1, got;
  MPI_Request requests[2];
  f->irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, own_tag, split, &requests[0]);
  f->isend(&value, 1, MPI_INT, split_rank, own_tag, split, &requests[1]);
  f->wait(&requests[0], MPI_STATUS_IGNORE);
  f->wait(&requests[1], MPI_STATUS_IGNORE);
}
static void bcast_split(const struct functions *f) {
  int value = 1;
  f->bcast(&value, 1, MPI_INT, 0, alone);
}
static void allreduce_split(const struct functions *f) {
  double value = 1, sum;
  f->allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, alone);
}
static void comm_rank_own(const struct functions *f) {
  int value;
  f->comm_rank(own, &value);
  sink = value;
}
static void iprobe_own(const struct functions *f) {
  int flag;
  f->iprobe(MPI_ANY_SOURCE, 12345, own, &flag, MPI_STATUS_IGNORE);
  sink = flag;
}

struct operation {
  const char *name;
  void (*once)(const struct functions *);
  int calls; /* MPI calls of this rank in one go */
  int both;  /* ranks 0 and 1 take part */
  int repeat;
};
static const struct operation on_split[] = {
    {"Comm_rank, split", comm_rank_split, 1, 0, 400},
    {"Iprobe, split", iprobe_split, 1, 0, 200},
    {"Isend+Recv+Wait, split", message_split, 3, 0, 100},
    {"Bcast, split off alone", bcast_split, 1, 0, 400},
    {"Allreduce, split off alone", allreduce_split, 1, 0, 200},
};
static const struct operation of_threads[] = {
    {"Comm_rank", comm_rank_own, 1, 0, 400},
    {"Iprobe", iprobe_own, 1, 0, 200},
    {"Isend+Recv+Wait to self", message_own, 3, 0, 100},
    {"Irecv+Isend+2 Wait, shared", message_from_any, 4, 0, 100},
};
static const struct operation operations[] = {
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
  if (rank != 0) return;
  double added_median = median(added, blocks), plain_median = median(plain, blocks), recorded_median = median(recorded, blocks);
  printf("%-26s %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f %9.1f %7.2f\n", operation->name, plain[0], plain_median, recorded[0], recorded_median,
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

static struct functions bare, shim;

/* The other ranks leave the processors to rank 0, since no MPI wait does. */
static void sleep_until_done(void) {
  MPI_Request request;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; !done; usleep(20000)) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

static pthread_barrier_t start_together;
struct threaded {
  const struct operation *operation;
  MPI_Comm comm;
  int tag;
  double plain, added;
};
/* Some more blocks around those that count: threads do not end at once. */
static void *run_blocks(void *argument) {
  struct threaded *work = argument;
  double plain[blocks], added[blocks];
  own = work->comm;
  own_tag = work->tag;
  pthread_barrier_wait(&start_together);
  for (int i = -20; i < blocks + 20; ++i) {
    double bare_time = block(work->operation, &bare), shim_time = block(work->operation, &shim);
    if (i < 0 || i >= blocks) continue;
    plain[i] = bare_time;
    added[i] = shim_time - bare_time;
  }
  /* Not medians: most blocks may run while no other thread does. */
  median(plain, blocks);
  median(added, blocks);
  work->plain = trimmed_mean(plain, blocks);
  work->added = trimmed_mean(added, blocks);
  return NULL;
}

/* The median thread. */
static struct threaded measure_threads(const struct operation *operation, int count, const MPI_Comm *comms) {
  struct threaded work[most_threads];
  double plain[most_threads], added[most_threads];
  pthread_t threads[most_threads];
  int cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
  pthread_barrier_init(&start_together, NULL, (unsigned)count);
  for (int i = 0; i < count; ++i) {
    work[i] = (struct threaded){operation, comms[i], 10 + i, 0, 0};
    pthread_create(&threads[i], NULL, run_blocks, &work[i]);
    cpu_set_t core; /* else all may end up on one, and nothing is at once */
    CPU_ZERO(&core);
    CPU_SET((size_t)(i % cores), &core);
    pthread_setaffinity_np(threads[i], sizeof core, &core);
  }
  for (int i = 0; i < count; ++i) {
    pthread_join(threads[i], NULL);
    plain[i] = work[i].plain;
    added[i] = work[i].added;
  }
  pthread_barrier_destroy(&start_together);
  work[0].plain = median(plain, count);
  work[0].added = median(added, count);
  return work[0];
}

static void all_threads(void) {
  MPI_Comm comms[most_threads];
  for (int i = 0; i < most_threads; ++i) MPI_Comm_dup(MPI_COMM_SELF, &comms[i]);
  bench_clock = CLOCK_THREAD_CPUTIME_ID;
  printf("%-26s %9s %9s %9s %9s\n", "MPI_THREAD_MULTIPLE", "bare, 1", "added, 1", "bare, 4", "added, 4");
  for (size_t i = 0; i < sizeof of_threads / sizeof *of_threads; ++i) {
    struct operation operation = of_threads[i];
    operation.repeat *= 20; /* reading this clock is a system call */
    struct threaded one = measure_threads(&operation, 1, comms), four = measure_threads(&operation, most_threads, comms);
    printf("%-26s %9.1f %9.1f %9.1f %9.1f\n", operation.name, one.plain, one.added, four.plain, four.added);
    fflush(stdout);
  }
  for (int i = 0; i < most_threads; ++i) MPI_Comm_free(&comms[i]);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int threaded = strcmp(what, "threads") == 0, level;
  MPI_Init_thread(&argc, &argv, threaded ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &split);
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &alone);
  MPI_Comm_rank(split, &split_rank);
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
    if (!threaded)
      printf("%-26s %9s %9s %9s %9s %9s %9s %9s %7s\n", "ns per call", "bare min", "median", "shim min", "median", "added min", "median", "mean", "ratio");
  }
  if (threaded) {
    if (rank == 0) all_threads();
    sleep_until_done();
  } else if (strcmp(what, "split") == 0) {
    for (size_t i = 0; rank == 0 && i < sizeof on_split / sizeof *on_split; ++i) measure(&on_split[i], &bare, &shim);
    sleep_until_done();
  } else {
    for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i) {
      measure(&operations[i], &bare, &shim);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  MPI_Comm_free(&split);
  MPI_Comm_free(&alone);
  MPI_Finalize();
  return 0;
}
