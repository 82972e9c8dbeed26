#include "timeline/file_blocks.hpp"

#include <zstd.h>

#include <algorithm>
#include <limits>

#include "support/error.hpp"

namespace scope::timeline {
namespace {

/// Level 6 takes twice the time and gains nothing: what is left are the low bits of durations, which are random.
constexpr int level = 3;

[[noreturn]] void fail_memory() { throw support::Error("a timeline cannot be compressed: out of memory"); }

void append_check(std::string &bytes) { put(bytes, crc32(bytes), 4); }

bool is_checked(std::string_view bytes) {
  return crc32(bytes.substr(0, bytes.size() - 4)) == get(bytes.data() + bytes.size() - 4, 4);
}

/// Takes numbers from bytes, one after the other.
class Fields {
 public:
  explicit Fields(const char *at) : at_(at) {}
  template <class Number>
  void take(Number &number) {
    number = static_cast<Number>(get(at_, sizeof(Number)));
    at_ += sizeof(Number);
  }

 private:
  const char *at_;
};

}  // namespace

void put(std::string &out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

std::uint64_t get(const char *at, int bytes) {
  std::uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value |= static_cast<std::uint64_t>(static_cast<unsigned char>(at[i])) << (8 * i);
  return value;
}

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t sum = ~0u;
  for (const char byte : bytes) {
    sum ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ ((sum & 1) ? 0xedb88320u : 0);
  }
  return ~sum;
}

std::string to_bytes(const Prologue &prologue) {
  std::string out(file_magic);
  put(out, prologue.version, 4);
  put(out, Prologue::bytes, 4);
  put(out, prologue.file_bytes, 8);
  put(out, prologue.events, 8);
  put(out, prologue.index_at, 8);
  put(out, prologue.blocks, 4);
  out.resize(Prologue::bytes - 4);
  append_check(out);
  return out;
}

bool from_bytes(std::string_view bytes, Prologue &prologue) {
  std::uint32_t own_bytes = 0;
  Fields fields(bytes.data() + file_magic.size());
  fields.take(prologue.version);
  fields.take(own_bytes);
  fields.take(prologue.file_bytes);
  fields.take(prologue.events);
  fields.take(prologue.index_at);
  fields.take(prologue.blocks);
  return is_checked(bytes.substr(0, Prologue::bytes));
}

std::string to_bytes(const BlockHead &head) {
  std::string out;
  for (const std::uint32_t number : {head.type, head.stored, head.raw, head.count, head.rank, head.first}) put(out, number, 4);
  put(out, static_cast<std::uint64_t>(head.from), 8);
  put(out, static_cast<std::uint64_t>(head.to), 8);
  out.resize(BlockHead::bytes - 4);
  append_check(out);
  return out;
}

bool from_bytes(std::string_view bytes, BlockHead &head) {
  Fields fields(bytes.data());
  for (std::uint32_t *number : {&head.type, &head.stored, &head.raw, &head.count, &head.rank, &head.first}) fields.take(*number);
  fields.take(head.from);
  fields.take(head.to);
  return is_checked(bytes.substr(0, BlockHead::bytes));
}

std::uint64_t largest_raw(const BlockHead &head) {
  constexpr std::uint64_t event = 2 + 1 + 2 + 4 + 4 + 8 + 8, signature = 2 + 2 + 5 * 5 + 9, names = 1u << 19;
  switch (static_cast<BlockType>(head.type)) {
    case BlockType::header: return largest_header;
    case BlockType::signatures: return names + head.count * signature;
    case BlockType::events: return 16 + head.count * event;
    case BlockType::index: return std::uint64_t{head.count} * Block::bytes;
  }
  return 0;
}

struct Compressor::State {
  ZSTD_CCtx *context = ZSTD_createCCtx();
  std::string frame;
  ~State() { ZSTD_freeCCtx(context); }
};

Compressor::Compressor() : state_(std::make_unique<State>()) {
  if (!state_->context) fail_memory();
  ZSTD_CCtx_setParameter(state_->context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(state_->context, ZSTD_c_checksumFlag, 1);
}

Compressor::~Compressor() = default;

std::string_view Compressor::compress(const Content &content) {
  ZSTD_CCtx *context = state_->context;
  ZSTD_CCtx_reset(context, ZSTD_reset_session_only);
  ZSTD_CCtx_setPledgedSrcSize(context, content.bytes.size());
  // Room for an end of block behind every stretch, so that each step below is done in one call.
  state_->frame.resize(ZSTD_compressBound(content.bytes.size()) + 64 * (content.ends.size() + 1));
  ZSTD_outBuffer out{state_->frame.data(), state_->frame.size(), 0};
  ZSTD_inBuffer in{content.bytes.data(), 0, 0};
  auto step = [&](std::size_t end, ZSTD_EndDirective directive) {
    in.size = end;
    if (ZSTD_compressStream2(context, &out, &in, directive) != 0) fail_memory();
  };
  for (const std::size_t end : content.ends)
    if (end < content.bytes.size()) step(end, ZSTD_e_flush);
  step(content.bytes.size(), ZSTD_e_end);
  return std::string_view(state_->frame.data(), out.pos);
}

struct Decompressor::State {
  ZSTD_DCtx *context = ZSTD_createDCtx();
  std::string raw;
  ~State() { ZSTD_freeDCtx(context); }
};

Decompressor::Decompressor() : state_(std::make_unique<State>()) {
  if (!state_->context) fail_memory();
}

Decompressor::~Decompressor() = default;

std::string_view Decompressor::decompress(std::string_view frame, std::size_t raw_bytes) {
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != raw_bytes ||
      ZSTD_findFrameCompressedSize(frame.data(), frame.size()) != frame.size())
    throw Damage{"its compressed data are damaged"};
  if (state_->raw.size() < raw_bytes) state_->raw.resize(raw_bytes);
  const std::size_t got = ZSTD_decompressDCtx(state_->context, state_->raw.data(), raw_bytes, frame.data(), frame.size());
  if (ZSTD_isError(got)) throw Damage{std::string("its compressed data are damaged (") + ZSTD_getErrorName(got) + ")"};
  if (got != raw_bytes) throw Damage{"it holds fewer data than it says"};
  return std::string_view(state_->raw.data(), raw_bytes);
}

}  // namespace scope::timeline
