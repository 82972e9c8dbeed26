// The wrappers of scope_profiler_mpi.hpp on two ranks. It checks what they return itself, and exits with the number of the check that
// failed. Regions, all in "all": see tests/e2e/test_regions.py. With "invalid" an MPI call fails in a wrapper, with "throws" its error
// handler throws; the region is closed in both, and "behind" is no child of it.
#include <scope_profiler_mpi.hpp>

#include <array>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

using namespace scope_profiler;

namespace {

int failed;
void check(int number, bool good) {
  if (!good && !failed) failed = number;
}

struct Particle {
  double x, y;
  int id;
};

void messages(const ProfiledMpiComm &comm, int rank) {
  int other = 1 - rank;
  std::vector<double> buffer(10, rank);
  Particle particle{1, 2, rank};
  if (rank == 0) {
    check(1, comm.send(buffer.data(), 10, MPI_DOUBLE, other, 5) == MPI_SUCCESS);
    check(2, comm.send(particle, other, 6) == MPI_SUCCESS);
  } else {
    check(3, comm.recv(buffer.data(), 10, MPI_DOUBLE, MPI_ANY_SOURCE, 5) == MPI_SUCCESS && buffer[9] == 0);
    check(4, comm.recv(particle, other, 6) == MPI_SUCCESS && particle.id == 0 && particle.y == 2);
  }
  int mine = rank + 10, theirs = 0;
  auto receive = comm.irecv(theirs, other, 7);
  auto send = comm.isend(&mine, 1, MPI_INT, other, 7);
  check(5, receive.wait() == MPI_SUCCESS && send.wait() == MPI_SUCCESS && theirs == other + 10);
  check(6, receive.request() == MPI_REQUEST_NULL);
}

void collectives(const ProfiledMpiComm &comm, int rank) {
  int value = rank == 1 ? 42 : 0, sum = 0;
  double largest = 0;
  check(7, comm.barrier() == MPI_SUCCESS);
  check(8, comm.bcast(value, 1) == MPI_SUCCESS && value == 42);
  check(9, comm.bcast(&value, 1, MPI_INT, 0) == MPI_SUCCESS);
  check(10, comm.allreduce(rank, sum, MPI_SUM) == MPI_SUCCESS && sum == 1);
  check(11, comm.reduce(static_cast<double>(rank), largest, MPI_MAX, 0) == MPI_SUCCESS && largest == (rank == 0 ? 1 : 0));
}

void children(const ProfiledMpiComm &comm, int rank) {
  auto copy = comm.dup();
  auto alone = copy.split(rank);
  auto nobody = comm.split(MPI_UNDEFINED);
  MPI_Group group;
  MPI_Comm_group(comm.communicator(), &group);
  auto same = comm.create(group);
  MPI_Group_free(&group);
  check(12, copy.id() == 2 && alone.id() == 3 && nobody.is_null() && nobody.id() == -1 && same.id() == 4);
  check(13, copy != comm && profile_mpi_comm(copy.communicator()) == copy && profile_mpi_comm(copy.communicator()).id() == 2);
  check(14, &profile_mpi_comm(copy) == &copy);
  alone.barrier();
  same.barrier();
  check(15, copy.free() == MPI_SUCCESS && copy.is_null() && alone.free() == MPI_SUCCESS && same.free() == MPI_SUCCESS);
}

void sizes() {
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  check(16, message_nbytes(nullptr) == -1 && message_nbytes(3, MPI_DOUBLE) == 24 && message_nbytes(5, pair) == 40);
  check(17, message_nbytes(1, MPI_DATATYPE_NULL) == -1 && message_nbytes(-1, MPI_INT) == -1 && message_nbytes(INT64_MAX, MPI_INT) == -1);
  check(18, message_nbytes(std::vector<int>(5)) == 20 && message_nbytes(std::string("abc")) == 3 && message_nbytes(std::array<char, 7>{}) == 7);
  check(19, message_nbytes(3.0) == 8 && message_nbytes(Particle{}) == static_cast<std::int64_t>(sizeof(Particle)));
  check(20, message_nbytes(std::vector<std::string>(2)) == -1 && message_nbytes(std::make_shared<int>(1)) == -1);
  MPI_Type_free(&pair);
}

void throw_error(MPI_Comm *, int *, ...) { throw std::runtime_error("expected"); }

void fail(const ProfiledMpiComm &comm, const char *how) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(throw_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, std::strcmp(how, "throws") == 0 ? handler : MPI_ERRORS_RETURN);
  int value = 0;
  try {
    check(21, comm.send(value, 99, 0) != MPI_SUCCESS);
  } catch (const std::exception &) {
  }
  MPI_Errhandler_free(&handler);
}

}  // namespace

int main(int argc, char **argv) {
  int initialized = 1;
  MPI_Initialized(&initialized);
  check(22, !initialized);
  MPI_Init(&argc, &argv);
  const auto comm = profile_mpi_comm(MPI_COMM_WORLD);
  check(23, comm.communicator() == MPI_COMM_WORLD && comm.id() == 0 && profile_mpi_comm(MPI_COMM_SELF).id() == 1);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  {
    SCOPE_REGION("all");
    if (argc > 1) {
      fail(comm, argv[1]);
      SCOPE_REGION("behind");
    } else {
      messages(comm, rank);
      collectives(comm, rank);
      children(comm, rank);
      sizes();
    }
  }
  MPI_Finalize();
  return failed;
}
