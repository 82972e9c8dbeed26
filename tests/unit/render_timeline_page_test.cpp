// The timeline of the HTML report: what is in the page, and that it stays within its bounds.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "../bench/timeline_generator.hpp"
#include "render/report.hpp"
#include "render/timeline_boxes.hpp"
#include "render/timeline_page.hpp"
#include "sample_profile.hpp"
#include "support/base64.hpp"
#include "support/error.hpp"
#include "support/gzip.hpp"
#include "temporary_directory.hpp"
#include "timeline_sample.hpp"

namespace {

using namespace scope;
using namespace scope::timeline;
using nlohmann::json;
using render::Box;
using render::Boxes;
using render::PageBounds;
using render::Row;

std::string from_base64(const std::string &text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int have = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<std::uint32_t>(digits.find(c));
    if ((have += 6) >= 8) bytes += static_cast<char>(bits >> (have -= 8) & 255);
  }
  return bytes;
}

std::vector<std::uint64_t> numbers_of(const std::string &columns) {
  std::vector<std::uint64_t> numbers;
  std::uint64_t value = 0;
  int shift = 0;
  for (const char c : support::gunzip(from_base64(columns), std::size_t{1} << 30)) {
    value |= static_cast<std::uint64_t>(c & 127) << shift;
    shift += 7;
    if (c & -128) continue;
    numbers.push_back(value);
    value = 0;
    shift = 0;
  }
  return numbers;
}

struct Page {
  json head;
  std::vector<std::uint64_t> numbers;
  std::vector<std::string> notes;
};

model::Profile profile_of(const Timeline &line) {
  model::Profile profile;
  for (const RankInfo &info : line.header.ranks) {
    model::Rank &row = profile.ranks.emplace_back();
    row.world = info.world;
    row.rank = info.rank;
  }
  return profile;
}

Page page_of(const Timeline &line, PageBounds bounds = {}, const std::string &ranks = "", const std::string &include = "") {
  test::TemporaryDirectory directory;
  test::write_timeline(directory.path / "a", line);
  Reader reader(directory.path / "a");
  const model::Profile profile = profile_of(line);
  const render::PageTimeline page = page_timeline(reader, profile, analyze::make_filter(profile, ranks, include, ""), bounds);
  return {json::parse(page.json), numbers_of(page.columns), page.notes};
}

