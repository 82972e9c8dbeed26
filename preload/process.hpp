#pragma once
// The life of the shim in a process: when it starts to record, for whom, and how it ends. Nothing happens before the first MPI
// call, and nothing at all where `run` did not ask for it.

#include "recorder.hpp"

namespace scope::preload {

/// The calling thread's slot; nullptr before its first call. Initial-exec: the shim is always preloaded, so the fast model is
/// safe, and it is there for as long as the thread is (attribute callbacks run late).
extern __thread Thread *self __attribute__((tls_model("initial-exec")));

/// Real functions by call and name (MPI_X, PMPI_X), filled as they are used. The table lies in pages that a forked child finds
/// zeroed, so that its calls take the slow path and find out that they are not to be recorded.
using FunctionTable = void *[wire::call_count][2];
SCOPE_HIDDEN extern FunctionTable *fast_functions;

struct Prepared {
  void *function;   ///< never null
  Thread *thread;   ///< nullptr: pass the call on, unrecorded
};

/// The slow path of every call: the first of its kind, the first of a thread, nested calls, calls in a forked child.
/// `frame` is the stack frame of our entry: calls from deeper frames while one is in progress are nested.
Prepared prepare(wire::Call call, bool profiling, const void *caller, const void *frame);

/// MPI_Init or MPI_Init_thread is about to be called; has returned.
void before_init();
void after_init(Thread &thread, std::uint64_t begin);
/// MPI_Session_init has returned.
void after_session_init(std::uint64_t begin);
/// Around MPI_Finalize, whose callbacks count: there, components of the library call at depth 0 what their own callbacks need
/// (ROMIO frees its keyvals). Every call in between goes the slow way, which looks where it comes from.
void before_finalize(Thread &thread);
void end_finalize(Thread &thread);
/// A call of a callback has ended: MPI_Finalize is the call in progress again, from now on (what came before is booked).
void resume_finalize(Thread &thread);
/// MPI_Finalize has returned and is booked: writes the dump.
void after_finalize(std::uint64_t end);
/// On the way into MPI_Abort, which does not return.
void before_abort(int code);
/// MPI_Abort inside a call that counts: an error handler's, or a signal handler's.
void nested_abort(int code, const void *caller);

}  // namespace scope::preload
