#include <gtest/gtest.h>
#include <sys/resource.h>

#include <random>

#include "expect_error.hpp"
#include "temporary_directory.hpp"
#include "timeline/file.hpp"
#include "timeline_sample.hpp"

using namespace scope::timeline;
using scope::test::error_of;
using scope::test::small_timeline;
using scope::test::TemporaryDirectory;
using scope::test::write_timeline;
using scope::wire::Call;

namespace {

namespace fs = std::filesystem;

void expect_equal(const Timeline &is, const Timeline &should) {
  EXPECT_EQ(is.header, should.header);
  EXPECT_EQ(is.signatures, should.signatures);
  ASSERT_EQ(is.events.size(), should.events.size());
  for (std::size_t rank = 0; rank < is.events.size(); ++rank)
    EXPECT_TRUE(is.events[rank] == should.events[rank]) << "rank " << rank;
}

/// A header with so many ranks on one node, each with the same host.
Header header_of(std::size_t ranks) {
  Header header;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    header.ranks.push_back(
        {.rank = static_cast<int>(rank), .host = "node", .end = std::int64_t{1} << 62, .to = std::int64_t{1} << 62});
  header.regions = {"step"};
  return header;
}

/// What an iterative code records: a region, two sends, two receives, a wait for four, a reduction. Times have random low bits.
std::vector<Event> halo_exchange(std::size_t steps, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Event> events;
  std::int64_t now = 1000;
  auto bits = [&random] { return static_cast<std::int64_t>(random() & ((2u << (10 + random() % 5)) - 1)); };  // 10 to 14, about
  auto call = [&](std::uint32_t what, Kind kind = Kind::call) {
    now += bits();
    events.push_back({.begin = now, .end = now + bits(), .what = what, .kind = kind});
    now = events.back().end;
  };
  for (std::size_t step = 0; step < steps; ++step) {
    call(0, Kind::region);
    const auto first = static_cast<std::uint32_t>(events.size());
    for (std::uint32_t what = 0; what < 4; ++what) call(what);
    call(4);
    for (std::uint32_t i = 0; i < 4; ++i) {
      if (i > 0) {
        events.push_back(events.back());
        events.back().kind = Kind::completion;
      }
      events.back().what = 4 + i;
      events.back().start = first + i;
    }
    call(8);
  }
  return events;
}

std::vector<Signature> halo_signatures() {
  std::vector<Signature> signatures;
  for (const Call call : {Call::MPI_Irecv, Call::MPI_Isend, Call::MPI_Waitall})
    for (int peer : {1, 2}) signatures.push_back({.call = call, .comm = 0, .peer = peer, .tag = 5, .bytes = 8192});
  for (int peer : {1, 2})
    signatures.push_back(
        {.call = Call::MPI_Waitall, .request_call = Call::MPI_Isend, .comm = 0, .peer = peer, .tag = 5, .bytes = 8192});
  signatures.push_back({.call = Call::MPI_Allreduce, .comm = 0, .bytes = 8});
  return signatures;
}

TEST(TimelineFile, ComesBackAsItWas) {
  TemporaryDirectory directory;
  const Timeline line = small_timeline();
  write_timeline(directory.path / "a.timeline", line);
  expect_equal(load(directory.path / "a.timeline"), line);
  EXPECT_EQ(directory.entries(), 1u) << "nothing is left beside it";

  Reader reader(directory.path / "a.timeline");
  EXPECT_EQ(reader.events(), 11u);
  EXPECT_EQ(reader.events(0), 9u);
  EXPECT_EQ(reader.events(1), 2u);
  EXPECT_EQ(reader.lost(), 0u);
  EXPECT_TRUE(reader.warnings().empty());
}

TEST(TimelineFile, HoldsExtremes) {
  constexpr std::int64_t latest = (std::int64_t{1} << 62) + 12345;
  Timeline line;
  line.header = header_of(3);
  line.header.regions = {"a", "b\xff\"\n"};
  line.signatures = {{.call = Call::MPI_Send,
                      .comm = 2147483647,
                      .peer = -2147483647 - 1,
                      .root = 5,
                      .tag = -2,
                      .bytes = -9223372036854775807 - 1,
                      .site = 0xffffffffu},
                     {.call = Call::none, .bytes = 9223372036854775807},
                     {}};
  line.events = {{{.begin = 0, .end = latest, .what = 1, .thread = 65535, .kind = Kind::region},
                  {.begin = 0, .end = 0, .what = 2, .thread = 0},
                  {.begin = 5, .end = latest, .what = 0, .start = 0, .thread = 0},
                  {.begin = 6, .end = 7, .what = 0, .start = 1, .thread = 0},                       // ends before the one before it
                  {.begin = 6, .end = 9, .what = 0, .thread = 0, .kind = Kind::completion},         // times of its own
                  {.begin = 6, .end = 9, .what = 0, .thread = 0, .kind = Kind::start},
                  {.begin = 6, .end = 9, .what = 0, .start = 0, .thread = 9, .kind = Kind::receive},  // with no call before it
                  {.begin = latest, .end = latest, .what = 1, .thread = 65535}},
                 {},
                 {{.begin = latest, .end = latest, .what = 0, .kind = Kind::completion}}};
  TemporaryDirectory directory;
  write_timeline(directory.path / "a", line);
  line.header.regions[1] = "b\xef\xbf\xbd\"\n";
  expect_equal(load(directory.path / "a"), line);
}

TEST(TimelineFile, HoldsNothing) {
  TemporaryDirectory directory;
  write_timeline(directory.path / "a", {});
  expect_equal(load(directory.path / "a"), {});
  Timeline silent;
  silent.header = header_of(4);
  silent.header.ranks[2].recorded = false;
  silent.events.resize(4);
  write_timeline(directory.path / "a", silent);
  expect_equal(load(directory.path / "a"), silent);
}

TEST(TimelineFile, HoldsManyBlocksAndGrowingSignatures) {
  TemporaryDirectory directory;
  Timeline line;
  line.header = header_of(3);
  line.events.resize(3);
  Writer writer(directory.path / "a", line.header);
  std::mt19937 random(1);
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    std::vector<std::int64_t> free_at(7);
    std::int64_t now = 0;
    for (int part = 0; part < 20; ++part) {
      for (int i = 0; i < 300; ++i)
        line.signatures.push_back({.call = Call::MPI_Send, .peer = i, .tag = part, .bytes = static_cast<int>(random())});
      std::vector<Event> events;
      for (int i = 0; i < 10'007; ++i) {
        Event event;
        event.thread = static_cast<std::uint16_t>(random() % 7);
        event.begin = now += static_cast<std::int64_t>(random() % 5000);
        event.end = event.begin + static_cast<std::int64_t>(random());
        event.what = random() % static_cast<std::uint32_t>(line.signatures.size());
        const auto number = static_cast<std::uint32_t>(line.events[rank].size() + events.size());
        event.start = number > 0 && random() % 2 ? random() % number : none;
        events.push_back(event);
      }
      writer.add(rank, events, line.signatures);
      line.events[rank].insert(line.events[rank].end(), events.begin(), events.end());
    }
  }
  writer.finish();
  expect_equal(load(directory.path / "a"), line);

