#include "timeline/file_input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "support/error.hpp"

namespace scope::timeline {

using support::Error;

Input::Input(const std::filesystem::path &file) : name_(file.string()) {
  auto fail_open = [this](int error) {
    const char *next = error == ENOENT ? "; it belongs beside the profile, copy both" : "";
    if (fd_ >= 0) ::close(fd_);
    throw Error("cannot read " + name_ + ": " + support::errno_text(error) + next);
  };
  fd_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a pipe without a writer is no reason to wait
  if (fd_ < 0) fail_open(errno);
  struct stat status;
  if (::fstat(fd_, &status) != 0) fail_open(errno);
  if (!S_ISREG(status.st_mode)) fail_open(S_ISDIR(status.st_mode) ? EISDIR : ESPIPE);
  bytes_ = static_cast<std::uint64_t>(status.st_size);
}

Input::~Input() { ::close(fd_); }

std::string_view Input::read(std::uint64_t at, std::size_t length) {
  if (at > bytes_ || length > bytes_ - at) throw Damage{"it is cut off"};
  if (buffer_.size() < length) buffer_.resize(length);
  std::size_t filled = 0;
  while (filled < length) {
    const ssize_t got = ::pread(fd_, buffer_.data() + filled, length - filled, static_cast<off_t>(at + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw Error("cannot read " + name_ + ": " + support::errno_text(errno));
    if (got == 0) throw Damage{"the file became shorter meanwhile"};
    filled += static_cast<std::size_t>(got);
  }
  return std::string_view(buffer_.data(), length);
}

std::string_view Input::content(const Block &block) {
  const std::string_view bytes = read(block.at, BlockHead::bytes + block.head.stored);
  BlockHead head;
  if (!from_bytes(bytes, head) || head != block.head) throw Damage{"its head is damaged"};
  if (head.raw > largest_raw(head)) throw Damage{"it says that it holds " + std::to_string(head.raw) + " bytes, more than it can"};
  return decompressor_.decompress(bytes.substr(BlockHead::bytes), head.raw);
}

std::string Input::at_position(std::uint64_t at, const std::string &reason) const {
  return name_ + ": byte " + std::to_string(at) + ": " + reason;
}

void Input::fail(std::uint64_t at, const std::string &reason) const {
  throw Error(at_position(at, reason) + ". Copy the file once more from where it was recorded, or record anew with run --trace.");
}

namespace {

/// Nothing if the check sum is wrong.
std::optional<Prologue> read_prologue(Input &input) {
  const std::size_t readable = std::min<std::uint64_t>(input.bytes(), Prologue::bytes);
  const std::string_view bytes = input.read(0, readable);
  if (readable < file_magic.size() || bytes.substr(0, file_magic.size()) != file_magic)
    throw Error(input.name() + ": byte 0: it does not begin with \"" + std::string(file_magic) +
                "\", so it is no timeline of scope-profiler. The profile's key timeline.file names the right one.");
  if (readable < Prologue::bytes)
    input.fail(readable, "the file is cut off within its first " + std::to_string(Prologue::bytes) + " bytes");
  Prologue prologue;
  const bool whole = from_bytes(bytes, prologue);
  if (prologue.version > file_version)
    throw Error(input.name() + ": is a timeline of version " + std::to_string(prologue.version) +
                ", this scope-profiler reads up to version " + std::to_string(file_version) +
                ". Use the scope-profiler that wrote it, or a newer one.");
  return whole && prologue.version == file_version ? std::optional(prologue) : std::nullopt;
}

/// Empty unless it is whole and agrees with the file.
std::vector<Block> read_index(Input &input, const Prologue &prologue) try {
  Block index{prologue.index_at, {}};
  if (!from_bytes(input.read(index.at, BlockHead::bytes), index.head)) return {};
  if (index.head.type != static_cast<std::uint32_t>(BlockType::index) || index.head.count + std::uint64_t{1} != prologue.blocks)
    return {};
  if (index.head.count > input.bytes() / BlockHead::bytes || index.head.raw != index.head.count * std::uint64_t{Block::bytes})
    return {};
  const std::string_view content = input.content(index);
  std::vector<Block> blocks(index.head.count);
  std::uint64_t at = Prologue::bytes;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    blocks[i].at = get(content.data() + i * Block::bytes, 8);
    if (!from_bytes(content.substr(i * Block::bytes + 8), blocks[i].head) || blocks[i].at != at) return {};
    at += BlockHead::bytes + blocks[i].head.stored;
  }
  return at == index.at ? blocks : std::vector<Block>{};
} catch (const Damage &) {
  return {};
}

/// Head after head. The index is the last block: what ends without it is cut off.
void scan(Input &input, BlockList &list) {
  list.to_the_end = false;
  list.end = Prologue::bytes;
  while (list.end < input.bytes()) {
    Block block{list.end, {}};
    if (input.bytes() - block.at < BlockHead::bytes) return;
    if (!from_bytes(input.read(block.at, BlockHead::bytes), block.head)) {
      list.warnings.push_back(input.at_position(block.at, "the head of the block is damaged: nothing behind it can be read."));
      return;
    }
    if (input.bytes() - block.at - BlockHead::bytes < block.head.stored) return;
    if (block.head.type == static_cast<std::uint32_t>(BlockType::index)) {
      list.to_the_end = true;
      return;
    }
    list.blocks.push_back(block);
    list.end += BlockHead::bytes + block.head.stored;
  }
}

}  // namespace

BlockList list_blocks(Input &input) {
  BlockList list;
  list.prologue = read_prologue(input);
  if (!list.prologue) {
    list.warnings.push_back(
        input.at_position(0, "the beginning of the file is damaged: whether all of it is there cannot be told."));
  } else if (list.prologue->file_bytes <= input.bytes()) {
    list.blocks = read_index(input, *list.prologue);
    list.end = list.prologue->index_at;
    if (!list.blocks.empty()) return list;
    list.warnings.push_back(
        input.at_position(list.prologue->index_at, "the index is damaged: the blocks were looked for one after the other."));
  }
  scan(input, list);
  return list;
}

}  // namespace scope::timeline
