// 2 ranks, file in argv[1]. File_write_all and File_read_at_all through a strided view: 1 call, 1,024 B each; File_write_at
// of 10 ints: 40 B; File_iread_at of 10 ints, at Wait 40 B; File_write_all_begin (no bytes) and File_write_all_end 8 ints, 32
// B; a File_read_at beyond the end of the file: 0 B. Nothing that the library calls inside is counted.
#include <mpi.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  if (argc < 2) MPI_Abort(MPI_COMM_WORLD, 2);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  static int data[1024];
  MPI_File file;
  MPI_Info info;
  MPI_Datatype every_other;
  MPI_Request request;
  MPI_Info_create(&info);
  MPI_Info_set(info, "romio_cb_write", "enable");
  MPI_Type_vector(256, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
  MPI_File_set_view(file, 4 * rank, MPI_INT, every_other, "native", info);
  MPI_File_write_all(file, data, 256, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_read_at_all(file, 0, data, 256, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_write_at(file, 10 * rank, data, 10, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_iread_at(file, 10 * rank, data, 10, MPI_INT, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_File_write_all_begin(file, data, 8, MPI_INT);
  MPI_File_write_all_end(file, data, MPI_STATUS_IGNORE);
  MPI_File_read_at(file, 100000, data, 10, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Type_free(&every_other);
  MPI_Info_free(&info);
  MPI_Finalize();
  return 0;
}
