// The exported names: MPI_X and PMPI_X for every row of the table, and nothing else. All arguments are machine words, so that
// one entry serves every MPI's ABI (handles are pointers in Open MPI and ints in MPICH).
//
// Included by entry_points_*.cpp, which define SCOPE_IF_<kind>(...) as its arguments for the kinds that they expand and as
// nothing for the others: the compiler needs a minute for all of them, and machines have more than one core.

#include <utility>

#include "call.hpp"

#define SCOPE_EXPORT extern "C" __attribute__((visibility("default")))
#define SCOPE_JOIN_(a, b) a##b
#define SCOPE_JOIN(a, b) SCOPE_JOIN_(a, b)
#define SCOPE_COUNT_(_0, _1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, n, ...) n
#define SCOPE_COUNT(...) SCOPE_COUNT_(0 __VA_OPT__(, ) __VA_ARGS__, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, )

#define SCOPE_PARAMETERS_0
#define SCOPE_PARAMETERS_1 Word a
#define SCOPE_PARAMETERS_2 SCOPE_PARAMETERS_1, Word b
#define SCOPE_PARAMETERS_3 SCOPE_PARAMETERS_2, Word c
#define SCOPE_PARAMETERS_4 SCOPE_PARAMETERS_3, Word d
#define SCOPE_PARAMETERS_5 SCOPE_PARAMETERS_4, Word e
#define SCOPE_PARAMETERS_6 SCOPE_PARAMETERS_5, Word f
#define SCOPE_PARAMETERS_7 SCOPE_PARAMETERS_6, Word g
#define SCOPE_PARAMETERS_8 SCOPE_PARAMETERS_7, Word h
#define SCOPE_PARAMETERS_9 SCOPE_PARAMETERS_8, Word i
#define SCOPE_PARAMETERS_10 SCOPE_PARAMETERS_9, Word j
#define SCOPE_PARAMETERS_11 SCOPE_PARAMETERS_10, Word k
#define SCOPE_PARAMETERS_12 SCOPE_PARAMETERS_11, Word l
#define SCOPE_PARAMETERS_13 SCOPE_PARAMETERS_12, Word m
#define SCOPE_ARGUMENTS_0
#define SCOPE_ARGUMENTS_1 , a
#define SCOPE_ARGUMENTS_2 SCOPE_ARGUMENTS_1, b
#define SCOPE_ARGUMENTS_3 SCOPE_ARGUMENTS_2, c
#define SCOPE_ARGUMENTS_4 SCOPE_ARGUMENTS_3, d
#define SCOPE_ARGUMENTS_5 SCOPE_ARGUMENTS_4, e
#define SCOPE_ARGUMENTS_6 SCOPE_ARGUMENTS_5, f
#define SCOPE_ARGUMENTS_7 SCOPE_ARGUMENTS_6, g
#define SCOPE_ARGUMENTS_8 SCOPE_ARGUMENTS_7, h
#define SCOPE_ARGUMENTS_9 SCOPE_ARGUMENTS_8, i
#define SCOPE_ARGUMENTS_10 SCOPE_ARGUMENTS_9, j
#define SCOPE_ARGUMENTS_11 SCOPE_ARGUMENTS_10, k
#define SCOPE_ARGUMENTS_12 SCOPE_ARGUMENTS_11, l
#define SCOPE_ARGUMENTS_13 SCOPE_ARGUMENTS_12, m

#define SCOPE_ENTRY(name, id, profiling, n) \
  SCOPE_EXPORT int name(SCOPE_JOIN(SCOPE_PARAMETERS_, n)) { return pass<Call::id, profiling>(__builtin_return_address(0) SCOPE_JOIN(SCOPE_ARGUMENTS_, n)); }
#define SCOPE_ENTRIES(name, n) SCOPE_ENTRY(name, name, false, n) SCOPE_ENTRY(P##name, name, true, n)

// MPI_Pcontrol alone is variadic: what a tool behind us may read of it is handed on as five further words.
#define SCOPE_SPECIAL_MPI_Pcontrol ~, 6
#define SCOPE_SECOND(first, second, ...) second
#define SCOPE_SECOND_OF(...) SCOPE_SECOND(__VA_ARGS__)
#define SCOPE_ARITY(name, n) SCOPE_SECOND_OF(SCOPE_JOIN(SCOPE_SPECIAL_, name), n, ~)

using scope::preload::Call;
using scope::preload::pass;
using scope::preload::Word;

#define MPI_CALL(name, kind, rule, mode, size, roles) \
  SCOPE_IF_##kind(SCOPE_ENTRIES(name, SCOPE_ARITY(name, SCOPE_COUNT roles)) SCOPE_##size(SCOPE_ENTRIES(name##_c, SCOPE_COUNT roles)))
#define MPI_NOT_TIMED(name, reason)
#include "wire/mpi_calls.def"
