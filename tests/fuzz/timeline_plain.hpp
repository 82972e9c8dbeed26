#pragma once
// Side files with their blocks as they are before compression: no fuzzer finds its way through zstd's entropy coding and check sums.
// The first byte, 0 or 1, says whether the file gets an index; then blocks: BlockHead, whose `stored` says how many bytes follow.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "timeline/file_blocks.hpp"

namespace scope::fuzz {

inline std::string packed(std::string_view plain) {
  using namespace timeline;
  const bool indexed = plain.front() & 1;
  plain.remove_prefix(1);
  std::string file(Prologue::bytes, '\0');
  Prologue prologue;
  Content content, index;
  Compressor compressor;
  auto append = [&](BlockHead head) {
    const std::string_view frame = compressor.compress(content);
    head.stored = static_cast<std::uint32_t>(frame.size());
    head.raw = static_cast<std::uint32_t>(content.bytes.size());
    put(index.bytes, file.size(), 8);
    index.bytes += to_bytes(head);
    ++prologue.blocks;
    (file += to_bytes(head)) += frame;
  };
  while (plain.size() >= BlockHead::bytes) {
    BlockHead head;
    from_bytes(plain, head);
    plain.remove_prefix(BlockHead::bytes);
    content.bytes = plain.substr(0, head.stored);
    plain.remove_prefix(content.bytes.size());
    if (head.type == static_cast<std::uint32_t>(BlockType::events)) prologue.events += head.count;
    append(head);
  }
  prologue.index_at = file.size();
  BlockHead end;
  end.type = static_cast<std::uint32_t>(BlockType::index);
  end.count = prologue.blocks;
  content.bytes = index.bytes;
  if (indexed) append(end);
  prologue.file_bytes = file.size();
  return file.replace(0, Prologue::bytes, to_bytes(prologue));
}

/// The reverse, for the corpus.
inline std::string plain_of(const std::string &file, bool indexed) {
  using namespace timeline;
  std::string plain(1, indexed ? '\1' : '\0');
  Decompressor decompressor;
  for (std::size_t at = Prologue::bytes; at < file.size();) {
    BlockHead head;
    from_bytes(std::string_view(file).substr(at), head);
    if (head.type == static_cast<std::uint32_t>(BlockType::index)) break;
    const auto frame = std::string_view(file).substr(at + BlockHead::bytes, head.stored);
    at += BlockHead::bytes + head.stored;
    head.stored = head.raw;
    plain += to_bytes(head);
    plain += decompressor.decompress(frame, head.raw);
  }
  return plain;
}

}  // namespace scope::fuzz
