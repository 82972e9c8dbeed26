// The parts of collective operations.

#include <algorithm>
#include <map>
#include <tuple>

#include "analyze/timeline_matching.hpp"

namespace scope::analyze {
namespace {

using timeline::Event;
using timeline::Signature;

/// A sequence of operations that all ranks of a communicator go through in the same order.
struct Stream {
  std::int32_t comm = -1;
  std::int32_t world = 0;  ///< of MPI_Finalize
  Over over = Over::nobody;
  wire::Call persistent = wire::Call::none;  ///< each persistent operation is a sequence of its own
  auto operator<=>(const Stream &) const = default;
};

class Collectives {
 public:
  Collectives(const Recording &recording, Matches &matches) : recording_(recording), matches_(matches) {
    for (const Signature &signature : recording.timeline.signatures) streams_.push_back(stream_of(signature));
  }

  void match() {
    count();
    std::uint32_t number = 0;
    for (std::size_t stream = 0; stream < longest_.size(); ++stream) {
      starts_.push_back(number);
      number += longest_[stream];
    }
    matches_.operations.resize(number);
    number_events();
    gather();
    for (std::size_t stream = 0; stream < longest_.size(); ++stream) {
      expected_ = members_of(keys_[stream]);
      for (std::uint32_t i = 0; i < longest_[stream]; ++i) finish(matches_.operations[starts_[stream] + i]);
    }
  }

 private:
  std::uint32_t stream_of(const Signature &signature) {
    const std::size_t index = streams_.size();
    if (recording_.acts[index] != Act::collective) return none;
    const Over over = collective_over(wire::info(signature.call));
    if (over == Over::world) return none;  // its world is that of the rank
    const bool started = starts(wire::info(signature.call).rule);
    return number_of(
        {signature.comm, -1, started ? Over::communicator : over, started ? base_of(signature.request_call) : wire::Call::none});
  }

  std::uint32_t number_of(const Stream &key) {
    auto [at, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
    if (is_new) {
      keys_.push_back(key);
      longest_.push_back(0);
    }
    return at->second;
  }

  /// Calls fn(event, stream, place in it) for each part of a collective operation.
  template <class Function>
  void visit(std::uint32_t rank, Function fn) {
    const std::uint32_t finalize = number_of({-1, recording_.rank(rank).world, Over::world, wire::Call::none});
    std::vector<std::uint32_t> next(keys_.size(), 0);
    std::uint32_t number = recording_.first[rank];
    for (const Event &event : recording_.timeline.events[rank]) {
      if (event.kind != timeline::Kind::receive && recording_.act(event) == Act::collective) {
        const std::uint32_t stream = streams_[event.what] == none ? finalize : streams_[event.what];
        fn(number, stream, next[stream]++);
      }
      ++number;
    }
  }

  void count() {
    for (std::uint32_t rank = 0; rank < recording_.ranks(); ++rank)
      visit(rank, [this](std::uint32_t, std::uint32_t stream, std::uint32_t place) {
        longest_[stream] = std::max(longest_[stream], place + 1);
      });
  }

  void number_events() {
    std::uint32_t total = 0;
    for (std::uint32_t rank = 0; rank < recording_.ranks(); ++rank)
      visit(rank, [&](std::uint32_t event, std::uint32_t stream, std::uint32_t place) {
        matches_.partner[event] = starts_[stream] + place;
        ++matches_.operations[starts_[stream] + place].end;  // a number of members first
        ++total;
      });
    matches_.members.resize(total);
  }

  void gather() {
    std::uint32_t begin = 0;
    for (Operation &operation : matches_.operations) {
      const std::uint32_t size = operation.end;
      operation.begin = operation.end = begin;
      begin += size;
    }
    for (std::uint32_t rank = 0; rank < recording_.ranks(); ++rank)
      visit(rank, [this](std::uint32_t event, std::uint32_t stream, std::uint32_t place) {
        matches_.members[matches_.operations[starts_[stream] + place].end++] = event;
      });
  }

  /// How many ranks should take part; 0 where that is not known.
  std::uint32_t members_of(const Stream &stream) {
    std::uint32_t count = 0;
    ranks_of_.clear();
    if (stream.over == Over::world) {
      for (const timeline::RankInfo &rank : recording_.timeline.header.ranks)
        count += rank.world == stream.world && rank.recorded ? 1u : 0u;
      return count;
    }
    const timeline::Communicator *comm = recording_.communicator(stream.comm);
    if (comm->remote_size > 0) return static_cast<std::uint32_t>(comm->size + comm->remote_size);
    for (std::int32_t member : comm->members) {
      ranks_of_.push_back(recording_.find(comm->world, member));
      count += ranks_of_.back() == none ? 0u : 1u;
    }
    return count;
  }

  void finish(Operation &operation) {
    const std::uint32_t size = operation.end - operation.begin;
    if (size == 0) return;
    const Event &any = recording_.event(matches_.members[operation.begin]);
    const wire::Call what = base_of(operation_of(recording_.signature(any)));
    operation.shape = shape_of(wire::info(what));
    const std::uint32_t root = root_of(any);
    operation.whole = size == expected_;
    if (!operation.whole) ++matches_.notes.partial_collectives;
    bool same = true, inside = true;
    std::int64_t first = 0, last = 0;
    std::uint32_t rank = 0;
    for (std::uint32_t i = operation.begin; i < operation.end; ++i) {
      const std::uint32_t number = matches_.members[i];
      while (number >= recording_.first[rank + 1]) ++rank;
      const Event &event = recording_.event(rank, number);
      same = same && base_of(operation_of(recording_.signature(event))) == what;
      inside = inside && event.begin >= recording_.window.from && event.begin <= recording_.window.to;
      if (operation.last == none || event.begin > last) operation.last = number, last = event.begin;
      if (rank == root && root != none) operation.root = number;
      if (rank == root && operation.shape == Shape::all_to_root) continue;
      if (operation.first == none || event.begin < first) operation.first = number, first = event.begin;
    }
    if (!same) ++matches_.notes.mismatched_collectives;
    operation.whole = operation.whole && same && inside;
    if (operation.whole && size > 1) ++matches_.notes.collectives;
  }

  /// Index of the rank that the root argument names.
  std::uint32_t root_of(const Event &event) const {
    const std::int32_t root = recording_.signature(event).root;
    return root >= 0 && static_cast<std::size_t>(root) < ranks_of_.size() ? ranks_of_[static_cast<std::size_t>(root)] : none;
  }

  const Recording &recording_;
  Matches &matches_;
  std::map<Stream, std::uint32_t> numbers_;
  std::vector<Stream> keys_;
  std::vector<std::uint32_t> streams_;   ///< by signature
  std::vector<std::uint32_t> longest_;   ///< operations, by stream
  std::vector<std::uint32_t> starts_;    ///< number of the first operation, by stream
  std::vector<std::uint32_t> ranks_of_;  ///< of the stream that is looked at: index of each rank of the communicator
  std::uint32_t expected_ = 0;
};

}  // namespace

void match_collectives(const Recording &recording, Matches &matches) { Collectives(recording, matches).match(); }

}  // namespace scope::analyze
