// 3 ranks, argv: MODE SHAPE. Every collective once, in one of three modes (blocking; nonblocking: and a Wait; persistent: two
// rounds of Start and Wait, Request_free) and one of three shapes (plain; inplace; inter ROOT: an intercommunicator of {0, 1} and
// {2}, with the root at world rank ROOT). Sends are ints (4 B), receives pairs of ints with a hole (size 8, extent 16), so that
// a mixed-up count or type shows. tests/e2e/test_collective_kinds.py has the expected bytes.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#ifdef LARGE_COUNTS  // MPI 4's _c forms: collective_kinds_large.c
typedef MPI_Count Count;
typedef MPI_Aint Place;
#define F(name) name##_c
#else
typedef int Count;
typedef int Place;
#define F(name) name
#endif
#ifdef OPEN_MPI
#include <mpi-ext.h>
#define INIT(name) MPIX_##name##_init
#define ROUNDS 2
#else
#define INIT(name) MPI_##name##_init
#define ROUNDS 1  // MPICH 4.0.2 fails in the second round where a datatype has holes
#endif
#define JOIN(x) F(x)

enum { BLOCKING, NONBLOCKING, PERSISTENT };
static int mode, r, size, inter;
static MPI_Request request;
static MPI_Comm comm;
static MPI_Datatype pair;
static const MPI_Datatype none = MPI_DATATYPE_NULL;
static int a[512], b[512];
static double x[16], y[16];
static MPI_Datatype ints = MPI_INT;

