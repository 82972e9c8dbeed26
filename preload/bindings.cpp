// Handles that lead to a communicator: windows, files, matched messages; and of the last, what found them.

#include "communicators.hpp"
#include "handle_map.hpp"

namespace scope::preload {

namespace {

HandleMap<Communicator> bindings;
HandleMap<void> probes;  // Started as a number, which is not null
SeparateLock lock;

}  // namespace

void bind_handle(Word handle, Communicator *communicator) {
  if (!communicator) return;
  KeepErrno keep_errno;
  keep(communicator);
  Communicator *earlier;
  {
    Holding holding(lock, multiple);
    earlier = bindings.find(handle);
    bindings.insert(handle, communicator);
  }
  drop(earlier);
}

Communicator *bound_communicator(Word handle) {
  Holding holding(lock, multiple);
  return bindings.find(handle);
}

Communicator *unbind_handle(Word handle) {
  Holding holding(lock, multiple);
  return bindings.remove(handle);
}

void keep_probe(Word message, Started event) {
  KeepErrno keep_errno;
  Holding holding(lock, multiple);
  probes.insert(message, reinterpret_cast<void *>(std::uintptr_t{event.thread} << 32 | event.number));
}

Started take_probe(Word message) {
  Holding holding(lock, multiple);
  std::uintptr_t event = reinterpret_cast<std::uintptr_t>(probes.remove(message));
  return {static_cast<std::uint32_t>(event), static_cast<std::uint16_t>(event >> 32)};
}

}  // namespace scope::preload
