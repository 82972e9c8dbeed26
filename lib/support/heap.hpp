#pragma once
// Memory for large files. What is not there when it is first touched comes page by page, a microsecond or more each in a virtual
// machine: reading a profile of 100,000 ranks touches 150,000 of 4 KiB, or 300 of 2 MiB.

#include <cstddef>

namespace scope::support {

/// Lets the heap grow to `bytes` more than are used now, in huge pages where the kernel has them for who asks
/// (transparent_hugepage: madvise or always). Nothing is touched yet, so it takes no memory by itself. Only where the C library is
/// glibc (2.33 or newer), and where limits permit it; elsewhere it does nothing. Call it before other threads allocate.
void expect_memory(std::size_t bytes);

}  // namespace scope::support