static void finish(void) {
  if (mode == BLOCKING) return;
  for (int round = 0; round < (mode == PERSISTENT ? ROUNDS : 1); ++round) {
    if (mode == PERSISTENT) MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (mode == PERSISTENT) MPI_Request_free(&request);
}

#define CALL(name, iname, ...)                                                                          \
  do {                                                                                                  \
    if (mode == BLOCKING) F(MPI_##name)(__VA_ARGS__);                                                   \
    if (mode == NONBLOCKING) F(MPI_##iname)(__VA_ARGS__, &request);                                     \
    if (mode == PERSISTENT) JOIN(INIT(name))(__VA_ARGS__, MPI_INFO_NULL, &request);                     \
    finish();                                                                                           \
  } while (0)

static void barrier(void) {  // has no _c form
  if (mode == BLOCKING) MPI_Barrier(comm);
  if (mode == NONBLOCKING) MPI_Ibarrier(comm, &request);
  if (mode == PERSISTENT) INIT(Barrier)(comm, MPI_INFO_NULL, &request);
  finish();
}

static Count send_counts[3], counts[3], doubles[3];
static Place send_places[3], places[3];

static void plain(void) {
  CALL(Bcast, Ibcast, a, r == 1 ? 6 : 3, r == 1 ? MPI_INT : pair, 1, comm);
  CALL(Reduce, Ireduce, x, y, 3, MPI_DOUBLE, MPI_SUM, 2, comm);
  CALL(Gather, Igather, a, 4, MPI_INT, b, 2, pair, 0, comm);
  CALL(Gatherv, Igatherv, a, 2 * (r + 1), MPI_INT, b, counts, places, pair, 1, comm);
  CALL(Scatter, Iscatter, a, 4, MPI_INT, b, 2, pair, 2, comm);
  CALL(Scatterv, Iscatterv, a, send_counts, send_places, MPI_INT, b, r + 1, pair, 0, comm);
  CALL(Scan, Iscan, a, b, 2, MPI_INT, MPI_SUM, comm);
  CALL(Exscan, Iexscan, a, b, 2, MPI_INT, MPI_SUM, comm);
}

/// What has no root, on both kinds of communicators: `remote` ranks opposite.
static void all_to_all(int remote) {
  CALL(Allreduce, Iallreduce, x, y, 3, MPI_DOUBLE, MPI_SUM, comm);
  CALL(Allgather, Iallgather, a, 4, MPI_INT, b, 2, pair, comm);
  CALL(Allgatherv, Iallgatherv, a, 2 * (r + 1), MPI_INT, b, counts, places, pair, comm);
  CALL(Alltoall, Ialltoall, a, 4, MPI_INT, b, 2, pair, comm);
  Count out[3], in[3], out_w[3], in_w[3];
  Place to[3], from[3], to_bytes[3], from_bytes[3];
  MPI_Datatype out_types[3], in_types[3];
  for (int i = 0; i < remote; ++i) {
    out[i] = 2 * (r + 2 * i), in[i] = i + 2 * r;
    to[i] = 40 * i, from[i] = 10 * i;
    to_bytes[i] = from_bytes[i] = 160 * i;
    out_types[i] = i % 2 ? pair : MPI_INT, out_w[i] = i % 2 ? r + 2 * i : out[i];
    in_types[i] = i % 2 ? MPI_INT : pair, in_w[i] = i % 2 ? 2 * in[i] : in[i];
  }
  CALL(Alltoallv, Ialltoallv, a, out, to, MPI_INT, b, in, from, pair, comm);
  CALL(Alltoallw, Ialltoallw, a, out_w, to_bytes, out_types, b, in_w, from_bytes, in_types, comm);
  int scattered = inter && remote == 2;  // {2} alone: it gets all 3 doubles that {0, 1} get 1 and 2 of
  Count all[1] = {3};
  CALL(Reduce_scatter, Ireduce_scatter, x, y, scattered ? all : doubles, MPI_DOUBLE, MPI_SUM, comm);
  CALL(Reduce_scatter_block, Ireduce_scatter_block, x, y, inter && remote == 1 ? 1 : 2, MPI_DOUBLE, MPI_SUM, comm);
}

static void in_place(void) {
  CALL(Allreduce, Iallreduce, MPI_IN_PLACE, x, 3, MPI_DOUBLE, MPI_SUM, comm);
  CALL(Allgather, Iallgather, MPI_IN_PLACE, 0, none, a, 2, pair, comm);
  CALL(Allgatherv, Iallgatherv, MPI_IN_PLACE, 0, none, a, counts, places, pair, comm);
  CALL(Alltoall, Ialltoall, MPI_IN_PLACE, 0, none, a, 2, pair, comm);
  Count both[3] = {r, r + 1, r + 2};
  Place at[3] = {0, 10, 20}, at_bytes[3] = {0, 160, 320};
  MPI_Datatype types[3] = {pair, pair, pair};
  CALL(Alltoallv, Ialltoallv, MPI_IN_PLACE, 0, 0, none, a, both, at, pair, comm);
  CALL(Alltoallw, Ialltoallw, MPI_IN_PLACE, 0, 0, 0, a, both, at_bytes, types, comm);
  CALL(Reduce_scatter, Ireduce_scatter, MPI_IN_PLACE, x, doubles, MPI_DOUBLE, MPI_SUM, comm);
  CALL(Reduce_scatter_block, Ireduce_scatter_block, MPI_IN_PLACE, x, 2, MPI_DOUBLE, MPI_SUM, comm);
  CALL(Scan, Iscan, MPI_IN_PLACE, a, 2, MPI_INT, MPI_SUM, comm);
  CALL(Exscan, Iexscan, MPI_IN_PLACE, a, 2, MPI_INT, MPI_SUM, comm);
  CALL(Reduce, Ireduce, r == 2 ? MPI_IN_PLACE : (void *)x, r == 2 ? x : 0, 3, MPI_DOUBLE, MPI_SUM, 2, comm);
  if (r == 0) {
    CALL(Gather, Igather, MPI_IN_PLACE, 0, none, a, 2, pair, 0, comm);
    CALL(Scatterv, Iscatterv, a, send_counts, send_places, MPI_INT, MPI_IN_PLACE, 0, none, 0, comm);
  } else {
    CALL(Gather, Igather, a, 4, MPI_INT, 0, 0, none, 0, comm);
    CALL(Scatterv, Iscatterv, 0, 0, 0, none, b, r + 1, pair, 0, comm);
  }
  if (r == 1)
    CALL(Gatherv, Igatherv, MPI_IN_PLACE, 0, none, a, counts, places, pair, 1, comm);
  else
    CALL(Gatherv, Igatherv, a, 2 * (r + 1), MPI_INT, 0, 0, 0, none, 1, comm);
  if (r == 2)
    CALL(Scatter, Iscatter, a, 4, MPI_INT, MPI_IN_PLACE, 0, none, 2, comm);
  else
    CALL(Scatter, Iscatter, 0, 0, none, b, 2, pair, 2, comm);
}

/// Rooted ones on an intercommunicator: who is neither root nor opposite it passes junk, which is not to be looked at.
static void rooted(int root) {
  int receives = root >= 0, sends = root == MPI_ROOT;
  CALL(Bcast, Ibcast, a, 6, MPI_INT, root, comm);
  CALL(Reduce, Ireduce, x, y, 3, MPI_DOUBLE, MPI_SUM, root, comm);
  CALL(Gather, Igather, a, receives ? 4 : 0, receives ? ints : none, b, sends ? 2 : 0, sends ? pair : none, root, comm);
  CALL(Gatherv, Igatherv, a, receives ? 2 * (r + 1) : 0, receives ? ints : none, b, sends ? counts : 0, sends ? places : 0,
       sends ? pair : none, root, comm);
  CALL(Scatter, Iscatter, a, sends ? 4 : 0, sends ? ints : none, b, receives ? 2 : 0, receives ? pair : none, root, comm);
  CALL(Scatterv, Iscatterv, a, sends ? send_counts : 0, sends ? send_places : 0, sends ? ints : none, b,
       receives ? 2 * (r + 1) : 0, receives ? ints : none, root, comm);  // Open MPI 4.1.4 fails here with two types
}

static void bridge(int rank, int root) {
  int upper = rank == 2;
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, upper, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, upper ? 0 : 2, 5, &comm);
  MPI_Comm_free(&half);
  MPI_Comm_rank(comm, &r);
  int opposite = upper != (root == 2);
  inter = 1;
  barrier();
  all_to_all(upper ? 2 : 1);
  rooted(opposite ? root % 2 : rank == root ? MPI_ROOT : MPI_PROC_NULL);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Datatype holes;
  MPI_Type_vector(2, 1, 2, MPI_INT, &holes);
  MPI_Type_create_resized(holes, 0, 16, &pair);
  MPI_Type_commit(&pair);
  MPI_Type_free(&holes);
  for (int i = 0; i < 3; ++i) {
    counts[i] = doubles[i] = i + 1, send_counts[i] = 2 * (i + 1);
    places[i] = 10 * i, send_places[i] = 40 * i;
  }
  mode = !strcmp(argv[1], "blocking") ? BLOCKING : !strcmp(argv[1], "nonblocking") ? NONBLOCKING : PERSISTENT;
  comm = MPI_COMM_WORLD;
  MPI_Comm_rank(comm, &r);
  MPI_Comm_size(comm, &size);
  if (!strcmp(argv[2], "inter")) {
    bridge(r, atoi(argv[3]));
    MPI_Comm_free(&comm);
  } else {
    barrier();
    if (!strcmp(argv[2], "inplace")) in_place();
    else plain(), all_to_all(3);
  }
  MPI_Type_free(&pair);
  MPI_Finalize();
  return 0;
}