TEST(Base64, IsAsInTheStandard) {
  const std::vector<std::pair<std::string, std::string>> known{{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"\xff\xfe\x80", "//6A"}};
  for (const auto &[bytes, text] : known) {
    EXPECT_EQ(support::base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
}

TEST(TimelinePage, HoldsEveryNumber) {
  const Page page = page_of(test::small_timeline());
  const std::vector<std::uint64_t> expected{
      // rows: lane, thread, depth + 1, boxes. Rank 0: calls, two depths of regions, calls of thread 1; rank 1: calls
      0, 0, 0, 4,  0, 0, 1, 1,  0, 0, 2, 1,  0, 1, 0, 1,  1, 0, 0, 2,
      20, 11, 9, 910,  10,  10,  25,  100, 4900,         // begins
      10, 4, 560, 250,  7990,  890,  1000,  4900, 0,     // durations
      0, 2, 4, 6,  0,  2,  8,  10, 0,                    // whats, none a block
      0, 0, 1, 0,  0,  0,  0,  0, 0,                     // the Waitall has one more request
      // signatures follow, looked at below
  };
  ASSERT_GE(page.numbers.size(), expected.size());
  EXPECT_EQ(std::vector<std::uint64_t>(page.numbers.begin(), page.numbers.begin() + static_cast<std::ptrdiff_t>(expected.size())), expected);
  const std::vector<std::uint64_t> rest(page.numbers.begin() + static_cast<std::ptrdiff_t>(expected.size()), page.numbers.end());
  ASSERT_EQ(rest.size(), 6u * 7 + 4);
  const auto number = [](wire::Call call) { return static_cast<std::uint64_t>(call) + 1; };
  EXPECT_EQ((std::vector<std::uint64_t>(rest.begin(), rest.begin() + 7)), (std::vector<std::uint64_t>{number(wire::Call::MPI_Isend), 0, 1, 2, 0, 14, 81}));
  EXPECT_EQ((std::vector<std::uint64_t>(rest.begin() + 14, rest.begin() + 21)),
            (std::vector<std::uint64_t>{number(wire::Call::MPI_Waitall), number(wire::Call::MPI_Isend), 1, 2, 0, 14, 81}));
  EXPECT_EQ(rest[21 + 5], 3u);                                      // a tag of -2
  EXPECT_EQ(rest[28 + 6], (std::uint64_t{1} << 40) + 1);             // bytes of the Bcast
  EXPECT_EQ((std::vector<std::uint64_t>(rest.end() - 4, rest.end())), (std::vector<std::uint64_t>{20, 2 * 4980, 0, 1}));  // the message
  EXPECT_EQ(page.head["boxes"], 9);
  EXPECT_EQ(page.head["blocks"], 0);
  EXPECT_EQ(page.head["to"], 9000);
  EXPECT_EQ(page.head["regions"], json({"solve", "solve/halo"}));
  EXPECT_EQ(page.head["lanes"]["to"], json({9000, 7000}));
  EXPECT_EQ(page.head["calls"][std::to_string(static_cast<int>(wire::Call::MPI_Recv))], (json{{"name", "MPI_Recv"}, {"kind", "point-to-point"}}));
  ASSERT_EQ(page.notes.size(), 2u);
  EXPECT_EQ(page.notes[0], "7 calls, 2 regions and 1 message of 2 ranks.");
  EXPECT_EQ(page.notes[1], "The timeline of 1 rank ends before the run (3 events missing): from there on the lane is hatched. --trace-limit makes room for more.");
}

TEST(TimelinePage, OfChosenRanksAndCalls) {
  const Page rank = page_of(test::small_timeline(), {}, "1");
  EXPECT_EQ(rank.head["lanes"]["rank"], json::array({1}));
  EXPECT_EQ(rank.head["messages"], 0);  // its other end is not there
  EXPECT_EQ(rank.notes[0], "2 calls and 0 messages of 1 rank.");
  const Page calls = page_of(test::small_timeline(), {}, "", "Waitall");
  EXPECT_EQ(calls.notes[0], "1 call, 2 regions and 0 messages of 2 ranks.");
  EXPECT_EQ(calls.head["signatures"], 1);
}

struct Sums {
  std::uint64_t calls = 0, regions = 0, boxes = 0;
  std::int64_t call_time = 0, region_time = 0;
  bool operator==(const Sums &) const = default;
};

Sums sums_of(const Boxes &boxes) {
  Sums sums;
  for (const auto &[row, list] : boxes.rows()) {
    sums.boxes += list.size();
    for (const Box &box : list) {
      (row.depth < 0 ? sums.calls : sums.regions) += box.count;
      (row.depth < 0 ? sums.call_time : sums.region_time) += box.time;
    }
  }
  return sums;
}

TEST(TimelineBoxes, ThinningKeepsSumsAndOrder) {
  const bench::RingGenerator ring(3, 20'000, 5);
  const std::vector<Event> &events = ring.result.events[1];
  Boxes all(1'000'000), few(2'000);
  for (const Event &event : events) {
    all.add(event);
    few.add(event);
  }
  const Sums whole = sums_of(all), thinned = sums_of(few);
  EXPECT_EQ(all.span(), -1);
  EXPECT_GT(whole.boxes, 10'000u);
  EXPECT_EQ(whole.boxes, whole.calls + whole.regions);
  EXPECT_LE(thinned.boxes, 2'000u);
  EXPECT_GE(thinned.boxes, 500u);
  EXPECT_EQ((Sums{thinned.calls, thinned.regions, 0, thinned.call_time, thinned.region_time}),
            (Sums{whole.calls, whole.regions, 0, whole.call_time, whole.region_time}));
  for (const auto &[row, list] : few.rows()) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      EXPECT_LE(list[i].time, list[i].end - list[i].begin);
      EXPECT_TRUE(list[i].count == 1 || list[i].end - list[i].begin <= few.span());
      EXPECT_TRUE(i == 0 || list[i - 1].end <= list[i].begin);
    }
  }
}

TEST(TimelineBoxes, ShortNeighboursBecomeABlockAndLongOnesStay) {
  Boxes boxes(4);
  std::vector<Event> events{{.begin = 0, .end = 5'000'000, .what = 9}};
  for (std::int64_t i = 0; i < 6; ++i) events.push_back({.begin = 6'000'000 + 100 * i, .end = 6'000'000 + 100 * i + 10 + i, .what = static_cast<std::uint32_t>(i)});
  events.push_back({.begin = 9'000'000, .end = 9'000'500, .what = 7});
  for (const Event &event : events) boxes.add(event);
  ASSERT_EQ(boxes.rows().size(), 1u);
  const std::vector<Box> &row = boxes.rows().begin()->second;
  ASSERT_EQ(row.size(), 3u);
  EXPECT_EQ(row[0], (Box{0, 5'000'000, 5'000'000, 5'000'000, 9, 1, 0}));
  EXPECT_EQ(row[1], (Box{6'000'000, 6'000'515, 6 * 10 + 15, 15, 5, 6, 0}));
  EXPECT_EQ(row[2], (Box{9'000'000, 9'000'500, 500, 500, 7, 1, 0}));
}

TEST(TimelineBoxes, StayFewWhateverRowsThereAre) {
  Boxes boxes(10);
  for (std::int64_t i = 0; i < 100'000; ++i)
    boxes.add({.begin = i, .end = i + 1'000'000'000 - i, .what = 0, .thread = static_cast<std::uint16_t>(i), .kind = i % 2 ? Kind::region : Kind::call});
  const Sums sums = sums_of(boxes);
  EXPECT_EQ(sums.calls + sums.regions, 100'000u);
  EXPECT_LE(sums.boxes, 256u * 17);
}

TEST(TimelinePage, OfALongRunStaysWithinItsBounds) {
  const bench::RingGenerator ring(8, 5'000, 3);
  const Page page = page_of(ring.result, {.boxes = 4'000, .messages = 100});
  EXPECT_LE(page.head["boxes"], 4'000);
  EXPECT_GE(page.head["boxes"], 1'000);
  EXPECT_GT(page.head["blocks"], 0);
  EXPECT_EQ(page.head["messages"], 100);
  std::uint64_t calls = 0, regions = 0;
  for (const auto &list : ring.result.events)
    for (const Event &event : list) {
      calls += event.kind == Kind::call;
      regions += event.kind == Kind::region;
    }
  const auto count = [](std::uint64_t number) { return number < 1000 ? std::to_string(number) : std::to_string(number / 1000) + "," + std::to_string(number % 1000 + 1000).substr(1); };
  EXPECT_EQ(page.notes[0], count(calls) + " calls, " + count(regions) + " regions and " + count(static_cast<std::uint64_t>(ring.known.messages)) + " messages of 8 ranks.");
  EXPECT_TRUE(page.notes[1].starts_with("That is more than a page can draw quickly: "));
  EXPECT_EQ(page.notes[2], "Of the messages, the 100 that took longest have arrows.");
  // The last 400 numbers are the messages; none that was left out took longer than the shortest of them.
  const std::vector<std::uint64_t> last(page.numbers.end() - 400, page.numbers.end());
  std::uint64_t shortest = ~std::uint64_t{0};
  for (std::size_t i = 0; i < 400; i += 4) shortest = std::min(shortest, last[i + 1] / 2);
  const Page all = page_of(ring.result);
  std::uint64_t longer = 0;
  for (std::size_t i = all.numbers.size() - 4 * all.head["messages"].get<std::size_t>(); i < all.numbers.size(); i += 4) longer += all.numbers[i + 1] / 2 > shortest;
  EXPECT_LE(longer, 100u);
}

TEST(ReportHtml, HoldsTheTimelineOrSaysWhyNot) {
  test::TemporaryDirectory directory;
  const std::string evil = "</script><script>alert(1)</script>{{data}}";
  Timeline line = test::small_timeline();
  line.header.regions = {evil, evil + "/\xff"};
  test::write_timeline(directory.path / "a", line);
  Reader reader(directory.path / "a");
  render::ReportOptions options;
  options.format = "html";
  options.timeline = &reader;
  model::Profile profile = test::sample_profile();
  profile.communicators[0].name = evil;
  const std::string page = render::report(profile, options);
  const auto count = [&page](const std::string &part) {
    std::size_t number = 0;
    for (std::size_t at = page.find(part); at != std::string::npos; at = page.find(part, at + 1)) ++number;
    return number;
  };
  EXPECT_EQ(count("<section id=\"timeline\""), 1u);
  EXPECT_EQ(count("<figure class=\"chart\" id=\"chart-timeline\" hidden></figure>"), 1u);
  EXPECT_EQ(count("<script type=\"text/plain\" id=\"timeline-data\">H4sI"), 1u);  // gzip
  EXPECT_EQ(count("<script"), 4u);
  EXPECT_EQ(count("</script"), 4u);
  options.timeline = nullptr;
  options.no_timeline = "The timeline <x> is not there.";
  const std::string without = render::report(profile, options);
  EXPECT_NE(without.find("<p class=\"note\">The timeline &lt;x&gt; is not there.</p>"), std::string::npos);
  EXPECT_EQ(without.find("timeline-data\">"), std::string::npos);
}

TEST(TimelinePage, DamageIsNamed) {
  test::TemporaryDirectory directory;
  const auto file = directory.path / "a";
  test::write_timeline(file, bench::RingGenerator(3, 4'000, 1).result);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  Reader reader(file);
  const model::Profile profile = profile_of(bench::RingGenerator(3, 40, 1).result);
  const render::PageTimeline page = render::page_timeline(reader, profile, {});
  ASSERT_FALSE(reader.warnings().empty());
  EXPECT_EQ(page.notes.back(), reader.warnings().back());
}

}  // namespace
