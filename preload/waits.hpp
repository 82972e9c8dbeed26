#pragma once
// Waits and tests: which operations they completed, and how their time is shared.
//
// The time of a call is divided equally among the requests that it completed; what does not divide goes to the first. The call
// itself counts in the signature of the first. A test that completed nothing has a signature without a request.

#include "requests.hpp"

namespace scope::preload {

/// A wait or test as its arguments describe it; pointers may be null where the call has no such argument.
struct WaitCall {
  wire::Call call;
  wire::Rule rule;
  std::int64_t count;          ///< length of the request array
  const void *requests;
  Word *status;                ///< the argument itself: replaced where the program ignores statuses and we need them
  const int *flag, *index, *outcount, *indices;

  char *handles;               ///< a copy, since the call overwrites them
  Operation **operations;      ///< of those that are taken
  std::uint8_t *taken;
  bool takes;                  ///< operations are taken before the call, not only when it has completed them
  bool tracking;               ///< false: no memory, or nothing to decode
};

/// Before the call.
void begin_wait(Thread &thread, WaitCall &wait);
/// After it, with its begin and end in ticks: books everything but the time of the rank inside MPI.
void end_wait(Thread &thread, WaitCall &wait, int result, std::uint64_t begin, std::uint64_t end);

/// The same for MPI_Wait and MPI_Test, which have one request: the most frequent ones, and what programs poll with.
struct OneRequest {
  Word handle;           ///< a copy; the null request also where there is none
  Operation *operation;  ///< what is under way; nullptr where that is not known or not taken
};
/// `status` is the argument itself; `own_status`, of 32 bytes, takes its place where it is ignored and we need it.
void begin_one(Thread &thread, bool test, const void *request, Word *status, char *own_status, OneRequest &one);
/// `completed`: the flag of a test, true for a wait.
void end_one(Thread &thread, wire::Call call, bool completed, const OneRequest &one, const void *request, Word status, int result, std::uint64_t begin,
             std::uint64_t end);

}  // namespace scope::preload
