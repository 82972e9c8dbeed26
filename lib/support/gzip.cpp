#include "support/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "support/error.hpp"

namespace scope::support {
namespace {

constexpr int gzip_window = 15 + 16;  ///< zlib's way to ask for the gzip format
constexpr std::size_t step = std::size_t{1} << 16;

/// Hands zlib the next part of the input: its counter has 32 bits.
void feed(z_stream &stream, std::string_view bytes, std::size_t &taken) {
  if (stream.avail_in > 0) return;
  std::size_t part = std::min<std::size_t>(bytes.size() - taken, std::numeric_limits<uInt>::max());
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data() + taken));
  stream.avail_in = static_cast<uInt>(part);
  taken += part;
}

/// Frees zlib's state on every way out.
struct Inflater {
  z_stream stream{};
  Inflater() {
    if (inflateInit2(&stream, gzip_window) != Z_OK) throw Error("cannot be decompressed: out of memory");
  }
  ~Inflater() { inflateEnd(&stream); }
};

struct Deflater {
  z_stream stream{};
  Deflater() {
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw Error("cannot be compressed: out of memory");
  }
  ~Deflater() { deflateEnd(&stream); }
};

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b'; }

std::string gzip(std::string_view bytes) {
  Deflater deflater;
  z_stream &stream = deflater.stream;
  std::string result, block(step, '\0');
  std::size_t taken = 0;
  for (int state = Z_OK; state != Z_STREAM_END;) {
    feed(stream, bytes, taken);
    stream.next_out = reinterpret_cast<Bytef *>(block.data());
    stream.avail_out = static_cast<uInt>(step);
    state = deflate(&stream, taken == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    result.append(block, 0, step - stream.avail_out);
  }
  return result;
}

std::string gunzip(std::string_view bytes, std::size_t limit_bytes) {
  Inflater inflater;
  z_stream &stream = inflater.stream;
  std::string result, block(step, '\0');
  std::size_t taken = 0;
  while (true) {
    feed(stream, bytes, taken);
    stream.next_out = reinterpret_cast<Bytef *>(block.data());
    stream.avail_out = static_cast<uInt>(step);
    int state = inflate(&stream, Z_NO_FLUSH);
    result.append(block, 0, step - stream.avail_out);
    if (result.size() > limit_bytes) throw Error("is larger than " + std::to_string(limit_bytes) + " bytes when decompressed");
    if (state == Z_STREAM_END) {
      if (stream.avail_in == 0 && taken == bytes.size()) return result;
      if (inflateReset(&stream) != Z_OK) throw Error("is damaged: bad gzip data");
    } else if (state == Z_BUF_ERROR || (state == Z_OK && stream.avail_in == 0 && stream.avail_out > 0 && taken == bytes.size())) {
      throw Error("is truncated: the gzip data end early");
    } else if (state != Z_OK) {
      throw Error(std::string("is damaged: bad gzip data") + (stream.msg ? std::string(" (") + stream.msg + ")" : ""));
    }
  }
}

}  // namespace scope::support
