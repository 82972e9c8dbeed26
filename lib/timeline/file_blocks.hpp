#pragma once
// The side file's blocks: the bytes at its beginning, the heads of blocks, compression. Internal to the room and its tests.
// All numbers are little-endian.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace scope::timeline {

inline constexpr std::string_view file_magic = "SCOPETLN";
inline constexpr std::uint32_t file_version = 1;

/// Events, signatures of a block at most.
inline constexpr std::uint32_t block_rows = 1u << 16;
inline constexpr std::uint32_t largest_header = 1u << 28;  ///< bytes of its JSON
inline constexpr std::uint32_t most_signatures = 1u << 24;

/// The first bytes of the file. They are written last: a file that is cut off says what it should hold.
struct Prologue {
  static constexpr std::size_t bytes = 64;
  std::uint32_t version = file_version;
  std::uint64_t file_bytes = 0, events = 0, index_at = 0;
  std::uint32_t blocks = 0;  ///< all of them, the index too
};

enum class BlockType : std::uint32_t { header = 1, signatures = 2, events = 3, index = 4 };

/// In front of every block.
struct BlockHead {
  static constexpr std::size_t bytes = 48;
  std::uint32_t type = 0;    ///< BlockType; others are passed over
  std::uint32_t stored = 0;  ///< bytes of the zstd frame behind it
  std::uint32_t raw = 0;     ///< bytes that come out of it
  std::uint32_t count = 0;   ///< events, signatures, entries of the index
  std::uint32_t rank = 0;    ///< of events: place in Header::ranks
  std::uint32_t first = 0;   ///< number of the first event in its rank, of the first signature in the file
  std::int64_t from = 0, to = 0;  ///< of events: begin of the first and of the last one
  bool operator==(const BlockHead &) const = default;
};

/// An entry of the index.
struct Block {
  static constexpr std::size_t bytes = 8 + BlockHead::bytes;
  std::uint64_t at = 0;  ///< position of the head
  BlockHead head;
};

/// What is wrong with a block, in words that follow "the block at byte N": the reader adds file and position.
struct Damage {
  std::string reason;
};

void put(std::string &out, std::uint64_t value, int bytes);
std::uint64_t get(const char *at, int bytes);

/// The polynomial of zlib and PNG (RFC 1952, section 8).
std::uint32_t crc32(std::string_view bytes);

std::string to_bytes(const Prologue &prologue);
/// `bytes` holds at least Prologue::bytes. False: its check sum is wrong.
bool from_bytes(std::string_view bytes, Prologue &prologue);
std::string to_bytes(const BlockHead &head);
bool from_bytes(std::string_view bytes, BlockHead &head);

/// Bytes that a block of this head may hold at most once decompressed.
std::uint64_t largest_raw(const BlockHead &head);

/// What a block holds before compression. Stretches end at `ends`: bytes of one kind, which get a Huffman code of their own.
struct Content {
  std::string bytes;
  std::vector<std::size_t> ends;
  void clear() {
    bytes.clear();
    ends.clear();
  }
};

/// zstd, with memory that is kept from block to block. Throws support::Error for lack of memory.
class Compressor {
 public:
  Compressor();
  Compressor(Compressor &&) = delete;
  ~Compressor();
  /// One frame with check sum and size. It is valid until the next call.
  std::string_view compress(const Content &content);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class Decompressor {
 public:
  Decompressor();
  Decompressor(Decompressor &&) = delete;
  ~Decompressor();
  /// Throws Damage unless the frame holds exactly `raw_bytes` and its check sum is right. The result is valid until the next call.
  std::string_view decompress(std::string_view frame, std::size_t raw_bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scope::timeline
