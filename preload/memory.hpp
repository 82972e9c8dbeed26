#pragma once
// Memory of our own, straight from the kernel: the program's allocator is not ours to call, and may be replaced or traced.

#include <cstddef>
#include <cstdint>

namespace scope::preload {

/// Zeroed private pages, nullptr when there are none. `wipe_on_fork`: a forked child finds zeros (never the parent's state).
void *map_private(std::size_t bytes, bool wipe_on_fork);
void unmap_private(void *memory, std::size_t bytes);

/// Small blocks by powers of two from pages that are reused, never returned. Not thread-safe: callers hold `state_lock`.
void *take_block(std::size_t bytes);
void give_block(void *block, std::size_t bytes);

/// Keeps errno over a slow path: what we call may set it, the program must not see that.
class KeepErrno {
 public:
  KeepErrno();
  ~KeepErrno();
  KeepErrno(const KeepErrno &) = delete;
  KeepErrno &operator=(const KeepErrno &) = delete;

 private:
  int saved_;
};

/// A spin lock that yields; taken only on slow paths, or under MPI_THREAD_MULTIPLE.
class Lock {
 public:
  void acquire() {
    if (__builtin_expect(__atomic_exchange_n(&held_, 1, __ATOMIC_ACQUIRE), false)) wait();
  }
  bool try_acquire() { return !__atomic_exchange_n(&held_, 1, __ATOMIC_ACQUIRE); }
  void release() { __atomic_store_n(&held_, 0, __ATOMIC_RELEASE); }

 private:
  void wait();

  int held_ = 0;
};

/// On a cache line of its own: threads that take it must not slow down those that read what lies beside it.
class alignas(64) SeparateLock : public Lock {};

class Holding {
 public:
  explicit Holding(Lock &lock, bool needed = true) : lock_(lock), needed_(needed) {
    if (needed_) lock_.acquire();
  }
  ~Holding() {
    if (needed_) lock_.release();
  }
  Holding(const Holding &) = delete;
  Holding &operator=(const Holding &) = delete;

 private:
  Lock &lock_;
  bool needed_;
};

}  // namespace scope::preload
