// 2 ranks, file in argv[1]. Every way to write and read a file, each once: procedure k of the list moves k + 1 ints. Then a
// File_read of 20 ints where the file has 7 left: 28 B. A second argument leaves out the nonblocking
// collectives, which crash in Open MPI 4.1.4's ROMIO. tests/e2e/test_file_kinds.py has the list.
#include <mpi.h>
#include <string.h>

#ifdef LARGE_COUNTS  // MPI 4's _c forms: file_kinds_large.c
#define F(name) name##_c
#else
#define F(name) name
#endif

static MPI_File file;
static MPI_Request request;
static MPI_Status status;
static int data[64], n, sparse;  // n: ints of the next call
static void done(void) { MPI_Wait(&request, MPI_STATUS_IGNORE); }
#define BOTH(call)  /* the same list for writing and for reading */ \
  call(write, WRITE) \
  call(read, READ)

#define LIST(kind, unused) \
  static void all_##kind(MPI_Offset at) { \
    n = 0; \
    F(MPI_File_##kind##_at)(file, at, data, ++n, MPI_INT, MPI_STATUS_IGNORE); \
    F(MPI_File_##kind##_at_all)(file, at, data, ++n, MPI_INT, &status); \
    F(MPI_File_##kind)(file, data, ++n, MPI_INT, &status); \
    F(MPI_File_##kind##_all)(file, data, ++n, MPI_INT, MPI_STATUS_IGNORE); \
    F(MPI_File_##kind##_shared)(file, data, ++n, MPI_INT, MPI_STATUS_IGNORE); \
    F(MPI_File_##kind##_ordered)(file, data, ++n, MPI_INT, &status); \
    F(MPI_File_i##kind##_at)(file, at, data, ++n, MPI_INT, &request), done(); \
    if (++n, !sparse) F(MPI_File_i##kind##_at_all)(file, at, data, n, MPI_INT, &request), done(); \
    F(MPI_File_i##kind)(file, data, ++n, MPI_INT, &request), done(); \
    if (++n, !sparse) F(MPI_File_i##kind##_all)(file, data, n, MPI_INT, &request), done(); \
    F(MPI_File_i##kind##_shared)(file, data, ++n, MPI_INT, &request), done(); \
    F(MPI_File_##kind##_at_all_begin)(file, at, data, ++n, MPI_INT); \
    MPI_File_##kind##_at_all_end(file, data, MPI_STATUS_IGNORE); \
    F(MPI_File_##kind##_all_begin)(file, data, ++n, MPI_INT); \
    MPI_File_##kind##_all_end(file, data, &status); \
    F(MPI_File_##kind##_ordered_begin)(file, data, ++n, MPI_INT); \
    MPI_File_##kind##_ordered_end(file, data, MPI_STATUS_IGNORE); \
  }
BOTH(LIST)

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  int rank;
  sparse = argc > 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_size(file, 4096);
  all_write(1024 + 256 * rank);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  MPI_File_set_size(file, 4096);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
  all_read(1024 + 256 * rank);
  MPI_File_seek(file, -28, MPI_SEEK_END);
  F(MPI_File_read)(file, data, 20, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
