#pragma once
// What differs between the ABIs of Open MPI and MPICH and must be known to decode arguments: one descriptor each.
// Figures: mpi.h of Open MPI 4.1.4 and MPICH 4.0.2; MPICH's ABI is shared by Intel MPI, MVAPICH and Cray MPICH.

#include <cstdint>
#include <cstring>

#include "recorder.hpp"

namespace scope::preload {

struct Family {
  wire::Family id;
  unsigned handle_bytes;  ///< stride of arrays of handles; narrower handles are masked
  Word handle_mask;
  unsigned status_bytes;
  unsigned source_at, tag_at;
  Word status_ignore;     ///< also statuses_ignore
  Word in_place;
  std::int32_t proc_null, any_source, any_tag, root;
  std::int32_t undefined;
  Word null_request, null_comm, world, self, op_no_op;
  Word message_no_proc;
};

/// The MPI that is loaded; id unknown before the first call, and for a library that is neither.
SCOPE_HIDDEN extern Family family;

/// Looks at the library (through resolve.hpp's look-up) and fills `family`.
void detect_family();

inline Word handle_at(const void *array, std::int64_t index) {
  if (family.handle_bytes == 4) return static_cast<const std::uint32_t *>(array)[index];
  return static_cast<const Word *>(array)[index];
}
inline Word as_handle(Word argument) { return argument & family.handle_mask; }

inline const char *status_at(const void *array, std::int64_t index) { return static_cast<const char *>(array) + index * family.status_bytes; }

inline std::int32_t status_int(const char *status, unsigned at) {
  std::int32_t value;
  std::memcpy(&value, status + at, sizeof value);
  return value;
}

/// Open MPI has an int for it, MPICH the lowest bit of the word that holds the upper half of the count.
inline bool status_cancelled(const char *status) {
  return family.id == wire::Family::open_mpi ? status_int(status, 12) != 0 : (status_int(status, 4) & 1) != 0;
}

/// Bytes that the status holds. Of I/O this is all that may be asked: OMPIO leaves the other fields as they were.
inline std::uint64_t status_bytes(const char *status) {
  if (family.id == wire::Family::open_mpi) {
    std::uint64_t bytes;
    std::memcpy(&bytes, status + 16, sizeof bytes);
    return bytes;
  }
  std::uint32_t low, high;
  std::memcpy(&low, status, sizeof low);
  std::memcpy(&high, status + 4, sizeof high);
  return static_cast<std::uint64_t>(high >> 1) << 32 | low;
}

/// Bytes that a receive got; 0 for a cancelled one.
inline std::uint64_t status_received(const char *status) { return status_cancelled(status) ? 0 : status_bytes(status); }

}  // namespace scope::preload
