// Which send belongs to which receive, from a file.

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "analyze/message_flow.hpp"
#include "analyze/timeline_matching.hpp"
#include "temporary_directory.hpp"
#include "timeline_sample.hpp"

using namespace scope::analyze;
using scope::timeline::Event;
using scope::timeline::Header;
using scope::timeline::Kind;
using scope::timeline::Reader;
using scope::timeline::Signature;
using scope::timeline::Timeline;
using scope::wire::Call;

namespace {

/// Timelines by hand: an event lasts 10 ns, events of a rank begin every 100 ns.
struct Line {
  Timeline line;
  explicit Line(int ranks, int worlds = 1) {
    for (int world = 0; world < worlds; ++world)
      for (int rank = 0; rank < ranks; ++rank) line.header.ranks.push_back({.world = world, .rank = rank, .host = "node"});
    line.header.regions = {"region"};
    line.header.communicators = {{0, 0, ranks, 0, {0, 1}}, {7, 0, ranks, 0, {0, 1}}, {8, 0, ranks, 0, {}}};  // 8 stands for many
    line.events.resize(line.header.ranks.size());
  }
  /// Returns the number of the event.
  std::uint32_t add(std::size_t rank, const Signature &what, std::uint32_t start = none, Kind kind = Kind::call) {
    auto &events = line.events[rank];
    std::int64_t begin = events.empty() ? 0 : events.back().begin + 100;
    if (kind != Kind::call && kind != Kind::region) begin = events.back().begin;
    line.signatures.push_back(what);
    events.push_back({.begin = begin,
                      .end = begin + 10,
                      .what = static_cast<std::uint32_t>(line.signatures.size() - 1),
                      .start = start,
                      .kind = kind});
    if (kind == Kind::region) events.back().what = 0;
    return static_cast<std::uint32_t>(events.size() - 1);
  }
  std::uint32_t isend(std::size_t rank, int to, int tag = 0, int comm = 0) {
    return add(rank, {.call = Call::MPI_Isend, .comm = comm, .peer = to, .tag = tag, .bytes = 8});
  }
  std::uint32_t irecv(std::size_t rank, int from = -1, int tag = -1) {
    return add(rank, {.call = Call::MPI_Irecv, .comm = 0, .peer = from, .tag = tag});
  }
  std::uint32_t wait(std::size_t rank, std::uint32_t start, int from, int tag = 0, Call request = Call::MPI_Irecv,
                     Kind kind = Kind::call) {
    return add(rank, {.call = Call::MPI_Waitall, .request_call = request, .comm = 0, .peer = from, .tag = tag, .bytes = 8}, start,
               kind);
  }
  std::uint32_t recv(std::size_t rank, int from, int tag = 0, int comm = 0) {
    return add(rank, {.call = Call::MPI_Recv, .comm = comm, .peer = from, .tag = tag, .bytes = 8});
  }

