#pragma once
// MPI time and calls of the calling thread, as the shim counts them, if it is in this process (wire/region_block.hpp).

#include "wire/region_block.hpp"

namespace scope::region {

/// Looks for the shim, which is preloaded or not there at all.
void find_meeting();

extern const wire::Meeting *meeting;  ///< never null
extern const wire::ThreadTotals no_totals;

/// Zeros until the first MPI call of the thread.
[[gnu::always_inline]] inline const wire::ThreadTotals &mpi_totals() {
  std::int64_t offset = __atomic_load_n(&meeting->totals_offset, __ATOMIC_ACQUIRE);
  if (!offset) return no_totals;
  char *pointer;
#if defined(__x86_64__)
  asm("movq %%fs:0, %0" : "=r"(pointer));
#else
  pointer = static_cast<char *>(__builtin_thread_pointer());
#endif
  return *reinterpret_cast<const wire::ThreadTotals *>(pointer + offset);
}

}  // namespace scope::region
