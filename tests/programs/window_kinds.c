// 2 ranks. Every one-sided call, rank 0 on rank 1; call k of the list moves k + 1 ints of the sort named there. Then every
// synchronisation call, and every way to make a window. argv: ops or syncs. tests/e2e/test_message_kinds.py has the numbers.
#include <mpi.h>
#include <string.h>

#ifdef LARGE_COUNTS  // MPI 4's _c forms: window_kinds_large.c
#define F(name) name##_c
#else
#define F(name) name
#endif

static int rank, a[64], b[64];
static const MPI_Comm world = MPI_COMM_WORLD;
static MPI_Request request;

static void done(void) { MPI_Wait(&request, MPI_STATUS_IGNORE); }

static void ops(MPI_Win win, int to) {
  F(MPI_Put)(a, 1, MPI_INT, to, 0, 1, MPI_INT, win);                                                 // 4 sent
  F(MPI_Get)(b, 2, MPI_INT, to, 0, 2, MPI_INT, win);                                                 // 8 received
  F(MPI_Accumulate)(a, 3, MPI_INT, to, 0, 3, MPI_INT, MPI_SUM, win);                                 // 12 sent
  F(MPI_Get_accumulate)(a, 4, MPI_INT, b, 4, MPI_INT, to, 0, 4, MPI_INT, MPI_SUM, win);              // 16 both ways
  F(MPI_Rput)(a, 5, MPI_INT, to, 0, 5, MPI_INT, win, &request), done();                              // 20 sent
  F(MPI_Rget)(b, 6, MPI_INT, to, 0, 6, MPI_INT, win, &request), done();                              // 24 received, in the Wait
  F(MPI_Raccumulate)(a, 7, MPI_INT, to, 0, 7, MPI_INT, MPI_REPLACE, win, &request), done();          // 28 sent
  F(MPI_Rget_accumulate)(a, 8, MPI_INT, b, 8, MPI_INT, to, 0, 8, MPI_INT, MPI_SUM, win, &request), done();  // 32, 32 in the Wait
  MPI_Fetch_and_op(a, b, MPI_INT, to, 0, MPI_SUM, win);                                              // 4 both ways
  MPI_Compare_and_swap(a, a + 1, b, MPI_INT, to, 0, win);                                            // 4 both ways
  // Nothing is handed over with MPI_NO_OP: origin arguments hold junk.
  F(MPI_Get_accumulate)(0, 0, MPI_INT, b, 9, MPI_INT, to, 0, 9, MPI_INT, MPI_NO_OP, win);            // 36 received
  F(MPI_Rget_accumulate)(0, 0, MPI_INT, b, 10, MPI_INT, to, 0, 10, MPI_INT, MPI_NO_OP, win, &request), done();  // 40 in the Wait
  MPI_Fetch_and_op(0, b, MPI_INT, to, 0, MPI_NO_OP, win);                                            // 4 received
}

static void all_ops(void) {
  MPI_Win win;
  int *memory;
  F(MPI_Win_allocate)(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &memory, &win);
  MPI_Win_lock_all(0, win);
  if (rank == 0) ops(win, 1);
  if (rank == 0) ops(win, MPI_PROC_NULL);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
}

static void exposure(MPI_Win win) {
  MPI_Group whole, other;
  int flag = 0, peer = 1 - rank;
  MPI_Comm_group(world, &whole);
  MPI_Group_incl(whole, 1, &peer, &other);
  for (int round = 0; round < 2; ++round) {
    if (rank == 0) {
      MPI_Win_start(other, 0, win);
      MPI_Put(a, 3, MPI_INT, 1, 0, 3, MPI_INT, win);  // 12 sent, twice
      MPI_Win_complete(win);
    } else {
      MPI_Win_post(other, 0, win);
      if (round == 0) MPI_Win_wait(win);
      while (round == 1 && !flag) MPI_Win_test(win, &flag);  // as often as it takes
    }
  }
  MPI_Group_free(&other);
  MPI_Group_free(&whole);
}

static void syncs(void) {
  MPI_Win win, shared, dynamic;
  static int memory[64];
  int *base, disp;
  MPI_Aint size, at = 0;
  MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, world, &win);
  MPI_Win_set_name(win, "window");
  for (int i = 0; i < 3; ++i) MPI_Win_fence(0, win);
  exposure(win);
  MPI_Win_lock_all(0, win);
  MPI_Win_flush(1 - rank, win);
  MPI_Win_flush_local(1 - rank, win);
  MPI_Win_flush_all(win);
  MPI_Win_flush_local_all(win);
  MPI_Win_sync(win);
  MPI_Win_unlock_all(win);
  for (int i = 0; i < 4; ++i) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, win);
    MPI_Win_unlock(1 - rank, win);
  }
  MPI_Win_free(&win);
  MPI_Win_allocate_shared(64 * sizeof(int), sizeof(int), MPI_INFO_NULL, world, &base, &shared);
  MPI_Win_shared_query(shared, 0, &size, &disp, &base);
  MPI_Win_free(&shared);
  MPI_Win_create_dynamic(MPI_INFO_NULL, world, &dynamic);
  MPI_Win_attach(dynamic, memory, sizeof memory);
  MPI_Get_address(memory, &at);
  MPI_Aint places[2] = {at, at};
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, places, 1, MPI_AINT, world);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, dynamic);
  MPI_Get(b, 5, MPI_INT, 1 - rank, places[1 - rank], 5, MPI_INT, dynamic);  // 20 received, by both ranks
  MPI_Win_unlock(1 - rank, dynamic);
  MPI_Barrier(world);
  MPI_Win_detach(dynamic, memory);
  MPI_Win_free(&dynamic);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  MPI_Comm_rank(world, &rank);
  if (!strcmp(argv[1], "ops")) all_ops();
  else syncs();
  MPI_Finalize();
  return 0;
}
