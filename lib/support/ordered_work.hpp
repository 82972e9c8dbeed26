#pragma once
// Work on many items with several threads whose results are taken in the items' order.

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace scope::support {

/// Threads that the machine runs at once, at least 1.
inline unsigned machine_threads() { return std::max(1u, std::thread::hardware_concurrency()); }

/// Calls consume(i, make(i)) for i from 0 to count - 1, in this order, on the calling thread. make runs on `threads` others and
/// must be safe to call at the same time for different i; at most `window` results wait to be consumed. With one thread, or few
/// items, everything runs on the calling thread. An exception of either ends the work and comes out of here: that of the first
/// item in order.
template <class Make, class Consume>
void work_in_order(std::size_t count, Make make, Consume consume, unsigned threads = machine_threads(), std::size_t window = 64) {
  using Result = decltype(make(std::size_t{}));
  if (threads < 2 || count < 2 * threads) {
    for (std::size_t i = 0; i < count; ++i) consume(i, make(i));
    return;
  }
  struct Slot {
    std::optional<Result> result;
    std::exception_ptr failure;
  };
  std::vector<Slot> slots(window);
  std::mutex mutex;
  std::condition_variable filled, freed;
  std::size_t next = 0, consumed = 0;
  bool ended = false;
  auto worker = [&] {
    std::unique_lock lock(mutex);
    for (;;) {
      freed.wait(lock, [&] { return ended || next == count || next < consumed + window; });
      if (ended || next == count) return;
      const std::size_t i = next++;
      Slot slot;
      lock.unlock();
      try {
        slot.result.emplace(make(i));
      } catch (...) {
        slot.failure = std::current_exception();
      }
      lock.lock();
      slots[i % window] = std::move(slot);
      if (i == consumed) filled.notify_one();
    }
  };
  std::vector<std::thread> workers;
  auto end_all = [&] {
    {
      std::lock_guard lock(mutex);
      ended = true;
    }
    freed.notify_all();
    for (std::thread &thread : workers) thread.join();
  };
  try {
    for (unsigned k = 0; k < threads; ++k) workers.emplace_back(worker);
    for (std::size_t i = 0; i < count; ++i) {
      Slot slot;
      {
        std::unique_lock lock(mutex);
        Slot &place = slots[i % window];
        filled.wait(lock, [&] { return place.result || place.failure; });
        slot = std::exchange(place, Slot{});
      }
      if (slot.failure) std::rethrow_exception(slot.failure);
      consume(i, std::move(*slot.result));
      {
        std::lock_guard lock(mutex);
        ++consumed;
      }
      freed.notify_all();
    }
  } catch (...) {
    end_all();
    throw;
  }
  end_all();
}

}  // namespace scope::support
