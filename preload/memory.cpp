#include "memory.hpp"

#include <errno.h>
#include <sched.h>
#include <sys/mman.h>

namespace scope::preload {

void *map_private(std::size_t bytes, bool wipe_on_fork) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  if (wipe_on_fork) madvise(memory, bytes, MADV_WIPEONFORK);
  return memory;
}

void unmap_private(void *memory, std::size_t bytes) {
  if (memory) munmap(memory, bytes);
}

namespace {

constexpr int classes = 24;  // 32 bytes .. 256 MiB
constexpr std::size_t chunk_bytes = 64 * 1024;

struct Free {
  Free *next;
};
Free *free_blocks[classes];
char *chunk;
std::size_t chunk_left;

int class_of(std::size_t bytes) {
  int result = 0;
  while ((std::size_t{32} << result) < bytes) ++result;
  return result;
}

}  // namespace

void *take_block(std::size_t bytes) {
  int which = class_of(bytes);
  if (which >= classes) return nullptr;
  if (Free *block = free_blocks[which]) {
    free_blocks[which] = block->next;
    return block;
  }
  std::size_t size = std::size_t{32} << which;
  if (size >= chunk_bytes) return map_private(size, true);
  if (chunk_left < size) {
    char *fresh = static_cast<char *>(map_private(chunk_bytes, true));
    if (!fresh) return nullptr;
    chunk = fresh;
    chunk_left = chunk_bytes;
  }
  void *block = chunk;
  chunk += size;
  chunk_left -= size;
  return block;
}

void give_block(void *block, std::size_t bytes) {
  if (!block) return;
  std::size_t size = std::size_t{32} << class_of(bytes);
  if (size >= chunk_bytes) {
    unmap_private(block, size);
    return;
  }
  Free *free_block = static_cast<Free *>(block);
  int which = class_of(bytes);
  free_block->next = free_blocks[which];
  free_blocks[which] = free_block;
}

KeepErrno::KeepErrno() : saved_(errno) {}
KeepErrno::~KeepErrno() { errno = saved_; }

void Lock::wait() {
  do {
    for (int spins = 0; __atomic_load_n(&held_, __ATOMIC_RELAXED); ++spins)
      if (spins > 100) sched_yield();
  } while (__atomic_exchange_n(&held_, 1, __ATOMIC_ACQUIRE));
}

}  // namespace scope::preload
