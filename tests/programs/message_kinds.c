// 2 ranks, argv: modes, persistent, nobody, anyone or exchange. Point-to-point calls of every kind; message k has k + 1 ints,
// from rank 0 to rank 1 where nothing else is said.
//   modes       Send, Ssend, Bsend, Rsend, Isend, Issend, Ibsend, Irsend with tags 10 ..., into Irecv and one Waitall
//   persistent  Send_init, Bsend_init, Ssend_init, Rsend_init with tags 20 ..., 3 rounds of Startall and Waitall
//   nobody      all of them, and receives and probes, with MPI_PROC_NULL: one call each, no bytes, no peer
//   anyone      receives of every kind from MPI_ANY_SOURCE with MPI_ANY_TAG, whose status the program ignores; tags 30 ...
//   exchange    MPI 4: Isendrecv of 3 ints (tag 40), Isendrecv_replace of 5 (tag 41), both ways; prints what the statuses say
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#ifdef LARGE_COUNTS  // MPI 4's _c forms: message_kinds_large.c
typedef MPI_Count Count;
#define F(name) name##_c
#else
typedef int Count;
#define F(name) name
#endif

static int rank, a[64], b[64];
static char space[4096];
static const MPI_Comm world = MPI_COMM_WORLD;
static MPI_Request requests[8];

static void detach(void) {
  void *address;
  Count size;
  F(MPI_Buffer_detach)(&address, &size);
}

