#pragma once
// A node file as it goes to another node (run --collect mpi): the complete dumps, without the holes, and the blocks of regions and
// timelines that lie beside it.

#include <cstddef>
#include <cstdint>

#include "wire/node_file.hpp"

namespace scope::preload {

inline constexpr wire::NodeSlotKind block_kinds[] = {wire::NodeSlotKind::regions, wire::NodeSlotKind::trace_calls, wire::NodeSlotKind::trace_regions};

/// Path of a block of the process that a slot is of, in a directory of this node; `slot.kind` is one of block_kinds.
void name_block(char *path, std::size_t size, const char *directory, const wire::NodeSlot &slot);

class NodeImage {
 public:
  /// Of node_header's file, open as `node_file`, which stays open for as long as this is used.
  NodeImage(int node_file, const char *directory) : node_file_(node_file), directory_(directory) {}
  ~NodeImage();
  NodeImage(const NodeImage &) = delete;
  NodeImage &operator=(const NodeImage &) = delete;

  /// False where a process has no complete slot, or without memory.
  bool plan();

  std::uint64_t bytes() const { return bytes_; }
  unsigned pieces() const { return count_; }
  const wire::NodeSlot &slot(unsigned i) const { return pieces_[i].slot; }

  /// The next part of it, at most a chunk; nullptr when it can't be read.
  const char *next(std::uint64_t at, std::size_t &size);

 private:
  /// A piece of it that lies in a file of this node.
  struct Piece {
    wire::NodeSlot slot;
    std::uint64_t from;  ///< in its file
  };

  void add_dump(const wire::NodeSlot &slot);
  void add_block(const wire::NodeSlot &dump, wire::NodeSlotKind kind);
  void lay_out();
  std::uint64_t sum_of(const wire::NodeSlot &slot);
  std::size_t fill(std::uint64_t at, char *to, std::size_t room);
  std::size_t read_piece(std::uint64_t at, char *to, std::size_t room);
  void open_block(const wire::NodeSlot &slot);

  int node_file_, block_ = -1;
  const char *directory_;
  Piece *pieces_ = nullptr;  // stays, as the buffer does: a send that was given up may read from it
  char *buffer_ = nullptr;
  unsigned count_ = 0, current_ = 0, open_piece_ = 0;
  wire::NodeHeader header_{};
  std::uint64_t bytes_ = 0;
};

}  // namespace scope::preload
