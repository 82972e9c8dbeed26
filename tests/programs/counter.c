// A second way to count, for the tests with real programs: a PMPI library of its own that shares no code with the tool. Writes
// one line a procedure, "MPI_Send calls bytes", to COUNTER_DIRECTORY/counts-RANK in MPI_Finalize. Bytes are those that
// point-to-point calls, Bcast roots, Allreduce and Reduce hand in; the other procedures have 0.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define PROCEDURES(X)                                                                                                     \
  X(Send) X(Ssend) X(Isend) X(Issend) X(Sendrecv) X(Recv) X(Irecv) X(Wait) X(Waitall) X(Waitany) X(Test) X(Testany)       \
  X(Iprobe) X(Cancel) X(Barrier) X(Bcast) X(Reduce) X(Allreduce) X(Gather) X(Alltoall) X(Comm_rank) X(Comm_size)          \
  X(Comm_split) X(Comm_free) X(Type_commit) X(Type_free) X(Get_count)

enum {
#define X(name) name,
  PROCEDURES(X)
#undef X
  PROCEDURE_COUNT
};
static const char *const names[] = {
#define X(name) "MPI_" #name,
    PROCEDURES(X)
#undef X
};
static long calls[PROCEDURE_COUNT];
static long long sent[PROCEDURE_COUNT];

static void count(int procedure, int elements, MPI_Datatype type) {
  int size = 0;
  if (elements > 0) PMPI_Type_size(type, &size);
  ++calls[procedure];
  sent[procedure] += (long long)elements * size;
}
static int to(int dest, int elements) { return dest == MPI_PROC_NULL ? 0 : elements; }

// Sends and receives.
#define SEND(name)                                                                                    \
  int MPI_##name(const void *b, int n, MPI_Datatype t, int dest, int tag, MPI_Comm c) {               \
    count(name, to(dest, n), t);                                                                      \
    return PMPI_##name(b, n, t, dest, tag, c);                                                        \
  }
#define ISEND(name)                                                                                   \
  int MPI_##name(const void *b, int n, MPI_Datatype t, int dest, int tag, MPI_Comm c, MPI_Request *r) { \
    count(name, to(dest, n), t);                                                                      \
    return PMPI_##name(b, n, t, dest, tag, c, r);                                                     \
  }
SEND(Send)
SEND(Ssend)
ISEND(Isend)
ISEND(Issend)

int MPI_Sendrecv(const void *a, int n, MPI_Datatype t, int dest, int tag, void *b, int m, MPI_Datatype u, int source, int v,
                 MPI_Comm c, MPI_Status *s) {
  count(Sendrecv, to(dest, n), t);
  return PMPI_Sendrecv(a, n, t, dest, tag, b, m, u, source, v, c, s);
}
int MPI_Bcast(void *b, int n, MPI_Datatype t, int root, MPI_Comm c) {
  int rank;
  PMPI_Comm_rank(c, &rank);
  count(Bcast, rank == root ? n : 0, t);
  return PMPI_Bcast(b, n, t, root, c);
}
int MPI_Reduce(const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, int root, MPI_Comm c) {
  count(Reduce, n, t);
  return PMPI_Reduce(a, b, n, t, o, root, c);
}
int MPI_Allreduce(const void *a, void *b, int n, MPI_Datatype t, MPI_Op o, MPI_Comm c) {
  count(Allreduce, n, t);
  return PMPI_Allreduce(a, b, n, t, o, c);
}

// Counted only.
#define PLAIN(name, parameters, arguments)  \
  int MPI_##name parameters {               \
    ++calls[name];                          \
    return PMPI_##name arguments;           \
  }
PLAIN(Recv, (void *b, int n, MPI_Datatype t, int src, int tag, MPI_Comm c, MPI_Status *s), (b, n, t, src, tag, c, s))
PLAIN(Irecv, (void *b, int n, MPI_Datatype t, int src, int tag, MPI_Comm c, MPI_Request *r), (b, n, t, src, tag, c, r))
PLAIN(Wait, (MPI_Request *r, MPI_Status *s), (r, s))
PLAIN(Waitall, (int n, MPI_Request *r, MPI_Status *s), (n, r, s))
PLAIN(Waitany, (int n, MPI_Request *r, int *i, MPI_Status *s), (n, r, i, s))
PLAIN(Test, (MPI_Request *r, int *f, MPI_Status *s), (r, f, s))
PLAIN(Testany, (int n, MPI_Request *r, int *i, int *f, MPI_Status *s), (n, r, i, f, s))
PLAIN(Iprobe, (int src, int tag, MPI_Comm c, int *f, MPI_Status *s), (src, tag, c, f, s))
PLAIN(Cancel, (MPI_Request *r), (r))
PLAIN(Barrier, (MPI_Comm c), (c))
PLAIN(Gather, (const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, int root, MPI_Comm c),
      (a, n, t, b, m, u, root, c))
PLAIN(Alltoall, (const void *a, int n, MPI_Datatype t, void *b, int m, MPI_Datatype u, MPI_Comm c), (a, n, t, b, m, u, c))
PLAIN(Comm_rank, (MPI_Comm c, int *r), (c, r))
PLAIN(Comm_size, (MPI_Comm c, int *s), (c, s))
PLAIN(Comm_split, (MPI_Comm c, int color, int key, MPI_Comm *n), (c, color, key, n))
PLAIN(Comm_free, (MPI_Comm *c), (c))
PLAIN(Type_commit, (MPI_Datatype *t), (t))
PLAIN(Type_free, (MPI_Datatype *t), (t))
PLAIN(Get_count, (const MPI_Status *s, MPI_Datatype t, int *n), (s, t, n))

int MPI_Finalize(void) {
  char path[4096];
  int rank;
  const char *directory = getenv("COUNTER_DIRECTORY");
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s/counts-%d", directory ? directory : ".", rank);
  FILE *file = fopen(path, "w");
  for (int i = 0; file && i < PROCEDURE_COUNT; ++i) fprintf(file, "%s %ld %lld\n", names[i], calls[i], sent[i]);
  if (file) fclose(file);
  return PMPI_Finalize();
}
