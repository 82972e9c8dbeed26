#pragma once
// Messages of our own for run --collect mpi, on a communicator of our own. Everything is nonblocking and bounded by patience: a rank
// that does not come stops nobody. Requests that are given up stay with the library, and so does what they point to.

#include <cstddef>
#include <cstdint>

#include "family.hpp"
#include "memory.hpp"
#include "wire/node_file.hpp"

namespace scope::preload {

/// Time without anything moving.
class Patience {
 public:
  /// For wire::env_patience seconds from now.
  Patience();
  void moved();
  bool is_over() const;
  /// Looks again at once at first, then every millisecond.
  void pause();

 private:
  std::uint64_t length_ns_, end_ns_ = 0;
  int looks_ = 0;
};

/// Makes the communicator, with all ranks of the world: false where the library lacks what this needs, or somebody does not come (a
/// program of which some ranks have no shim would wait for ever in a blocking call).
bool open_channel(Patience &patience);

/// True with the source of a message that is there. Looking also drives the library on: what the rank has sent before may wait for that.
/// `source` may be family.any_source.
bool probe(int source, wire::HandTag tag, int &from);

/// `bytes` must stay, even when this gives up.
bool send(const void *bytes, std::size_t size, int to, wire::HandTag tag, Patience &patience);
bool receive(void *bytes, std::size_t size, int from, wire::HandTag tag, Patience &patience);

/// The minimum or sum of some ints of all ranks; false when they don't all come. `own` and `all` must stay.
bool lowest_of_all(const int *own, int *all, int count, Patience &patience);
bool sum_of_all(const int *own, int *all, int count, Patience &patience);

}  // namespace scope::preload