  /// Rank and number of the send to those of the receive.
  using Pairs = std::map<std::pair<std::size_t, std::size_t>, std::pair<std::size_t, std::size_t>>;
  Pairs matched() const {
    scope::test::TemporaryDirectory directory;
    scope::test::write_timeline(directory.path / "a", line);
    Reader reader(directory.path / "a");
    const MessageFlow flow(reader);
    std::map<MessageNumber, std::pair<std::size_t, std::size_t>> sent, received;
    for (std::uint32_t rank = 0; rank < line.events.size(); ++rank) {
      RankFlow messages(flow, rank);
      for (std::size_t i = 0; i < line.events[rank].size(); ++i) {
        const auto found = messages.next(line.events[rank][i]);
        if (found.sent != none) {
          EXPECT_TRUE(sent.emplace(found.sent, std::pair(rank, i)).second) << "one send a message";
        }
        if (found.received == none) continue;
        EXPECT_TRUE(received.emplace(found.received, std::pair(rank, i)).second) << "one receive a message";
        EXPECT_EQ(flow.received_at(found.received), line.events[rank][i].end);
      }
    }
    EXPECT_EQ(sent.size(), received.size());
    EXPECT_EQ(flow.messages(), sent.size());
    Pairs pairs;
    for (const auto &[number, send] : sent) pairs[send] = received[number];
    return pairs;
  }
};

TEST(MessageFlow, ByOrderOfPostingNotOfCompletion) {
  Line line(2);
  line.isend(0, 1);
  line.isend(0, 1);
  const auto first = line.irecv(1), second = line.irecv(1, 0, 0);
  line.add(1, {}, none, Kind::region);
  const auto later = line.wait(1, second, 0), earlier = line.wait(1, first, 0);
  EXPECT_EQ(line.matched(), (Line::Pairs{{{0, 0}, {1, earlier}}, {{0, 1}, {1, later}}}));
}

TEST(MessageFlow, ApartByTagCommunicatorAndSource) {
  Line line(3);
  line.isend(0, 2, 1);
  line.isend(0, 2, 2);
  line.isend(0, 2, 2, 7);
  line.isend(1, 2, 2);
  line.recv(2, 0, 2, 7);
  line.recv(2, 1, 2);
  line.recv(2, 0, 2);
  line.recv(2, 0, 1);
  EXPECT_EQ(line.matched(), (Line::Pairs{{{0, 0}, {2, 3}}, {{0, 1}, {2, 2}}, {{0, 2}, {2, 0}}, {{1, 0}, {2, 1}}}));
}

TEST(MessageFlow, CompletionsAndReceivingHalves) {
  Line line(2);
  const Signature half{.call = Call::MPI_Sendrecv, .comm = 0, .peer = 1, .tag = 3, .bytes = 8};
  line.add(0, {.call = Call::MPI_Sendrecv, .comm = 0, .peer = 1, .tag = 4, .bytes = 8});
  const auto received = line.add(0, half, none, Kind::receive);
  line.isend(1, 0, 3);
  const auto a = line.irecv(1), b = line.irecv(1);
  line.isend(0, 1, 4);
  line.wait(1, 0, 0, 3, Call::MPI_Isend);  // a send that ends
  const auto first = line.wait(1, a, 0, 4, Call::MPI_Irecv, Kind::completion),
             second = line.wait(1, b, 0, 4, Call::MPI_Irecv, Kind::completion);
  EXPECT_EQ(line.matched(), (Line::Pairs{{{0, 0}, {1, first}}, {{0, 2}, {1, second}}, {{1, 0}, {0, received}}}));
}

TEST(MessageFlow, NonblockingSendrecv) {
  Line line(1);
  const auto both = line.add(0, {.call = Call::MPI_Isendrecv, .comm = 0, .peer = 0, .tag = 1, .bytes = 8});
  line.wait(0, both, 0, 1, Call::MPI_Isendrecv);
  const auto received = line.add(
      0, {.call = Call::MPI_Waitall, .request_call = Call::MPI_Isendrecv, .comm = 0, .peer = 0, .tag = 1}, both, Kind::receive);
  EXPECT_EQ(line.matched(), (Line::Pairs{{{0, both}, {0, received}}}));
}

TEST(MessageFlow, PersistentOnesAreStarted) {
  Line line(2);
  line.add(0, {.call = Call::MPI_Send_init, .comm = 0, .peer = 1, .tag = 0, .bytes = 8});
  auto start = [&](std::size_t rank, Call request, int peer, Kind kind = Kind::call) {
    return line.add(rank, {.call = Call::MPI_Startall, .request_call = request, .comm = 0, .peer = peer, .tag = peer < 0 ? -1 : 0},
                    none, kind);
  };
  const auto sent = start(0, Call::MPI_Send_init, 1), again = start(0, Call::MPI_Send_init, 1, Kind::start);
  const auto a = start(1, Call::MPI_Recv_init, -1), b = start(1, Call::MPI_Recv_init, -1, Kind::start);
  const auto b_done = line.wait(1, b, 0, 0, Call::MPI_Recv_init), a_done = line.wait(1, a, 0, 0, Call::MPI_Recv_init);
  EXPECT_EQ(line.matched(), (Line::Pairs{{{0, sent}, {1, a_done}}, {{0, again}, {1, b_done}}}));
}

TEST(MessageFlow, MatchedProbesTakeTheMessage) {
  Line line(2);
  line.isend(0, 1);
  line.isend(0, 1);
  line.isend(0, 1);
  const Signature probe{.call = Call::MPI_Mprobe, .comm = 0, .peer = 0, .tag = 0};
  const auto first = line.add(1, probe), second = line.add(1, probe);
  const auto third = line.recv(1, 0);
  const auto posted = line.add(1, {.call = Call::MPI_Imrecv, .comm = 0, .peer = 0, .tag = 0}, second);
  const auto first_done = line.add(1, {.call = Call::MPI_Mrecv, .comm = 0, .peer = 0, .tag = 0}, first);
  const auto second_done = line.wait(1, posted, 0, 0, Call::MPI_Imrecv);
  EXPECT_EQ(line.matched(), (Line::Pairs{{{0, 0}, {1, first_done}}, {{0, 1}, {1, second_done}}, {{0, 2}, {1, third}}}));
}

TEST(MessageFlow, PartitionedOnesMatchEachOther) {
  Line line(2);
  line.add(0, {.call = Call::MPI_Start, .request_call = Call::MPI_Psend_init, .comm = 0, .peer = 1, .tag = 0});
  line.isend(0, 1);
  const auto plain = line.recv(1, 0);
  const auto started = line.add(1, {.call = Call::MPI_Start, .request_call = Call::MPI_Precv_init, .comm = 0, .peer = 0, .tag = 0});
  const auto done = line.wait(1, started, 0, 0, Call::MPI_Precv_init);
  EXPECT_EQ(line.matched(), (Line::Pairs{{{0, 0}, {1, done}}, {{0, 1}, {1, plain}}}));
}

TEST(MessageFlow, WhatHasNoOtherSideIsLeftOut) {
  Line line(2, 2);  // worlds of two ranks: 0 and 1 are apart from 2 and 3
  line.isend(0, 1);
  line.isend(0, 1);
  line.isend(0, -1);
  line.isend(0, 1, 0, 8);
  line.recv(1, 0, 0, 8);
  line.isend(0, 5);
  line.recv(1, 0);
  line.irecv(1, 0);
  line.recv(3, 0);
  line.recv(3, 0);
  line.isend(2, 1);
  EXPECT_EQ(line.matched(), (Line::Pairs{{{0, 0}, {1, 1}}, {{2, 0}, {3, 0}}}));
}

/// Random traffic: what is sent is received in the order of posting, and completed in any.
Timeline random_traffic(std::uint32_t seed) {
  constexpr int ranks = 5;
  std::mt19937 random(seed);
  Line line(ranks);
  std::vector<std::vector<std::pair<std::uint32_t, std::pair<int, int>>>> posted(ranks);
  for (int i = 0; i < 400; ++i) {
    const int from = static_cast<int>(random() % ranks), to = static_cast<int>(random() % ranks), tag = static_cast<int>(random() % 3);
    const auto source = static_cast<std::size_t>(from), destination = static_cast<std::size_t>(to);
    if (random() % 10 > 0) line.isend(source, to, tag);  // some are missing
    if (random() % 3 == 0) {
      line.recv(destination, from, tag);
    } else if (random() % 10 > 0) {
      posted[destination].push_back({line.irecv(destination), {from, tag}});
    }
    auto &open = posted[random() % ranks];
    const auto rank = static_cast<std::size_t>(&open - posted.data());
    for (Kind kind = Kind::call; !open.empty() && random() % 4 > 0; kind = Kind::completion) {
      const auto at = open.begin() + static_cast<std::ptrdiff_t>(random() % open.size());
      line.wait(rank, at->first, at->second.first, at->second.second, Call::MPI_Irecv, kind);
      open.erase(at);
    }
  }
  return line.line;
}

TEST(MessageFlow, IsWhatTheAnalysisFindsInMemory) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    Line line(5);
    line.line = random_traffic(seed);
    const Recording recording(line.line);
    const Matches matches = match(recording);
    Line::Pairs expected;
    for (std::size_t rank = 0; rank < 5; ++rank)
      for (std::size_t i = 0; i < line.line.events[rank].size(); ++i) {
        const auto number = static_cast<std::uint32_t>(recording.first[rank] + i);
        if (recording.act(line.line.events[rank][i]) != Act::send || matches.partner[number] == none) continue;
        std::size_t to = 0;
        while (matches.partner[number] >= recording.first[to + 1]) ++to;
        expected[{rank, i}] = {to, matches.partner[number] - recording.first[to]};
      }
    EXPECT_GT(expected.size(), 150u);
    EXPECT_EQ(line.matched(), expected) << "seed " << seed;
  }
}

}  // namespace
