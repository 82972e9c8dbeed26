#pragma once
// The bytes of a side file, and the list of its blocks. Internal to the room.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "timeline/file_blocks.hpp"

namespace scope::timeline {

/// An open file. Not mapped: a file that is cut off meanwhile must be an error, not a SIGBUS.
class Input {
 public:
  explicit Input(const std::filesystem::path &file);
  Input(const Input &) = delete;
  Input &operator=(const Input &) = delete;
  ~Input();
  const std::string &name() const { return name_; }
  std::uint64_t bytes() const { return bytes_; }
  /// Throws Damage if the file ends before, support::Error if it can't be read. The result is valid until the next call.
  std::string_view read(std::uint64_t at, std::size_t length);
  /// The content of a block. Throws as read() does, and Damage if the block is not what `block` says.
  std::string_view content(const Block &block);
  /// Throws support::Error: file, position, reason, what to do.
  [[noreturn]] void fail(std::uint64_t at, const std::string &reason) const;
  std::string at_position(std::uint64_t at, const std::string &reason) const;

 private:
  std::string name_;
  int fd_ = -1;
  std::uint64_t bytes_ = 0;
  std::string buffer_;
  Decompressor decompressor_;
};

/// What is in a file.
struct BlockList {
  std::optional<Prologue> prologue;  ///< nothing where it is damaged
  std::vector<Block> blocks;         ///< in the file's order, all within the file, without the index
  bool to_the_end = true;            ///< false: `end` is where the rest could not be made out
  std::uint64_t end = 0;
  std::vector<std::string> warnings;
};

/// Throws support::Error for what is no timeline, or of a newer version.
BlockList list_blocks(Input &input);

}  // namespace scope::timeline