  Reader reader(directory.path / "a");  // one rank alone, in blocks, and another one meanwhile
  std::vector<std::size_t> lengths;
  reader.read(2, [&](std::span<const Event> events) {
    EXPECT_EQ(events.front(), line.events[2][lengths.size() * 65536]);
    lengths.push_back(events.size());
    std::size_t inner = 0;
    if (lengths.size() == 1) reader.read(1, [&inner](std::span<const Event> others) { inner += others.size(); });
    EXPECT_EQ(inner, lengths.size() == 1 ? 200'140u : 0u);
  });
  EXPECT_EQ(lengths, (std::vector<std::size_t>{65536, 65536, 65536, 3532}));
}

TEST(TimelineFile, TakesAtMostSixBytesAnEvent) {
  TemporaryDirectory directory;
  Writer writer(directory.path / "a", header_of(4));
  std::size_t events = 0;
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    const auto own = halo_exchange(20'000, rank);
    writer.add(rank, own, halo_signatures());
    events += own.size();
  }
  writer.finish();
  EXPECT_EQ(events, 4u * 20'000 * 10);
  const double each = static_cast<double>(fs::file_size(directory.path / "a")) / static_cast<double>(events);
  EXPECT_LE(each, 6.0);
  RecordProperty("bytes_per_event", std::to_string(each));
}

TEST(TimelineFile, RefusesWhatIsOutOfOrder) {
  TemporaryDirectory directory;
  const fs::path file = directory.path / "a";
  auto error = [&](std::vector<Event> events, std::uint32_t rank = 0) {
    return error_of([&] {
      Writer writer(file, header_of(1));
      writer.add(rank, events, {});
    });
  };
  EXPECT_EQ(error({{.begin = 5, .end = 6}, {.begin = 4, .end = 9}}),
            file.string() + ": the events of rank 0 are not in order: 4 ns to 9 ns comes after 5 ns.");
  EXPECT_EQ(error({{.begin = -1, .end = 6}}),
            file.string() + ": the events of rank 0 are not in order: -1 ns to 6 ns comes after 0 ns.");
  EXPECT_EQ(error({{.begin = 7, .end = 6}}),
            file.string() + ": the events of rank 0 are not in order: 7 ns to 6 ns comes after 0 ns.");
  EXPECT_EQ(error({}, 1), file.string() + ": rank 1 is not in the header of this timeline.");
  EXPECT_EQ(directory.entries(), 0u) << "what was not finished is gone";
}

TEST(TimelineFile, StartsThatAreNotBeforeTheEventAreNone) {
  TemporaryDirectory directory;
  Timeline line;
  line.header = header_of(1);
  line.signatures = {{.call = Call::MPI_Wait}};
  line.events = {{{.start = 0}, {.start = 7}, {.start = 1}}};
  write_timeline(directory.path / "a", line);
  line.events[0][0].start = line.events[0][1].start = none;
  expect_equal(load(directory.path / "a"), line);
}

TEST(TimelineFile, FullDiskIsAMessage) {
  TemporaryDirectory directory;
  const fs::path file = directory.path / "new" / "a";
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small{5000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string error = error_of([&] {
    Writer writer(file, header_of(1));
    writer.add(0, halo_exchange(7000, 1), halo_signatures());
    writer.finish();
  });
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(error, "cannot write " + file.string() + ": File too large; raise the file size limit (ulimit -f)");
  EXPECT_EQ(directory.entries(), 0u);
  EXPECT_EQ(error_of([] { write_timeline("/dev/full", {}); }),
            "cannot write /dev/full: No space left on device; free some space there or choose a file on another disk");
}

TEST(TimelineFile, IsBoundedWhenLoaded) {
  TemporaryDirectory directory;
  const fs::path file = directory.path / "a";
  write_timeline(file, small_timeline());
  EXPECT_EQ(error_of([&] { load(file, nullptr, 10); }),
            file.string() +
                ": has 11 events, of which at most 10 are read at once. Record a shorter time, or with a smaller --trace-limit.");
  expect_equal(load(file, nullptr, 11), small_timeline());
}

}  // namespace