static void modes(int peer, int first) {
  F(MPI_Buffer_attach)(space, sizeof space);
  F(MPI_Send)(a, 1, MPI_INT, peer, first, world);
  F(MPI_Ssend)(a, 2, MPI_INT, peer, first + 1, world);
  F(MPI_Bsend)(a, 3, MPI_INT, peer, first + 2, world);
  F(MPI_Rsend)(a, 4, MPI_INT, peer, first + 3, world);
  F(MPI_Isend)(a, 5, MPI_INT, peer, first + 4, world, &requests[0]);
  F(MPI_Issend)(a, 6, MPI_INT, peer, first + 5, world, &requests[1]);
  F(MPI_Ibsend)(a, 7, MPI_INT, peer, first + 6, world, &requests[2]);
  F(MPI_Irsend)(a, 8, MPI_INT, peer, first + 7, world, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  detach();
}

static void all_modes(void) {
  static int data[8][16];
  for (int k = 0; rank == 1 && k < 8; ++k) F(MPI_Irecv)(data[k], 16, MPI_INT, 0, 10 + k, world, &requests[k]);
  MPI_Barrier(world);  // ready mode wants the receives posted
  if (rank == 0) modes(1, 10);
  if (rank == 1) MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

static void persistent(int peer) {
  static int data[4][16];
  int sends = rank == 0 || peer == MPI_PROC_NULL;
  F(MPI_Buffer_attach)(space, sizeof space);
  if (sends) {
    F(MPI_Send_init)(a, 1, MPI_INT, peer, 20, world, &requests[0]);
    F(MPI_Bsend_init)(a, 2, MPI_INT, peer, 21, world, &requests[1]);
    F(MPI_Ssend_init)(a, 3, MPI_INT, peer, 22, world, &requests[2]);
    F(MPI_Rsend_init)(a, 4, MPI_INT, peer, 23, world, &requests[3]);
  } else {
    for (int k = 0; k < 4; ++k) F(MPI_Recv_init)(data[k], 16, MPI_INT, peer, 20 + k, world, &requests[k]);
  }
  for (int round = 0; round < 3; ++round) {
    if (!sends) MPI_Startall(4, requests);
    MPI_Barrier(world);
    if (sends) MPI_Startall(4, requests);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  }
  for (int k = 0; k < 4; ++k) MPI_Request_free(&requests[k]);
  detach();
}

static void nobody(void) {
  const int null = MPI_PROC_NULL;
  int flag;
  MPI_Message message;
  MPI_Status status;
  modes(null, 10);
  persistent(null);
  F(MPI_Recv_init)(a, 9, MPI_INT, null, 3, world, requests);
  MPI_Start(requests);
  MPI_Wait(requests, MPI_STATUS_IGNORE);
  MPI_Request_free(requests);
  F(MPI_Recv)(a, 9, MPI_INT, null, 3, world, MPI_STATUS_IGNORE);
  F(MPI_Irecv)(a, 9, MPI_INT, null, 3, world, requests);
  MPI_Wait(requests, &status);
  F(MPI_Sendrecv)(a, 9, MPI_INT, null, 3, b, 9, MPI_INT, null, 3, world, &status);
  F(MPI_Sendrecv_replace)(a, 9, MPI_INT, null, 3, null, 3, world, MPI_STATUS_IGNORE);
  MPI_Probe(null, 3, world, &status);
  MPI_Iprobe(null, 3, world, &flag, MPI_STATUS_IGNORE);
  MPI_Mprobe(null, 3, world, &message, MPI_STATUS_IGNORE);
  F(MPI_Mrecv)(a, 9, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Improbe(null, 3, world, &flag, &message, &status);
  F(MPI_Imrecv)(a, 9, MPI_INT, &message, requests);
  MPI_Wait(requests, MPI_STATUS_IGNORE);
}

static void anyone(void) {
  const int source = MPI_ANY_SOURCE, tag = MPI_ANY_TAG;
  MPI_Message message;
  if (rank == 0) {
    for (int k = 0; k < 8; ++k) F(MPI_Send)(a, k + 1, MPI_INT, 1, 30 + k, world);
    return;
  }
  F(MPI_Recv)(a, 64, MPI_INT, source, tag, world, MPI_STATUS_IGNORE);                    // 30: 4 B
  F(MPI_Irecv)(a, 64, MPI_INT, source, tag, world, &requests[0]);                        // 31: 8 B, in Wait
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  F(MPI_Irecv)(a, 64, MPI_INT, source, tag, world, &requests[0]);                        // 32: 12 B, 33: 16 B, in Waitall
  F(MPI_Irecv)(b, 64, MPI_INT, source, tag, world, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Mprobe(source, tag, world, &message, MPI_STATUS_IGNORE);                           // 34: 20 B
  F(MPI_Mrecv)(a, 64, MPI_INT, &message, MPI_STATUS_IGNORE);
  F(MPI_Recv_init)(a, 64, MPI_INT, source, tag, world, &requests[0]);                    // 35: 24 B, in Waitany
  int index, count;
  MPI_Start(&requests[0]);
  MPI_Waitany(1, requests, &index, MPI_STATUS_IGNORE);
  MPI_Request_free(&requests[0]);
  F(MPI_Irecv)(a, 64, MPI_INT, source, tag, world, &requests[0]);                        // 36: 28 B, in Waitsome
  MPI_Waitsome(1, requests, &count, &index, MPI_STATUSES_IGNORE);
  F(MPI_Sendrecv)(a, 2, MPI_INT, MPI_PROC_NULL, 1, b, 64, MPI_INT, source, tag, world, MPI_STATUS_IGNORE);  // 37: 32 B
}

static void exchange(void) {
#if MPI_VERSION >= 4
  F(MPI_Isendrecv)(a, 3, MPI_INT, 1 - rank, 40, b, 64, MPI_INT, MPI_ANY_SOURCE, 40, world, requests);
  MPI_Status status;
  int first = 0, second = 0;
  MPI_Wait(requests, &status);
  MPI_Get_count(&status, MPI_BYTE, &first);
  F(MPI_Isendrecv_replace)(a, 5, MPI_INT, 1 - rank, 41, 1 - rank, MPI_ANY_TAG, world, requests);
  MPI_Wait(requests, &status);
  MPI_Get_count(&status, MPI_BYTE, &second);
  int arrived[2] = {first + second, 0};  // printed by rank 0, of both ranks
  MPI_Sendrecv(arrived, 1, MPI_INT, 1 - rank, 42, arrived + 1, 1, MPI_INT, 1 - rank, 42, world, MPI_STATUS_IGNORE);
  if (rank == 0) printf("arrived %d %d\n", arrived[0], arrived[1]);
#endif
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(world, &rank);
  if (!strcmp(argv[1], "modes")) all_modes();
  if (!strcmp(argv[1], "persistent")) persistent(1 - rank);
  if (!strcmp(argv[1], "nobody")) nobody();
  if (!strcmp(argv[1], "anyone")) anyone();
  if (!strcmp(argv[1], "exchange")) exchange();
  MPI_Finalize();
  return 0;
}
