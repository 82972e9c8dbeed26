// 3 ranks, argv: MODE SHAPE. Every neighbourhood collective once, in one of three modes (see collective_kinds.c) on one of four
// topologies: line (Cartesian, ends that are MPI_PROC_NULL), ring (Cartesian, periodic), graph (0 joined to 1 and 2), dist
// (0 -> 1, 0 -> 2, 1 -> 2). Rank s gives rank d 1 + s + 2 d pairs in the v and w forms, and 1 + s to all in Allgatherv; counts
// for a neighbour that is MPI_PROC_NULL are junk. tests/e2e/test_collective_kinds.py has the expected bytes.
#include <mpi.h>
#include <string.h>

#ifdef LARGE_COUNTS  // MPI 4's _c forms: neighbour_kinds_large.c
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
static int mode;
static MPI_Request request;

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

static int outs, ins, out[2], in[2];  // neighbours in order, -1: MPI_PROC_NULL

static MPI_Comm topology(const char *shape, int r) {
  MPI_Comm comm, world = MPI_COMM_WORLD;
  if (!strcmp(shape, "line") || !strcmp(shape, "ring")) {
    int sizes[1] = {3}, periodic[1] = {!strcmp(shape, "ring")};
    MPI_Cart_create(world, 1, sizes, periodic, 0, &comm);
    outs = ins = 2;
    out[0] = in[0] = r > 0 ? r - 1 : periodic[0] ? 2 : -1;
    out[1] = in[1] = r < 2 ? r + 1 : periodic[0] ? 0 : -1;
  } else if (!strcmp(shape, "graph")) {
    int index[3] = {2, 3, 4}, edges[4] = {1, 2, 0, 0};
    MPI_Graph_create(world, 3, index, edges, 0, &comm);
    outs = ins = r == 0 ? 2 : 1;
    for (int i = 0; i < outs; ++i) out[i] = in[i] = r == 0 ? i + 1 : 0;
  } else {
    outs = 2 - r, ins = r;
    for (int i = 0; i < outs; ++i) out[i] = r + 1 + i;
    for (int i = 0; i < ins; ++i) in[i] = i;
    MPI_Dist_graph_create_adjacent(world, ins, in, MPI_UNWEIGHTED, outs, out, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  }
  return comm;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc < 3) MPI_Abort(MPI_COMM_WORLD, 2);
  int r;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  mode = !strcmp(argv[1], "blocking") ? BLOCKING : !strcmp(argv[1], "nonblocking") ? NONBLOCKING : PERSISTENT;
  MPI_Datatype holes, pair;
  MPI_Type_vector(2, 1, 2, MPI_INT, &holes);
  MPI_Type_create_resized(holes, 0, 16, &pair);
  MPI_Type_commit(&pair);
  MPI_Type_free(&holes);
  MPI_Comm comm = topology(argv[2], r);

  static int a[512], b[512];
  Count to[2] = {0}, from[2] = {0}, gathered[2] = {0}, to_w[2] = {0}, from_w[2] = {0};
  Place to_at[2] = {0, 128}, from_at[2] = {0, 32};
  MPI_Aint to_bytes[2] = {0, 512}, from_bytes[2] = {0, 512};
  MPI_Datatype to_types[2] = {MPI_INT, MPI_INT}, from_types[2] = {MPI_INT, MPI_INT};
  for (int i = 0; i < outs; ++i) {
    int pairs = out[i] < 0 ? 7 : 1 + r + 2 * out[i];
    to[i] = 2 * pairs;
    to_types[i] = i ? pair : MPI_INT, to_w[i] = i ? pairs : 2 * pairs;
  }
  for (int i = 0; i < ins; ++i) {
    int pairs = in[i] < 0 ? 7 : 1 + in[i] + 2 * r;
    from[i] = pairs, gathered[i] = in[i] < 0 ? 7 : 1 + in[i];
    from_types[i] = i ? MPI_INT : pair, from_w[i] = i ? 2 * pairs : pairs;
  }
  CALL(Neighbor_allgather, Ineighbor_allgather, a, 4, MPI_INT, b, 2, pair, comm);
  CALL(Neighbor_allgatherv, Ineighbor_allgatherv, a, 2 * (1 + r), MPI_INT, b, gathered, from_at, pair, comm);
  CALL(Neighbor_alltoall, Ineighbor_alltoall, a, 4, MPI_INT, b, 2, pair, comm);
  CALL(Neighbor_alltoallv, Ineighbor_alltoallv, a, to, to_at, MPI_INT, b, from, from_at, pair, comm);
  CALL(Neighbor_alltoallw, Ineighbor_alltoallw, a, to_w, to_bytes, to_types, b, from_w, from_bytes, from_types, comm);
  MPI_Comm_free(&comm);
  MPI_Type_free(&pair);
  MPI_Finalize();
  return 0;
}
