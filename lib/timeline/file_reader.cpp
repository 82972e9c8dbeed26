#include <algorithm>
#include <limits>

#include "support/error.hpp"
#include "support/text.hpp"
#include "timeline/file.hpp"
#include "timeline/file_blocks.hpp"
#include "timeline/file_columns.hpp"
#include "timeline/file_input.hpp"
#include "timeline/header_json.hpp"

namespace scope::timeline {
namespace {

using support::Error;

/// Signatures that a damaged file may have instead of those that were lost: a bound for the memory they take.
constexpr std::uint64_t most_lost_signatures = 1u << 20;
const char *const next_step =
    " Copy the file once more from where it was recorded, or record anew with run --trace; what is whole is used.";

struct RankBlocks {
  std::vector<Block> blocks;
  std::uint64_t events = 0;
};

BlockType type_of(const Block &block) { return static_cast<BlockType>(block.head.type); }

std::string counted(std::uint64_t number, const char *what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

}  // namespace

struct Reader::State {
  explicit State(const std::filesystem::path &file) : input(file) {
    BlockList list = list_blocks(input);
    warnings = std::move(list.warnings);
    if (list.blocks.empty()) input.fail(Prologue::bytes, "the file is cut off before its header, or this is damaged");
    read_header(list.blocks.front());
    for (std::size_t i = 1; i < list.blocks.size(); ++i) {
      const Block &block = list.blocks[i];
      if (type_of(block) == BlockType::signatures) read_signatures(block);
      if (type_of(block) == BlockType::events) add_events(block);
    }
    note_loss(list);
  }

  void read_header(const Block &block) try {
    if (type_of(block) != BlockType::header) throw Damage{"its type is not that of a header"};
    header = parse_header(std::string(input.content(block)), input.name());
    ranks.resize(header.ranks.size());
  } catch (const Damage &damage) {
    input.fail(block.at, "the header cannot be read: " + damage.reason);
  }

  /// Heads have check sums: what is wrong in one is no accident.
  [[noreturn]] void fail_head(const Block &block, const char *what) {
    input.fail(block.at, std::string("the head of this block ") + what);
  }

  void read_signatures(const Block &block) {
    const BlockHead &head = block.head;
    if (head.first != signatures.size()) fail_head(block, "names signatures that do not follow those before it");
    if (head.count > block_rows || signatures.size() + head.count > most_signatures)
      fail_head(block, "names more signatures than a block or a file may hold");
    try {
      decode_signatures(input.content(block), head, signatures);
    } catch (const Damage &damage) {
      lost_signatures += head.count;
      if (lost_signatures > most_lost_signatures) input.fail(block.at, "too many signatures are damaged: " + damage.reason);
      signatures.resize(signatures.size() + head.count);
      warnings.push_back(input.at_position(block.at, counted(head.count, "signature") + " cannot be read: " + damage.reason +
                                                         ". Calls that have one are without a name." + next_step));
    }
  }

  void add_events(const Block &block) {
    const BlockHead &head = block.head;
    if (head.rank >= ranks.size()) fail_head(block, "names a rank that is not in the header");
    RankBlocks &rank = ranks[head.rank];
    if (head.count == 0 || head.count > block_rows) fail_head(block, "names more events than a block may hold, or none");
    if (head.first != rank.events || rank.events + head.count >= none)
      fail_head(block, "names events that do not follow those before it");
    const std::int64_t before = rank.blocks.empty() ? 0 : rank.blocks.back().head.to;
    if (head.from < before || head.to < head.from) fail_head(block, "names instants that do not follow those before it");
    rank.blocks.push_back(block);
    rank.events += head.count;
    events += head.count;
    last_rank = head.rank;
  }

  /// What a file that ends early should have held.
  void note_loss(const BlockList &list) {
    if (list.prologue && list.prologue->events > events) lost = list.prologue->events - events;
    if (list.to_the_end && lost == 0) return;
    if (list.prologue && lost == 0) {  // all events are there
      if (list.prologue->file_bytes > input.bytes())
        warnings.push_back(input.at_position(list.end, "the file is cut off, behind the last event."));
      return;
    }
    // Ranks follow each other: of those behind the last one nothing is there.
    const std::size_t first_without = events == 0 ? 0 : last_rank + std::size_t{1};
    if (first_without > 0) cut(last_rank);
    for (std::size_t rank = first_without; rank < ranks.size(); ++rank)
      if (ranks[rank].blocks.empty()) cut(static_cast<std::uint32_t>(rank));
    const std::string whole = list.prologue ? " of " + std::to_string(list.prologue->file_bytes) + " bytes" : "";
    const std::string what = list.prologue ? std::to_string(lost) + " of " + counted(list.prologue->events, "event") + " are lost"
                                           : "what was behind is lost";
    warnings.push_back(input.at_position(list.end, "the file" + whole + " can be read up to here: " + what + ", those of " +
                                                       place_of_loss(first_without) + "." + next_step));
  }

