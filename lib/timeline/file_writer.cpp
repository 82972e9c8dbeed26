#include <algorithm>

#include "support/error.hpp"
#include "support/files.hpp"
#include "timeline/file.hpp"
#include "timeline/file_blocks.hpp"
#include "timeline/file_columns.hpp"
#include "timeline/header_json.hpp"

namespace scope::timeline {

using support::Error;

struct Writer::State {
  State(const std::filesystem::path &path, const Header &header) : name(path.string()), out(path), ranks(header.ranks.size()) {
    out.write(std::string(Prologue::bytes, '\0'));
    prologue.file_bytes = Prologue::bytes;
    content.clear();
    content.bytes = to_json(header);
    if (content.bytes.size() > largest_header)
      throw Error(name + ": the ranks, communicators and regions of this timeline take more than " +
                  std::to_string(largest_header) + " bytes, which is the most that its file can hold.");
    append({.type = static_cast<std::uint32_t>(BlockType::header), .count = 1});
  }

  /// Compresses `content` and writes it behind what is there.
  void append(BlockHead head) {
    const std::string_view frame = compressor.compress(content);
    head.stored = static_cast<std::uint32_t>(frame.size());
    head.raw = static_cast<std::uint32_t>(content.bytes.size());
    std::string block = to_bytes(head);
    block += frame;
    out.write(block);
    index.push_back({prologue.file_bytes, head});
    prologue.file_bytes += block.size();
  }

  void append_signatures(const std::vector<Signature> &all) {
    if (all.size() > most_signatures)
      throw Error(name + ": this timeline has " + std::to_string(all.size()) + " signatures, its file can hold " +
                  std::to_string(most_signatures) + ". Record fewer ranks, or a shorter time.");
    while (signatures < all.size()) {
      const std::size_t count = std::min<std::size_t>(block_rows, all.size() - signatures);
      encode_signatures(std::span(all).subspan(signatures, count), content);
      append({.type = static_cast<std::uint32_t>(BlockType::signatures), .count = static_cast<std::uint32_t>(count),
              .first = static_cast<std::uint32_t>(signatures)});
      signatures += count;
    }
  }

  /// What is gathered, as a block.
  void flush() {
    if (pending.empty()) return;
    RankState &state = ranks[rank];
    encode_events(pending, state.events, content);
    append({.type = static_cast<std::uint32_t>(BlockType::events),
            .count = static_cast<std::uint32_t>(pending.size()),
            .rank = rank,
            .first = state.events,
            .from = pending.front().begin,
            .to = pending.back().begin});
    state.events += static_cast<std::uint32_t>(pending.size());
    prologue.events += pending.size();
    pending.clear();
  }

  /// A mistake of who calls, caught here before it becomes a file that nobody can read.
  void check(std::span<const Event> events, std::uint32_t rank_index) {
    if (rank_index >= ranks.size())
      throw Error(name + ": rank " + std::to_string(rank_index) + " is not in the header of this timeline.");
    RankState &state = ranks[rank_index];
    for (const Event &event : events) {
      if (event.begin < state.begin || event.end < event.begin || event.kind > Kind::region)
        throw Error(name + ": the events of rank " + std::to_string(rank_index) +
                    " are not in order: " + std::to_string(event.begin) + " ns to " + std::to_string(event.end) +
                    " ns comes after " + std::to_string(state.begin) + " ns.");
      state.begin = event.begin;
    }
    state.added += events.size();
    if (state.added >= none)
      throw Error(name + ": rank " + std::to_string(rank_index) + " has more events than its file can hold.");
  }

  struct RankState {
    std::uint32_t events = 0;  ///< that are in blocks
    std::uint64_t added = 0;
    std::int64_t begin = 0;    ///< of the last event
  };

  std::string name;
  support::NewFile out;
  std::vector<RankState> ranks;
  Prologue prologue;
  std::vector<Block> index;
  std::size_t signatures = 0;  ///< that were written
  std::uint32_t rank = 0;
  std::vector<Event> pending;  ///< of `rank`
  Content content;
  Compressor compressor;
};

Writer::Writer(const std::filesystem::path &file, const Header &header) : state_(std::make_unique<State>(file, header)) {}
Writer::Writer(Writer &&) noexcept = default;
Writer::~Writer() = default;

void Writer::add(std::uint32_t rank_index, std::span<const Event> events, const std::vector<Signature> &signatures) {
  State &state = *state_;
  state.check(events, rank_index);
  if (rank_index != state.rank) state.flush();
  state.rank = rank_index;
  if (signatures.size() > state.signatures) state.append_signatures(signatures);
  while (!events.empty()) {
    const std::size_t count = std::min(events.size(), block_rows - state.pending.size());
    state.pending.insert(state.pending.end(), events.begin(), events.begin() + static_cast<std::ptrdiff_t>(count));
    events = events.subspan(count);
    if (state.pending.size() == block_rows) state.flush();
  }
}

void Writer::finish() {
  State &state = *state_;
  state.flush();
  state.content.clear();
  for (const Block &block : state.index) {
    put(state.content.bytes, block.at, 8);
    state.content.bytes += to_bytes(block.head);
  }
  state.prologue.index_at = state.prologue.file_bytes;
  state.append({.type = static_cast<std::uint32_t>(BlockType::index), .count = static_cast<std::uint32_t>(state.index.size())});
  state.prologue.blocks = static_cast<std::uint32_t>(state.index.size());
  state.out.rewrite(0, to_bytes(state.prologue));
  state.out.commit(false);
}

}  // namespace scope::timeline
