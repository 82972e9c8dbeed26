// 1 rank. Calls MPI_Comm_rank for ever and notes in the file argv[1], through a shared mapping, how many calls have returned:
// when the process is killed at any instant, the profile has that number or one more.
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int file = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1, rank;
  if (file < 0 || ftruncate(file, sizeof(uint64_t)) != 0) MPI_Abort(MPI_COMM_WORLD, 2);
  volatile uint64_t *returned = mmap(0, sizeof *returned, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  for (;;) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ++*returned;
  }
}
