#include "node_image.hpp"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live_block.hpp"
#include "memory.hpp"
#include "node_file.hpp"
#include "own_files.hpp"
#include "place.hpp"
#include "procfs.hpp"
#include "wire/contract.hpp"

namespace scope::preload {

namespace {

std::size_t copy(const void *from, std::size_t size, std::uint64_t at, char *to, std::size_t room) {
  std::size_t part = size - at < room ? static_cast<std::size_t>(size - at) : room;
  memcpy(to, static_cast<const char *>(from) + at, part);
  return part;
}
std::size_t zeros(std::uint64_t size, char *to, std::size_t room) {
  std::size_t part = size < room ? static_cast<std::size_t>(size) : room;
  memset(to, 0, part);
  return part;
}

}  // namespace

void name_block(char *path, std::size_t size, const char *directory, const wire::NodeSlot &slot) {
  put_path(path, size, directory, slot.kind == wire::NodeSlotKind::regions ? wire::region_prefix : wire::trace_prefix, "");
  if (slot.kind != wire::NodeSlotKind::regions) append_text(path, size, slot.kind == wire::NodeSlotKind::trace_calls ? "calls-" : "regions-");
  append_text(path, size, live->host);
  append_text(path, size, "-");
  append_number(path, size, slot.pid);
  append_text(path, size, "-");
  append_number(path, size, slot.start_time);
  append_text(path, size, wire::live_suffix);
}

NodeImage::~NodeImage() {
  if (block_ >= 0) close(block_);
}

bool NodeImage::plan() {
  std::uint64_t members = __atomic_load_n(&node_header->members, __ATOMIC_ACQUIRE), taken = __atomic_load_n(&node_header->claimed, __ATOMIC_ACQUIRE);
  unsigned claimed = static_cast<unsigned>(taken < wire::node_slot_limit ? taken : wire::node_slot_limit);
  pieces_ = static_cast<Piece *>(map_private(std::size_t{claimed} * 4 * sizeof(Piece), false));
  buffer_ = static_cast<char *>(map_private(wire::hand_chunk_bytes, false));
  if (!pieces_ || !buffer_) return false;
  for (unsigned i = 0; i < claimed; ++i) {
    wire::NodeSlot slot{};
    if (!read_slot(node_file_, i, slot)) return false;
    if (slot.state == wire::NodeSlotState::complete) add_dump(slot);
  }
  if (count_ != members) return false;
  for (unsigned i = 0; i < members; ++i)
    for (wire::NodeSlotKind kind : block_kinds) add_block(pieces_[i].slot, kind);
  lay_out();
  return true;
}

const char *NodeImage::next(std::uint64_t at, std::size_t &size) {
  size = bytes_ - at < wire::hand_chunk_bytes ? static_cast<std::size_t>(bytes_ - at) : wire::hand_chunk_bytes;
  std::size_t done = 0;
  while (done < size) {
    std::size_t got = fill(at + done, buffer_ + done, size - done);
    if (!got) return nullptr;
    done += got;
  }
  return buffer_;
}

// The later one of a process.
void NodeImage::add_dump(const wire::NodeSlot &slot) {
  for (unsigned i = 0; i < count_; ++i)
    if (pieces_[i].slot.rank == slot.rank && pieces_[i].slot.pid == slot.pid && pieces_[i].slot.start_time == slot.start_time) {
      pieces_[i] = {slot, slot.offset};
      return;
    }
  pieces_[count_++] = {slot, slot.offset};
}

void NodeImage::add_block(const wire::NodeSlot &dump, wire::NodeSlotKind kind) {
  Piece piece{dump, 0};
  piece.slot.kind = kind;
  char path[4096];
  name_block(path, sizeof path, directory_, piece.slot);
  struct stat found;
  if (lstat(path, &found) != 0 || !S_ISREG(found.st_mode)) return;
  piece.slot.bytes = static_cast<std::uint64_t>(found.st_size);
  pieces_[count_++] = piece;
}

// Blocks have no sum of their own: what they hold is checked by their readers.
void NodeImage::lay_out() {
  header_ = *node_header;
  header_.capacity = count_;
  header_.payload_at = wire::node_payload_at(count_);
  header_.sum = wire::node_header_sum(header_);
  bytes_ = header_.payload_at;
  for (unsigned i = 0; i < count_; ++i) {
    wire::NodeSlot &slot = pieces_[i].slot;
    std::uint64_t payload_sum = wire::node_sum_begin;
    if (slot.kind == wire::NodeSlotKind::dump) payload_sum = sum_of(slot);
    slot.offset = bytes_;
    slot.sum = wire::node_slot_sum(slot, payload_sum);
    bytes_ += slot.bytes;
  }
}

std::uint64_t NodeImage::sum_of(const wire::NodeSlot &slot) {
  std::uint64_t sum = wire::node_sum_begin;
  for (std::uint64_t done = 0; done < slot.bytes;) {
    std::size_t part = slot.bytes - done < wire::hand_chunk_bytes ? static_cast<std::size_t>(slot.bytes - done) : wire::hand_chunk_bytes;
    if (!read_at(node_file_, buffer_, part, slot.offset + done)) return 0;
    sum = wire::node_sum(sum, buffer_, part);
    done += part;
  }
  return sum;
}

// Some bytes from `at` on.
std::size_t NodeImage::fill(std::uint64_t at, char *to, std::size_t room) {
  if (at < sizeof header_) return copy(&header_, sizeof header_, at, to, room);
  if (at < wire::node_header_bytes) return zeros(wire::node_header_bytes - at, to, room);
  std::uint64_t slot = (at - wire::node_header_bytes) / sizeof(wire::NodeSlot);
  if (slot < count_) return copy(&pieces_[slot].slot, sizeof(wire::NodeSlot), (at - wire::node_header_bytes) % sizeof(wire::NodeSlot), to, room);
  if (at < header_.payload_at) return zeros(header_.payload_at - at, to, room);
  while (current_ < count_ && at >= pieces_[current_].slot.offset + pieces_[current_].slot.bytes) ++current_;
  return current_ < count_ ? read_piece(at, to, room) : 0;
}

std::size_t NodeImage::read_piece(std::uint64_t at, char *to, std::size_t room) {
  const Piece &piece = pieces_[current_];
  int file = node_file_;
  if (piece.slot.kind != wire::NodeSlotKind::dump) {
    if (block_ < 0 || open_piece_ != current_) open_block(piece.slot);
    file = block_;
  }
  std::uint64_t begin = at - piece.slot.offset, left = piece.slot.bytes - begin;
  std::size_t size = left < room ? static_cast<std::size_t>(left) : room;
  return file >= 0 && read_at(file, to, size, piece.from + begin) ? size : 0;
}

void NodeImage::open_block(const wire::NodeSlot &slot) {
  if (block_ >= 0) close(block_);
  char path[4096];
  name_block(path, sizeof path, directory_, slot);
  block_ = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  open_piece_ = current_;
}

}  // namespace scope::preload
