#pragma once
// Sizes of datatypes: bytes of data, not extent (MPI 4.1, 5.1.5). MPI_Type_size_x is asked once for each handle; freed handles
// are reused for other types, so every MPI_Type_free makes all remembered sizes stale.

#include "family.hpp"
#include "library.hpp"
#include "recorder.hpp"

namespace scope::preload {

SCOPE_HIDDEN extern std::uint32_t type_epoch;

std::int64_t ask_type_size(SizeSlot &slot, Word datatype, std::uint32_t epoch);

/// The datatype is valid: the call that it was given to has succeeded.
inline std::int64_t type_size(Thread &thread, Word argument) {
  Word datatype = as_handle(argument);
  SizeSlot &slot = thread.sizes[(datatype ^ datatype >> 6 ^ datatype >> 12) % 64];
  std::uint32_t epoch = __atomic_load_n(&type_epoch, __ATOMIC_ACQUIRE);
  if (__builtin_expect(slot.datatype == datatype && slot.epoch == epoch, true)) return slot.bytes;
  return ask_type_size(slot, datatype, epoch);
}

/// The size if it is remembered, -1 otherwise: for calls that have not been made yet.
inline std::int64_t remembered_size(const Thread &thread, Word argument) {
  Word datatype = as_handle(argument);
  const SizeSlot &slot = thread.sizes[(datatype ^ datatype >> 6 ^ datatype >> 12) % 64];
  return slot.datatype == datatype && slot.epoch == type_epoch ? slot.bytes : -1;
}

}  // namespace scope::preload
