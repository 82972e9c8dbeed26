#include "hand_messages.hpp"

#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clock.hpp"
#include "library.hpp"
#include "procfs.hpp"
#include "resolve.hpp"
#include "wire/contract.hpp"

namespace scope::preload {

namespace {

using wire::HandTag;

/// The library's procedures that this needs. All are nonblocking.
struct Procedures {
  int (*comm_idup)(Word, void *, void *);
  int (*comm_set_errhandler)(Word, Word);
  int (*iallreduce)(const void *, void *, int, Word, Word, Word, void *);
  int (*isend)(const void *, int, Word, int, int, Word, void *);
  int (*irecv)(void *, int, Word, int, int, Word, void *);
  int (*iprobe)(int, int, Word, int *, void *);
  int (*test)(void *, int *, Word);
  Word type_int, type_byte, op_min, op_sum, errors_return;
};
Procedures mpi;

HandleBuffer own_comm;

bool find_procedures() {
  auto find = [](auto &member, const char *name) {
    member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(library_function(name));
    return member != nullptr;
  };
  bool all = find(mpi.comm_idup, "PMPI_Comm_idup") && find(mpi.comm_set_errhandler, "PMPI_Comm_set_errhandler") &&
             find(mpi.iallreduce, "PMPI_Iallreduce") && find(mpi.isend, "PMPI_Isend") && find(mpi.irecv, "PMPI_Irecv") &&
             find(mpi.iprobe, "PMPI_Iprobe") && find(mpi.test, "PMPI_Test");
  if (family.id == wire::Family::open_mpi) {
    auto data = [](const char *name) { return reinterpret_cast<Word>(library_data(name)); };
    mpi.type_int = data("ompi_mpi_int");
    mpi.type_byte = data("ompi_mpi_byte");
    mpi.op_min = data("ompi_mpi_op_min");
    mpi.op_sum = data("ompi_mpi_op_sum");
    mpi.errors_return = data("ompi_mpi_errors_return");
    return all && mpi.type_int && mpi.type_byte && mpi.op_min && mpi.op_sum && mpi.errors_return;
  }
  mpi.type_int = 0x4c000405u;
  mpi.type_byte = 0x4c00010du;
  mpi.op_min = 0x58000002u;
  mpi.op_sum = 0x58000003u;
  mpi.errors_return = 0x54000001u;
  return all;
}

bool complete(HandleBuffer &request, Patience &patience) {
  for (int done = 0;;) {
    if (mpi.test(request.address(), &done, family.status_ignore) != 0) return false;
    if (done) {
      patience.moved();
      return true;
    }
    if (patience.is_over()) return false;
    patience.pause();
  }
}

int number(HandTag tag) { return static_cast<int>(tag); }

/// A request in memory of its own, which is given up with it.
template <class Begin>
bool transfer(Begin begin, Patience &patience) {
  HandleBuffer *request = static_cast<HandleBuffer *>(map_private(sizeof(HandleBuffer), false));
  if (!request || begin(request->address()) != 0 || !complete(*request, patience)) return false;
  unmap_private(request, sizeof *request);
  return true;
}

bool reduce(const int *own, int *all, int count, Word operation, Patience &patience) {
  return transfer([&](void *request) { return mpi.iallreduce(own, all, count, mpi.type_int, operation, own_comm.value, request); }, patience);
}

}  // namespace

Patience::Patience() {
  const char *text = environment(wire::env_patience);
  double seconds = text ? strtod(text, nullptr) : 0;
  if (!(seconds > 0 && seconds < 1e6)) seconds = static_cast<double>(wire::default_patience_s);
  length_ns_ = static_cast<std::uint64_t>(seconds * 1e9);
  moved();
}

void Patience::moved() { end_ns_ = monotonic_ns() + length_ns_; }
bool Patience::is_over() const { return monotonic_ns() >= end_ns_; }

void Patience::pause() {
  if (++looks_ < 200) return;
  timespec time{0, 1'000'000};
  syscall(SYS_nanosleep, &time, nullptr);
}

bool open_channel(Patience &patience) {
  if (!find_procedures()) return false;
  if (!transfer([](void *request) { return mpi.comm_idup(family.world, own_comm.address(), request); }, patience)) return false;
  mpi.comm_set_errhandler(own_comm.value, mpi.errors_return);
  return true;
}

bool probe(int source, HandTag tag, int &from) {
  alignas(8) char status[64] = "";
  int there = 0;
  if (mpi.iprobe(source, number(tag), own_comm.value, &there, status) != 0 || !there) return false;
  from = status_int(status, family.source_at);
  return true;
}

bool send(const void *bytes, std::size_t size, int to, HandTag tag, Patience &patience) {
  auto begin = [&](void *request) { return mpi.isend(bytes, static_cast<int>(size), mpi.type_byte, to, number(tag), own_comm.value, request); };
  return transfer(begin, patience);
}

bool receive(void *bytes, std::size_t size, int from, HandTag tag, Patience &patience) {
  auto begin = [&](void *request) { return mpi.irecv(bytes, static_cast<int>(size), mpi.type_byte, from, number(tag), own_comm.value, request); };
  return transfer(begin, patience);
}

bool lowest_of_all(const int *own, int *all, int count, Patience &patience) { return reduce(own, all, count, mpi.op_min, patience); }
bool sum_of_all(const int *own, int *all, int count, Patience &patience) { return reduce(own, all, count, mpi.op_sum, patience); }

}  // namespace scope::preload
