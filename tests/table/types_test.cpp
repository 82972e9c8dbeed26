// Compares every row of wire/mpi_calls.def with the prototype in an installed mpi.h: the number of arguments, and the role of
// each against its C type. Judged by the compiler (the prototypes are known to it alone), reported by the program, so that one
// run names all rows that are wrong. Open MPI gives the strong answer, its handles are distinct types; MPICH's are all int.

#include <cstdio>
#include <type_traits>

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include "wire/mpi_calls.hpp"

namespace {
using scope::wire::CallInfo;
using scope::wire::Role;

enum class Shape { value, pointer, object_pointer, function_pointer };

/// What the header file comment says that a role's C type is.
template <class T, Shape shape>
struct Type {};
template <class T> using Value = Type<T, Shape::value>;
template <class T> using Pointer = Type<T, Shape::pointer>;

/// T without const, below a pointer and inside an array too: int const (*)[3] is int *.
template <class T>
using Pointee = std::remove_cv_t<std::remove_all_extents_t<std::remove_cv_t<std::remove_pointer_t<std::remove_cv_t<T>>>>>;

template <class Argument, class T, Shape shape>
consteval bool fits(Type<T, shape>) {
  using Bare = std::remove_cv_t<Argument>;
  if constexpr (shape == Shape::value)
    return std::is_same_v<Bare, T>;
  else if constexpr (shape == Shape::pointer)
    return std::is_pointer_v<Bare> && std::is_same_v<Pointee<Bare>, T>;
  else if constexpr (shape == Shape::function_pointer)
    return std::is_pointer_v<Bare> && std::is_function_v<std::remove_pointer_t<Bare>>;
  else
    return std::is_pointer_v<Bare> && !std::is_function_v<std::remove_pointer_t<Bare>>;
}

/// Whether an argument of this C type can have this role; `large`: in a procedure NAME_c.
template <class Argument, bool large>
consteval bool can_be(Role role) {
  using enum Role;
  using Count = std::conditional_t<large, MPI_Count, int>;
  using IntAint = std::conditional_t<large, MPI_Aint, int>;
  using AintCount = std::conditional_t<large, MPI_Count, MPI_Aint>;
  switch (role) {
    case NONE: return false;
    case BUF: case SENDBUF: case RECVBUF: return fits<Argument>(Pointer<void>{});
    case COUNT: case SENDCOUNT: case RECVCOUNT: case POLY_INT: return fits<Argument>(Value<Count>{});
    case SENDCOUNTS: case RECVCOUNTS: case COUNT_OUT: case POLY_INT_PTR: return fits<Argument>(Pointer<Count>{});
    case BIGCOUNT: return fits<Argument>(Value<MPI_Count>{});
    case BIGCOUNT_PTR: return fits<Argument>(Pointer<MPI_Count>{});
    case PARTITIONS: case DEST: case SOURCE: case TARGET: case ROOT: case TAG: case SENDTAG: case RECVTAG: case N: case INT:
      return fits<Argument>(Value<int>{});
    case OUTCOUNT: case INDICES: case INDEX: case FLAG: case INT_PTR: return fits<Argument>(Pointer<int>{});
    case TYPE: case SENDTYPE: case RECVTYPE: case OTHER_TYPE: return fits<Argument>(Value<MPI_Datatype>{});
    case TYPES: case SENDTYPES: case RECVTYPES: case TYPES_OUT: case TYPE_OUT: case TYPE_INOUT:
      return fits<Argument>(Pointer<MPI_Datatype>{});
    case COMM: return fits<Argument>(Value<MPI_Comm>{});
    case COMM_OUT: case COMM_INOUT: return fits<Argument>(Pointer<MPI_Comm>{});
    case WIN: return fits<Argument>(Value<MPI_Win>{});
    case WIN_OUT: case WIN_INOUT: return fits<Argument>(Pointer<MPI_Win>{});
    case FH: return fits<Argument>(Value<MPI_File>{});
    case FH_OUT: case FH_INOUT: return fits<Argument>(Pointer<MPI_File>{});
    case MESSAGE_OUT: case MESSAGE_INOUT: return fits<Argument>(Pointer<MPI_Message>{});
    case REQUEST_IN: return fits<Argument>(Value<MPI_Request>{});
    case REQUEST: case REQUEST_OUT: case REQUESTS: return fits<Argument>(Pointer<MPI_Request>{});
    case STATUS: case STATUSES: case STATUS_IN: return fits<Argument>(Pointer<MPI_Status>{});
    case OP: return fits<Argument>(Value<MPI_Op>{});
    case OP_OUT: case OP_INOUT: return fits<Argument>(Pointer<MPI_Op>{});
    case GROUP: return fits<Argument>(Value<MPI_Group>{});
    case GROUP_OUT: case GROUP_INOUT: return fits<Argument>(Pointer<MPI_Group>{});
    case INFO: return fits<Argument>(Value<MPI_Info>{});
    case INFOS: case INFO_OUT: case INFO_INOUT: return fits<Argument>(Pointer<MPI_Info>{});
    case ERRHANDLER: return fits<Argument>(Value<MPI_Errhandler>{});
    case ERRHANDLER_OUT: case ERRHANDLER_INOUT: return fits<Argument>(Pointer<MPI_Errhandler>{});
#if MPI_VERSION >= 4
    case SESSION: return fits<Argument>(Value<MPI_Session>{});
    case SESSION_OUT: case SESSION_INOUT: return fits<Argument>(Pointer<MPI_Session>{});
#else
    case SESSION: case SESSION_OUT: case SESSION_INOUT: return false;  // no procedure of an older MPI has one
#endif
    case INT_AINT: return fits<Argument>(Value<IntAint>{});
    case INT_AINT_PTR: return fits<Argument>(Pointer<IntAint>{});
    case AINT: return fits<Argument>(Value<MPI_Aint>{});
    case AINT_PTR: return fits<Argument>(Pointer<MPI_Aint>{});
    case AINT_COUNT: return fits<Argument>(Value<AintCount>{});
    case AINT_COUNT_PTR: return fits<Argument>(Pointer<AintCount>{});
    case OFFSET: return fits<Argument>(Value<MPI_Offset>{});
    case OFFSET_OUT: return fits<Argument>(Pointer<MPI_Offset>{});
    case STRING: return fits<Argument>(Pointer<char>{});
    case POINTER: return fits<Argument>(Type<void, Shape::object_pointer>{});
    case FUNCTION: return fits<Argument>(Type<void, Shape::function_pointer>{});
  }
  return false;
}

/// 0: the row agrees; n > 0: argument n has another type; -1: another number of arguments; -2: does not return int.
template <bool large, class Result, class... Arguments>
consteval int judge(Result (*)(Arguments...), const CallInfo &row) {
  if (!std::is_same_v<Result, int>) return -2;
  if (row.arity != sizeof...(Arguments)) return -1;
  int position = 0, wrong = 0;
  (void)((wrong == 0 && (can_be<Arguments, large>(row.roles[position++]) ? true : (wrong = position, true))) && ...);
  return wrong;
}

/// MPI_Pcontrol(int level, ...): the one variadic procedure. The row has the fixed arguments only.
template <bool large, class Result, class... Arguments>
consteval int judge(Result (*)(Arguments..., ...), const CallInfo &row) {
  return judge<large>(static_cast<Result (*)(Arguments...)>(nullptr), row);
}

struct Verdict {
  const char *name;
  int fault;
};

template <scope::wire::Call call, class Function>
consteval Verdict verdict(Function function) {
  constexpr const CallInfo &row = scope::wire::info(call);
  return {row.name, judge<row.large>(function, row)};
}

constexpr Verdict verdicts[] = {
#define ROW(name) verdict<scope::wire::Call::name>(static_cast<decltype(&::name)>(nullptr)),
#include SCOPE_ROWS
#undef ROW
};

// The judge itself must be able to say no.
constexpr const CallInfo &send = scope::wire::info(scope::wire::Call::MPI_Send);
constexpr CallInfo altered(int position, Role role) {
  CallInfo row = send;
  row.roles[position] = role;
  return row;
}
constexpr CallInfo shortened() {
  CallInfo row = send;
  row.arity = 5;
  return row;
}
using Send = decltype(&MPI_Send);
static_assert(judge<false>(Send{}, send) == 0);
static_assert(judge<false>(Send{}, altered(0, Role::COUNT)) == 1);
static_assert(judge<false>(Send{}, altered(2, Role::RECVBUF)) == 3);
static_assert(judge<false>(Send{}, altered(4, Role::FLAG)) == 5);
static_assert(judge<true>(Send{}, send) == 2, "an int count is none in a procedure for large counts");
static_assert(judge<false>(Send{}, shortened()) == -1);
static_assert(judge<false>(decltype(&MPI_Wtime){}, scope::wire::info(scope::wire::Call::MPI_Finalize)) == -2);
static_assert(judge<false>(decltype(&MPI_Comm_create_errhandler){}, scope::wire::info(scope::wire::Call::MPI_Op_free)) == -1);
#ifdef OPEN_MPI
static_assert(judge<false>(Send{}, altered(2, Role::COMM)) == 3, "distinct handles are told apart");
#endif
}  // namespace

int main() {
  int wrong = 0, checked = 0;
  for (const Verdict &v : verdicts) {
    ++checked;
    if (v.fault == 0) continue;
    ++wrong;
    if (v.fault > 0)
      std::printf("%s: the role of argument %d does not fit its type in mpi.h\n", v.name, v.fault);
    else
      std::printf("%s: %s in mpi.h\n", v.name, v.fault == -1 ? "has another number of arguments" : "does not return int");
  }
  std::printf("%d rows compared with mpi.h, %d wrong\n", checked, wrong);
  return wrong != 0 || checked < 300;  // fewer: names were not found, so that nothing was proved
}
