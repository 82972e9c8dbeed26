#include "analyze/message_flow.hpp"

#include <algorithm>
#include <tuple>

#include "analyze/timeline_roles.hpp"
#include "support/error.hpp"

namespace scope::analyze {
namespace {

using timeline::Event;
using timeline::Kind;
using timeline::none;
using timeline::Signature;

std::uint64_t place(std::int32_t world, std::int32_t rank) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(world)) << 32 | static_cast<std::uint32_t>(rank);
}

Act act_of(const Event &event, const Signature &what) {
  if (event.kind == Kind::region) return Act::none;
  if (event.kind != Kind::receive) return analyze::act_of(what);
  return what.comm >= 0 && what.peer >= 0 ? Act::receive : Act::none;
}

bool is_matched_receive(wire::Call call) { return call != wire::Call::none && wire::info(call).rule == wire::Rule::MRECV; }

/// Where receives took their places in the order.
class Postings {
 public:
  /// To be told of every event of a rank.
  void see(const Event &event, const Signature &what, std::uint32_t number) {
    const bool begins = is_matched_receive(what.call) && wire::info(what.call).mode != wire::Mode::BLOCKING;
    if (begins && event.start != none) probes_[number] = event.start;
  }
  /// Number of the event: a blocking receive itself, what posted it, or the MPI_Mprobe that took its message.
  std::uint32_t of(const Event &event, std::uint32_t number) const {
    if (event.start == none) return number;
    const auto probe = probes_.find(event.start);
    return probe == probes_.end() ? event.start : probe->second;
  }

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> probes_;  ///< of each MPI_Imrecv
};

}  // namespace

std::size_t MessageFlow::Hash::operator()(const Key &key) const {
  std::uint64_t hash =
      place(static_cast<std::int32_t>(key.source), static_cast<std::int32_t>(key.destination)) * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 29;
  hash = (hash + (place(key.comm, key.tag) << 1 | (key.partitioned ? 1 : 0))) * 0xbf58476d1ce4e5b9u;
  return hash ^ hash >> 32;
}

std::uint32_t MessageFlow::rank_index(std::int32_t world, std::int32_t rank) const {
  const auto at = ranks_.find(place(world, rank));
  return at == ranks_.end() ? none : at->second;
}

std::uint32_t MessageFlow::find(const Key &key) const {
  const auto at = channel_of_.find(key);
  return at == channel_of_.end() ? none : at->second;
}

std::uint32_t MessageFlow::add(const Key &key) {
  const auto [at, is_new] = channel_of_.try_emplace(key, static_cast<std::uint32_t>(channels_.size()));
  if (is_new) channels_.emplace_back();
  return at->second;
}

MessageFlow::MessageFlow(timeline::Reader &reader) : reader_(reader) {
  const auto &ranks = reader.header().ranks;
  for (std::uint32_t i = 0; i < ranks.size(); ++i)
    if (ranks[i].recorded) ranks_.emplace(place(ranks[i].world, ranks[i].rank), i);
  for (const timeline::Communicator &comm : reader.header().communicators)
    if (!comm.members.empty() || comm.remote_size > 0) comms_.insert(comm.id);
  for (std::uint32_t i = 0; i < ranks.size(); ++i) read(reader, i);
  drop_unsent();
}

void MessageFlow::read(timeline::Reader &reader, std::uint32_t rank) {
  first_receive_.push_back(static_cast<std::uint32_t>(ends_.size()));
  RankFlow flow(*this, rank);
  Postings postings;
  std::vector<Receive> receives;
  std::uint32_t number = 0;
  reader.read(rank, [&](std::span<const Event> events) {
    for (const Event &event : events) {
      const auto [send, receive] = flow.channels(event, [this](const Key &key) { return add(key); });
      if (send != none) ++channels_[send].sent;
      if (receive != none) {
        if (ends_.size() >= none) throw support::Error("the timeline has more messages than can be numbered");
        receives.push_back({receive, postings.of(event, number), static_cast<std::uint32_t>(ends_.size())});
        ends_.push_back(event.end);
      }
      if (event.kind == Kind::call) postings.see(event, reader.signatures()[event.what], number);
      ++number;
    }
  });
  settle(receives);
}

/// A channel has one destination, so its receives are all of one rank: they lie together.
void MessageFlow::settle(std::vector<Receive> &receives) {
  std::sort(receives.begin(), receives.end(), [](const Receive &a, const Receive &b) {
    return std::tie(a.channel, a.posted, a.number) < std::tie(b.channel, b.posted, b.number);
  });
  for (const Receive &receive : receives) {
    Channel &channel = channels_[receive.channel];
    if (channel.received++ == 0) channel.first = static_cast<std::uint32_t>(numbers_.size());
    numbers_.push_back(receive.number);
  }
}

void MessageFlow::drop_unsent() {
  for (const Channel &channel : channels_) {
    messages_ += std::min(channel.sent, channel.received);
    for (std::uint32_t i = channel.sent; i < channel.received; ++i) ends_[numbers_[channel.first + i]] = -1;
  }
}

RankFlow::RankFlow(const MessageFlow &flow, std::uint32_t rank) : flow_(flow), rank_(rank), receives_(flow.first_receive_[rank]) {}

template <class Lookup>
RankFlow::Messages RankFlow::channels(const Event &event, Lookup lookup) {
  Messages found;
  if (event.kind == Kind::region) return found;
  const Signature &what = flow_.reader_.signatures()[event.what];
  const Act act = act_of(event, what);
  if (act != Act::send && act != Act::receive) return found;
  const auto [at, is_new] = (act == Act::send ? sends_known_ : receives_known_).try_emplace(event.what, none);
  if (is_new) {
    const std::uint32_t peer = flow_.rank_index(flow_.reader_.header().ranks[rank_].world, what.peer);
    const wire::Call operation = operation_of(what);
    const bool partitioned = operation != wire::Call::none && is_partitioned(wire::info(operation));
    MessageFlow::Key key{rank_, peer, what.comm, what.tag, partitioned};
    if (act == Act::receive) std::swap(key.source, key.destination);
    if (peer != none && flow_.comms_.contains(what.comm)) at->second = lookup(key);
  }
  (act == Act::send ? found.sent : found.received) = at->second;
  return found;
}

RankFlow::Messages RankFlow::next(const Event &event) {
  const auto [send, receive] = channels(event, [this](const MessageFlow::Key &key) { return flow_.find(key); });
  Messages found;
  if (send != none) {
    const MessageFlow::Channel &channel = flow_.channels_[send];
    const std::uint32_t i = sent_[send]++;
    if (i < channel.received && i < channel.sent) found.sent = flow_.numbers_[channel.first + i];
  }
  if (receive != none) {
    if (receives_ < flow_.ends_.size() && flow_.ends_[receives_] >= 0) found.received = receives_;
    ++receives_;
  }
  return found;
}

}  // namespace scope::analyze
