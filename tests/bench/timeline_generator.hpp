#pragma once
// Timelines of many ranks whose waits are known: a ring of ranks that exchange halos (MPI_Irecv, MPI_Isend, MPI_Waitall), sum up
// (MPI_Allreduce) and now and then hear from rank 0 (MPI_Bcast), with delays drawn at random. The program is run in thought: a
// message needs transfer_ns, a call that waits for nothing takes call_ns.

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "timeline/timeline.hpp"

namespace scope::bench {

/// What the analysis must find, sums over all ranks.
struct KnownWaits {
  std::int64_t late_sender = 0, wait_nxn = 0, late_broadcast = 0;
  std::int64_t messages = 0, collectives = 0;
  std::int64_t sum() const { return late_sender + wait_nxn + late_broadcast; }
};

class RingGenerator {
 public:
  static constexpr std::int64_t work_ns = 50'000, call_ns = 200, transfer_ns = 3'000;
  static constexpr int broadcast_every = 4;

  /// At least three ranks, so that the neighbours are two. About `events` events a rank.
  RingGenerator(std::int32_t ranks, std::size_t events, std::uint64_t seed)
      : random_(seed), now_(static_cast<std::size_t>(ranks), 0) {
    result.header.regions = {"step"};
    result.header.communicators = {{0, 0, ranks, 0, {}}};
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      result.header.communicators[0].members.push_back(rank);
      timeline::RankInfo info;
      info.rank = rank;
      result.header.ranks.push_back(info);
    }
    make_signatures(ranks);
    result.events.resize(now_.size());
    for (auto &list : result.events) list.reserve(events + events_of_a_step);
    for (int step = 0; result.events[0].size() + events_of_a_step <= events; ++step) run(step);
    const std::int64_t end = *std::max_element(now_.begin(), now_.end());
    for (auto &info : result.header.ranks) info.end = info.to = end;
  }

  timeline::Timeline result;
  KnownWaits known;

 private:
  static constexpr std::size_t events_of_a_step = 11;
  enum Kinds : std::uint32_t { irecv, isend, wait_receive, wait_send, kinds };

  void make_signatures(std::int32_t ranks) {
    using wire::Call;
    for (auto [call, request] : {std::pair{Call::MPI_Irecv, Call::none},
                                 {Call::MPI_Isend, Call::none},
                                 {Call::MPI_Waitall, Call::MPI_Irecv},
                                 {Call::MPI_Waitall, Call::MPI_Isend}})
      for (std::int32_t peer = 0; peer < ranks; ++peer) result.signatures.push_back({call, request, 0, peer, -1, 1, 8192, 0});
    result.signatures.push_back({Call::MPI_Allreduce, Call::none, 0, -1, -1, -1, 8, 0});
    result.signatures.push_back({Call::MPI_Bcast, Call::none, 0, -1, 0, -1, 64, 0});
  }

  std::uint32_t what(Kinds kind, std::size_t peer) const { return static_cast<std::uint32_t>(kind * now_.size() + peer); }
  std::uint32_t allreduce() const { return static_cast<std::uint32_t>(kinds * now_.size()); }
  std::size_t left(std::size_t rank) const { return (rank + now_.size() - 1) % now_.size(); }
  std::size_t right(std::size_t rank) const { return (rank + 1) % now_.size(); }

  void add(std::size_t rank, std::int64_t begin, std::int64_t end, std::uint32_t signature,
           timeline::Kind kind = timeline::Kind::call, std::size_t start = timeline::none) {
    result.events[rank].push_back({begin, end, signature, static_cast<std::uint32_t>(start), 0, kind});
  }

  void run(int step) {
    begin_ = now_;
    for (std::size_t rank = 0; rank < now_.size(); ++rank) {
      // One rank in eight is late, by up to twice the work.
      const auto late = random_() % 8 == 0 ? static_cast<std::int64_t>(random_() % (2 * work_ns)) : 0;
      now_[rank] += work_ns + late;
    }
    exchange();
    sum_up();
    if (step % broadcast_every == 0) broadcast();
  }

  void exchange() {
    posted_ = now_;
    for (std::size_t rank = 0; rank < now_.size(); ++rank) {
      // Its end is known last, but it is the first of its step.
      result.events[rank].push_back({begin_[rank], posted_[rank], 0, timeline::none, 0, timeline::Kind::region});
      for (auto [kind, peer] : {std::pair{irecv, left(rank)}, {irecv, right(rank)}, {isend, left(rank)}, {isend, right(rank)}}) {
        add(rank, now_[rank], now_[rank] + call_ns, what(kind, peer));
        now_[rank] += call_ns;
      }
      known.messages += 2;
    }
    for (std::size_t rank = 0; rank < now_.size(); ++rank) {
      // To the left goes the third of the four calls, to the right the last.
      const std::int64_t sent = std::max(posted_[left(rank)] + 3 * call_ns, posted_[right(rank)] + 2 * call_ns);
      const std::int64_t begin = now_[rank], end = std::max(begin + call_ns, sent + transfer_ns);
      known.late_sender += std::max<std::int64_t>(0, sent - begin);
      const std::size_t first = result.events[rank].size() - 4;
      add(rank, begin, end, what(wait_receive, left(rank)), timeline::Kind::call, first);
      add(rank, begin, end, what(wait_receive, right(rank)), timeline::Kind::completion, first + 1);
      add(rank, begin, end, what(wait_send, left(rank)), timeline::Kind::completion, first + 2);
      add(rank, begin, end, what(wait_send, right(rank)), timeline::Kind::completion, first + 3);
      now_[rank] = end;
    }
  }

  void sum_up() {
    const std::int64_t last = *std::max_element(now_.begin(), now_.end());
    for (std::size_t rank = 0; rank < now_.size(); ++rank) {
      add(rank, now_[rank], last + transfer_ns, allreduce());
      known.wait_nxn += last - now_[rank];
      now_[rank] = last + transfer_ns;
    }
    ++known.collectives;
    for (std::int64_t &now : now_) now += static_cast<std::int64_t>(random_() % 1000);
  }

  void broadcast() {
    const std::int64_t root = now_[0];
    for (std::size_t rank = 0; rank < now_.size(); ++rank) {
      const std::int64_t end = std::max(now_[rank], root) + transfer_ns;
      add(rank, now_[rank], end, allreduce() + 1);
      known.late_broadcast += std::max<std::int64_t>(0, root - now_[rank]);
      now_[rank] = end;
    }
    ++known.collectives;
  }

  std::mt19937_64 random_;
  std::vector<std::int64_t> now_, begin_, posted_;
};

}  // namespace scope::bench
