#include "support/heap.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdlib>

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace scope::support {

#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
#if __GLIBC_PREREQ(2, 33)  // mallinfo2
#define SCOPE_GROWS_HEAP
#endif
#endif

#ifdef SCOPE_GROWS_HEAP

void expect_memory(std::size_t bytes) {
  constexpr std::size_t few = std::size_t{4} << 20, huge_page = std::size_t{2} << 20;
  constexpr int largest_own_mapping = 32 << 20, usual_padding = 128 << 10;
  const std::size_t at_hand = mallinfo2().keepcost;  // at the end of the heap
  if (bytes < few || at_hand >= bytes) return;
  // Blocks come from the heap, which keeps what is freed, up to the largest size that malloc may be told; and it grows once.
  mallopt(M_MMAP_THRESHOLD, largest_own_mapping);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, static_cast<int>(std::min<std::size_t>(bytes, INT_MAX)));
  const auto before = reinterpret_cast<std::uintptr_t>(sbrk(0));
  void *volatile rest = at_hand > few ? std::malloc(at_hand - few / 2) : nullptr;
  void *volatile beyond = std::malloc(few);
  std::free(beyond);
  std::free(rest);
  mallopt(M_TOP_PAD, usual_padding);
  const auto after = reinterpret_cast<std::uintptr_t>(sbrk(0));
  const auto begin = (before + huge_page - 1) / huge_page * huge_page;
  if (after > begin && after - before > few) madvise(reinterpret_cast<void *>(begin), after - begin, MADV_HUGEPAGE);
}

#else

void expect_memory(std::size_t) {}

#endif

}  // namespace scope::support