  std::string place_of_loss(std::size_t first_without) const {
    if (first_without == 0) return "all ranks";
    const RankInfo &last = header.ranks[first_without - 1];
    return name_of(first_without - 1) + " after " + support::format_ns(static_cast<double>(last.to)) +
           (first_without < ranks.size() ? " and of the ranks behind it" : "");
  }

  std::string name_of(std::size_t rank) const {
    const RankInfo &info = header.ranks[rank];
    const bool several = header.ranks.back().world > 0;
    return "rank " + std::to_string(info.rank) + (several ? " of world " + std::to_string(info.world) : "");
  }

  /// Says in the header that the rank's timeline ends with the blocks that are left.
  void cut(std::uint32_t rank) {
    RankInfo &info = header.ranks[rank];
    const std::vector<Block> &blocks = ranks[rank].blocks;
    info.to = blocks.empty() ? info.from : std::min(info.to, blocks.back().head.to);
    if (blocks.empty()) info.recorded = false;
  }

  /// The block at `place` and those behind it are out.
  void drop(std::uint32_t rank, std::size_t place, const std::string &reason) {
    RankBlocks &own = ranks[rank];
    const Block block = own.blocks[place];
    const std::uint64_t gone = own.events - block.head.first;
    own.blocks.resize(place);
    own.events -= gone;
    events -= gone;
    lost += gone;
    header.ranks[rank].dropped += gone;
    cut(rank);
    warnings.push_back(input.at_position(block.at, "this block of " + name_of(rank) + " cannot be read: " + reason + ". Its last " +
                                                       counted(gone, "event") + " are lost." + next_step));
  }

  Input input;
  Header header;
  std::vector<Signature> signatures;
  std::vector<RankBlocks> ranks;
  std::vector<std::string> warnings;
  std::uint64_t events = 0, lost = 0, lost_signatures = 0;
  std::uint32_t last_rank = 0;  ///< of the last block of events
};

Reader::Reader(const std::filesystem::path &file) : state_(std::make_unique<State>(file)) {}
Reader::Reader(Reader &&) noexcept = default;
Reader::~Reader() = default;

const Header &Reader::header() const { return state_->header; }
const std::vector<Signature> &Reader::signatures() const { return state_->signatures; }
std::uint64_t Reader::events(std::uint32_t rank_index) const { return state_->ranks.at(rank_index).events; }
std::uint64_t Reader::events() const { return state_->events; }
std::uint64_t Reader::lost() const { return state_->lost; }
const std::vector<std::string> &Reader::warnings() const { return state_->warnings; }

void Reader::read(std::uint32_t rank_index, const std::function<void(std::span<const Event>)> &take) {
  State &state = *state_;
  std::vector<Event> events;
  const Dictionary known{state.signatures.size(), state.header.regions.size()};
  for (std::size_t i = 0; i < state.ranks.at(rank_index).blocks.size(); ++i) {
    const Block &block = state.ranks[rank_index].blocks[i];
    try {
      decode_events(state.input.content(block), block.head, known, events);
    } catch (const Damage &damage) {
      return state.drop(rank_index, i, damage.reason);
    }
    take(events);
  }
}

Timeline load(const std::filesystem::path &file, std::vector<std::string> *warnings, std::uint64_t most_events) {
  Reader reader(file);
  if (reader.events() > most_events)
    throw Error(file.string() + ": has " + std::to_string(reader.events()) + " events, of which at most " +
                std::to_string(most_events) + " are read at once. Record a shorter time, or with a smaller --trace-limit.");
  Timeline timeline;
  timeline.signatures = reader.signatures();
  timeline.events.resize(reader.header().ranks.size());
  for (std::uint32_t rank = 0; rank < timeline.events.size(); ++rank) {
    std::vector<Event> &all = timeline.events[rank];
    all.reserve(reader.events(rank));
    reader.read(rank, [&all](std::span<const Event> events) { all.insert(all.end(), events.begin(), events.end()); });
  }
  timeline.header = reader.header();
  if (warnings) warnings->insert(warnings->end(), reader.warnings().begin(), reader.warnings().end());
  return timeline;
}

}  // namespace scope::timeline
