// Call sites in C++: members of a class in a namespace, a template, and a function that is put into its caller. Marked as in
// callsites.c. Per rank 4 Bcasts from Grid::share, 2 from Grid::spread<double>, 3 Barriers from a lambda.
#include <mpi.h>

namespace solver {

class Grid {
 public:
  [[gnu::noinline]] int share(int value) const {
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);  // @share
    return value + 1;
  }
  template <class T>
  [[gnu::noinline]] T spread(T value) {
    MPI_Bcast(&value, sizeof value, MPI_BYTE, 0, MPI_COMM_WORLD);  // @spread
    return value + 1;
  }
};

}  // namespace solver

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);  // @init
  solver::Grid grid;
  int sum = 0;
  for (int i = 0; i < 4; ++i) sum += grid.share(i);
  for (int i = 0; i < 2; ++i) sum += static_cast<int>(grid.spread(1.0 * i));
  auto wait = [&](int number) __attribute__((noinline)) {
    MPI_Barrier(MPI_COMM_WORLD);  // @lambda
    return number + 1;
  };
  for (int i = 0; i < 3; ++i) sum += wait(i);
  MPI_Finalize();  // @finalize
  return sum == 123456;
}
