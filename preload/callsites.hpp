#pragma once
// Which code makes a call (run --callsites): the return address of our entry, looked up in a table of the thread. The file,
// function and line behind it are found at merge.
//
// One frame costs no unwinding. Code that calls through the Fortran layers of an MPI library is behind one or two wrapper frames,
// whose size is constant for a return address: unwound once, from then on read where it stood. mpi4py's callers are frames of
// the interpreter. More frames than one are unwound at every call.

#include "recorder.hpp"

namespace scope::preload {

/// How the caller that counts is found from the return address of our entry.
enum class SiteRoute : std::uint8_t {
  direct,         ///< it is that address
  behind_stack,   ///< its return address stands `where` bytes above our frame
  behind_base,    ///< ... `where` bytes above the base pointer that our entry saved
  unwound,        ///< only unwinding tells
  python          ///< the interpreter's current frame
};

struct CallerSlot {
  std::uintptr_t caller;
  std::intptr_t where;
  std::uint32_t site;  ///< of SiteRoute::direct
  SiteRoute route;
  std::uint8_t checks; ///< unwindings still to come that must agree with `where`
};
struct KindSlot {
  std::uintptr_t address;
  bool binding;  ///< in a layer of an MPI library: not the user's code
};
struct PathSlot {
  std::uint64_t path;
  std::uint32_t site;
};

/// A thread's memory of sites. A loss (two callers in one slot) costs time only.
struct SiteCache {
  static constexpr std::size_t caller_count = 256, path_count = 512, kind_count = 64;
  CallerSlot callers[caller_count];
  PathSlot paths[path_count];
  KindSlot kinds[kind_count];
};

/// Sets the depth from the environment's text; off without a number from 1 to wire::site_depth_limit. Needs the live block.
void start_callsites(const char *depth);

/// Gives the thread its cache where call sites are on and there is memory.
void prepare_callsites(Thread &thread);

/// Finds the site of the call that begins and leaves it in thread.site and the item's Current. `caller` is the return address
/// of our entry, `frame` its frame address. Only for threads with a cache.
void locate(Thread &thread, const void *caller, const void *frame);

}  // namespace scope::preload
