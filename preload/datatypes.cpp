#include "datatypes.hpp"

namespace scope::preload {

std::uint32_t type_epoch = 1;

std::int64_t ask_type_size(SizeSlot &slot, Word datatype, std::uint32_t epoch) {
  KeepErrno keep_errno;
  std::int64_t bytes = 0;
  if (!library.type_size_x || library.type_size_x(datatype, &bytes) != 0 || bytes < 0) bytes = 0;
  slot = {datatype, epoch, bytes};
  return bytes;
}

}  // namespace scope::preload
