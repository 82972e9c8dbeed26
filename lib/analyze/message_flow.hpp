#pragma once
// Messages of a timeline that is too long for the memory: which send belongs to which receive, in one pass over the file, with 12 bytes
// a received message and as much again for the receives of one rank at a time.

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "timeline/file.hpp"

namespace scope::analyze {

/// Number of a matched message, the same on both sides. timeline::none: no message, or one whose other side is not there.
using MessageNumber = std::uint32_t;

/// All messages. Those of a sender, communicator and tag are received in the order in which they were sent by the receives in the
/// order in which these were posted (MPI 4.1, 3.5; MPI_Mrecv: in which MPI_Mprobe found them, 3.8.2), whatever they name. Receives
/// that were cancelled or never completed take no part.
class MessageFlow {
 public:
  /// Reads the whole file. What is found damaged now is left out by later reads, too. `reader` must outlive this.
  explicit MessageFlow(timeline::Reader &reader);

  const timeline::Reader &reader() const { return reader_; }
  /// When the receive, or what completed it, ended: nanoseconds.
  std::int64_t received_at(MessageNumber message) const { return ends_[message]; }
  /// Matched ones.
  std::uint64_t messages() const { return messages_; }
  /// Index of a rank in the header; none.
  std::uint32_t rank_index(std::int32_t world, std::int32_t rank) const;

 private:
  friend class RankFlow;

  /// What messages are matched by. Source and destination are indices of ranks.
  struct Key {
    std::uint32_t source = 0, destination = 0;
    std::int32_t comm = 0, tag = 0;
    bool partitioned = false;  ///< those match each other only (MPI 4.1, 4.2)
    bool operator==(const Key &) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key &key) const;
  };
  struct Channel {
    std::uint32_t sent = 0, received = 0;
    std::uint32_t first = 0;  ///< place of its first receive in numbers_
  };
  /// A receive on the way to its place in the channel.
  struct Receive {
    std::uint32_t channel = 0, posted = 0, number = 0;
  };

  void read(timeline::Reader &reader, std::uint32_t rank);
  void settle(std::vector<Receive> &receives);
  void drop_unsent();
  std::uint32_t find(const Key &key) const;
  std::uint32_t add(const Key &key);

  const timeline::Reader &reader_;
  std::unordered_map<std::uint64_t, std::uint32_t> ranks_;  ///< from world and rank to the index
  std::unordered_set<std::int32_t> comms_;  ///< known ones, that don't stand for many
  std::unordered_map<Key, std::uint32_t, Hash> channel_of_;
  std::vector<Channel> channels_;
  std::vector<std::uint32_t> first_receive_;  ///< of each rank
  std::deque<std::int64_t> ends_;             ///< of receives by number: rank after rank, as they ended; -1 where nothing was sent
  std::deque<std::uint32_t> numbers_;         ///< of receives, by channel and order of posting
  std::uint64_t messages_ = 0;
};

/// The messages of one rank, found again while its events are read from the first one on.
class RankFlow {
 public:
  RankFlow(const MessageFlow &flow, std::uint32_t rank);

  struct Messages {
    MessageNumber sent = timeline::none;
    MessageNumber received = timeline::none;
  };
  /// What the event sends and receives. Calls must go through all events of the rank.
  Messages next(const timeline::Event &event);

 private:
  friend class MessageFlow;
  /// Channels by signature: one look-up for each.
  using Known = std::unordered_map<std::uint32_t, std::uint32_t>;

  /// The channels in which an event sends and receives, or none. `lookup` turns a key into a channel.
  template <class Lookup>
  Messages channels(const timeline::Event &event, Lookup lookup);

  const MessageFlow &flow_;
  std::uint32_t rank_;
  std::uint32_t receives_ = 0;
  Known sends_known_, receives_known_;
  std::unordered_map<std::uint32_t, std::uint32_t> sent_;  ///< messages so far, by channel
};

}  // namespace scope::analyze
