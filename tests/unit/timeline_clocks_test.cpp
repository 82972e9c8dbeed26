#include "timeline/clocks.hpp"

#include <gtest/gtest.h>

using namespace scope::timeline;

namespace {

constexpr std::int64_t second = 1'000'000'000;

/// Of node "A", the launcher's, or "B": from 10 s to 20 s on its own clock unless said.
RankClock rank(const std::string &node, std::vector<OffsetMeasurement> measurements = {}, std::int64_t begin = 10 * second,
               std::int64_t end = 20 * second) {
  return {node, "host-" + node, begin, end, std::move(measurements), std::nullopt};
}

}  // namespace

TEST(ClockMapTest, RoundsToTheNearestAndNeverDecreases) {
  ClockMap map{100, 7, 1, 3};
  EXPECT_EQ(map(100), 107);
  EXPECT_EQ(map(101), 108);  // 0.33
  EXPECT_EQ(map(102), 110);  // 0.67
  EXPECT_EQ(map(103), 111);
  EXPECT_EQ(map(99), 106);   // -0.33
  EXPECT_EQ(map(98), 104);   // -0.67
  ClockMap slower{0, 0, -1, 1000};
  for (std::int64_t t = -3000; t < 3000; ++t) EXPECT_LE(slower(t), slower(t + 1)) << t;
  EXPECT_EQ(slower(2000), 1998);
}

TEST(ClockMapTest, IsExactFarFromZero) {
  ClockMap map{9'000'000'000'000'000'001, -9'000'000'000'000'000'000, 3, 10 * second};
  EXPECT_EQ(map(9'000'000'000'000'000'001), 1);
  EXPECT_EQ(map(9'000'000'010'000'000'001), 10 * second + 4);
}

TEST(ClockMapTest, TheWayBackEndsWhereItBegan) {
  for (const auto &map : {ClockMap{5, 1'000 * second, 0, 1}, ClockMap{7 * second, -3 * second, 999'999, second}, ClockMap{0, 5, -1'999'999, second}}) {
    for (std::int64_t t : {std::int64_t{0}, std::int64_t{12'345'678'901}, 86'400 * second, -3 * second})
      EXPECT_EQ(map(map.back(map(t))), map(t)) << t;
  }
  ClockMap far{0, 1'000, 0, 1};
  EXPECT_EQ(far.back(1'700), 700);
}

TEST(ClocksTest, RanksOfTheLaunchersNodeNeedNothing) {
  auto clocks = relate_clocks("A", {rank("A"), rank("A")});
  ASSERT_EQ(clocks.nodes.size(), 1u);
  EXPECT_EQ(clocks.nodes[0].ranks, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(clocks.nodes[0].source, ClockSource::reference);
  EXPECT_EQ(clocks.nodes[0].error_ns, 0);
  EXPECT_EQ(clocks.of(1).map(12345), 12345);
  EXPECT_TRUE(clocks.all_related());
  EXPECT_TRUE(clock_warnings(clocks).empty());
}

TEST(ClocksTest, TheOffsetChangesLinearlyBetweenTwoMeasurements) {
  // 20 us in 10 s: 2 ppm. Measured at 11 s and 21 s, with 20 us and 30 us of error; of interest from 10 s to 22 s.
  auto clocks = relate_clocks("A", {rank("A"), rank("B", {{11 * second, 5 * second, 20'000}}, 10 * second),
                                    rank("B", {{21 * second, 5 * second + 20'000, 30'000}}, 10 * second, 22 * second)});
  ASSERT_EQ(clocks.nodes.size(), 2u);
  const auto &node = clocks.of(1);
  EXPECT_EQ(&node, &clocks.of(2));
  EXPECT_EQ(node.source, ClockSource::measured);
  EXPECT_EQ(node.map, (ClockMap{11 * second, 5 * second, 20'000, 10 * second}));
  EXPECT_EQ(node.map(11 * second), 16 * second);
  EXPECT_EQ(node.map(16 * second), 21 * second + 10'000);
  EXPECT_EQ(node.map(22 * second), 27 * second + 22'000);
  // 1 s beyond the second one: 30 us, and a tenth of both.
  EXPECT_EQ(node.error_ns, 35'000);
  EXPECT_FALSE(node.jumped);
}

TEST(ClocksTest, TheErrorBetweenTwoMeasurementsIsTheLargerOne) {
  auto clocks = relate_clocks("A", {rank("B", {{10 * second, 0, 40'000}, {20 * second, 1'000, 25'000}})});
  EXPECT_EQ(clocks.nodes[0].error_ns, 40'000);
}

TEST(ClocksTest, OneMeasurementHoldsThroughout) {
  auto clocks = relate_clocks("A", {rank("B", {{12 * second, -7 * second, 20'000}})});
  const auto &node = clocks.nodes[0];
  EXPECT_EQ(node.map, (ClockMap{12 * second, -7 * second, 0, 1}));
  EXPECT_EQ(node.map(19 * second), 12 * second);
  EXPECT_EQ(node.error_ns, 20'000 + 8 * 30'000);  // 8 s at 30 ppm
}

TEST(ClocksTest, TwoThatAreCloseTogetherSayNothingAboutDrift) {
  // 0.1 s apart: the difference of 30 us would be 300 ppm, and lies within the errors.
  const auto end = 10 * second + 100'000'000;
  auto clocks = relate_clocks("A", {rank("B", {{10 * second, second, 40'000}, {end, second + 30'000, 20'000}}, 10 * second, end)});
  const auto &node = clocks.nodes[0];
  EXPECT_EQ(node.map, (ClockMap{end, second + 30'000, 0, 1}));
  EXPECT_EQ(node.error_ns, 20'000 + 3'000);
  EXPECT_FALSE(node.jumped);
}

TEST(ClocksTest, DriftThatIsProvenGoesBeforeTheAssumedOne) {
  // 1 ms in 10 s is 100 ppm, however large the errors.
  auto clocks = relate_clocks("A", {rank("B", {{10 * second, 0, 200'000}, {20 * second, 1'000'000, 200'000}})});
  EXPECT_EQ(clocks.nodes[0].map, (ClockMap{10 * second, 0, 1'000'000, 10 * second}));
  EXPECT_EQ(clocks.nodes[0].error_ns, 200'000);
}

TEST(ClocksTest, AJumpIsNoDrift) {
  // 10 ms and the errors is the most that a drift makes of 10 s.
  auto measured = [](std::int64_t change) {
    return relate_clocks("A", {rank("A"), rank("B", {{10 * second, 0, 20'000}, {20 * second, change, 10'000}})});
  };
  EXPECT_FALSE(measured(10'030'000).of(1).jumped);
  EXPECT_FALSE(measured(-10'030'000).of(1).jumped);
  for (std::int64_t change : {std::int64_t{10'030'001}, std::int64_t{-10'030'001}, -30 * second}) {
    auto clocks = measured(change);
    const auto &node = clocks.of(1);
    EXPECT_TRUE(node.jumped) << change;
    EXPECT_EQ(node.map, (ClockMap{20 * second, change, 0, 1}));  // the better one
    EXPECT_EQ(node.error_ns, std::abs(change) + 30'000);
    auto warnings = clock_warnings(clocks);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_EQ(warnings[0].id, "clock-jumped");
    EXPECT_NE(warnings[0].text.find("host-B"), std::string::npos);
  }
}

TEST(ClocksTest, WithoutAnyMeasurementTheFirstNodeIsTheReference) {
  auto clocks = relate_clocks("login", {rank("B"), rank("C")});
  EXPECT_EQ(clocks.of(0).source, ClockSource::reference);
  EXPECT_EQ(clocks.of(1).source, ClockSource::nothing);
  EXPECT_EQ(clocks.of(1).error_ns, unknown_error_ns);
  EXPECT_EQ(clocks.of(1).map(77), 77);
  EXPECT_FALSE(clocks.all_related());
  auto warnings = clock_warnings(clocks);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].id, "clocks-unrelated");
  EXPECT_NE(warnings[0].text.find("host-C"), std::string::npos);
  EXPECT_EQ(warnings[0].text.find("host-B"), std::string::npos);
}

TEST(ClocksTest, TheTimeOfDayIsBetterThanNothing) {
  auto b = rank("B", {{12 * second, -7 * second, 20'000}}), c = rank("C");
  b.real_offset_ns = 1'800'000'000 * second;
  c.real_offset_ns = 1'800'000'000 * second - 100 * second;
  auto clocks = relate_clocks("A", {b, c});
  EXPECT_EQ(clocks.of(1).source, ClockSource::real_time);
  EXPECT_EQ(clocks.of(1).map(0), -107 * second);
  EXPECT_EQ(clocks.of(1).error_ns, unknown_error_ns);
  EXPECT_EQ(clock_warnings(clocks).size(), 1u);
}

TEST(ClocksTest, UnknownBootIdsAreToldApartByTheirHosts) {
  RankClock a{"", "n1", 0, 1}, b{"", "n2", 0, 1};
  auto clocks = relate_clocks("", {a, b, a});
  EXPECT_EQ(clocks.node_of, (std::vector<std::uint32_t>{0, 1, 0}));
}

TEST(OffsetFromBoundsTest, IsTheMiddleOfWhatTheyLeave) {
  EXPECT_EQ(offset_from_bounds({{100, 40}, {200, 50}}, {{300, 71}, {400, 90}}), (OffsetMeasurement{250, 60, 11}));
  EXPECT_EQ(offset_from_bounds({{100, 50}}, {{100, 40}}), (OffsetMeasurement{100, 45, 5}));  // they contradict each other
  EXPECT_EQ(offset_from_bounds({{100, 50}}, {}), std::nullopt);
  EXPECT_EQ(offset_from_bounds({}, {{100, 50}}), std::nullopt);
}

TEST(ClocksTest, MessagesRelateWhatWasNotMeasured) {
  // B's clock is 5 s ahead. Messages of 100 us to B (sent at 1 s) and 60 us back; slower ones beside them say nothing.
  std::vector<ClockMessage> messages{{0, 1, second, 6 * second + 100'000},
                                     {0, 1, second, 6 * second + 900'000},
                                     {1, 0, 6 * second + 200'000, second + 260'000},
                                     {1, 0, 6 * second + 300'000, second + 800'000}};
  auto clocks = relate_clocks("A", {rank("A", {}, 0, 2 * second), rank("B", {}, 6 * second, 7 * second)}, messages);
  const auto &node = clocks.of(1);
  EXPECT_EQ(node.source, ClockSource::messages);
  EXPECT_EQ(node.map.offset_ns, -5 * second - 20'000);
  // 80 us; 30 ppm of the 800 us that messages lie apart; 30 ppm from the middle (6.00015 s) to the end (7 s).
  EXPECT_EQ(node.error_ns, 80'000 + 24 + 29'996);
  EXPECT_TRUE(clocks.all_related());
}

TEST(ClocksTest, DriftShowsInMessagesThatLieFarApart) {
  // B loses 40 us a second, for 100 s; every second a message of 50 us each way.
  std::vector<ClockMessage> messages;
  auto b_at = [](std::int64_t t) { return 500 * second + t - t / 25'000; };
  for (std::int64_t i = 0; i <= 100; ++i) {
    const auto t = i * second;
    messages.push_back({0, 1, t, b_at(t + 50'000)});
    messages.push_back({1, 0, b_at(t), t + 50'000});
  }
  auto clocks = relate_clocks("A", {rank("A", {}, 0, 101 * second), rank("B", {}, 500 * second, 601 * second)}, messages);
  const auto &node = clocks.of(1);
  EXPECT_EQ(node.source, ClockSource::messages);
  // Half of 100 us, the drift of a 64th of the time at 30 ppm, and what 1.6 s at 40 ppm make of the bounds.
  EXPECT_LT(node.error_ns, 150'000);
  for (std::int64_t i = 0; i <= 100; ++i) EXPECT_LE(std::abs(node.map(b_at(i * second)) - i * second), node.error_ns) << i;
}

TEST(ClocksTest, MessagesLeadFromNodeToNode) {
  // A - B - C, and no messages between A and C. D sends only.
  std::vector<ClockMessage> messages{{2, 1, 3'000, 2'010}, {1, 2, 2'020, 3'030}, {1, 0, 2'000, 1'004}, {0, 1, 1'010, 2'014},
                                     {3, 0, 50, 1'000}};
  std::vector<RankClock> ranks{rank("A", {}, 1'000, 1'010), rank("B", {}, 2'000, 2'020), rank("C", {}, 3'000, 3'030),
                               rank("D", {}, 50, 60)};
  auto clocks = relate_clocks("A", ranks, messages);
  EXPECT_EQ(clocks.of(1).source, ClockSource::messages);
  EXPECT_EQ(clocks.of(1).map(2'000), 1'000);
  EXPECT_EQ(clocks.of(1).error_ns, 4 + 1 + 1);  // half of 8; 30 ppm of two short times are rounded up
  EXPECT_EQ(clocks.of(2).source, ClockSource::messages);
  EXPECT_EQ(clocks.of(2).map(3'000), 1'000);
  EXPECT_EQ(clocks.of(2).error_ns, 10 + 1 + 1 + 6);
  EXPECT_EQ(clocks.of(3).source, ClockSource::nothing);
}

TEST(ClocksTest, DamagedNumbersDoNotOverflow) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t far = (std::int64_t{1} << 60) - 1;
  auto clocks = relate_clocks("A",
                              {rank("A"), rank("B", {{most, least, most}, {least, most, least}, {5, 6, -1}}, least, most),
                               rank("C", {{0, -far, far}, {1, far, far}}, least, most), rank("D", {}, most, least)},
                              {{0, 1, most, least}, {1, 0, least, most}, {0, 3, -far, far}, {3, 0, -far, far}});
  EXPECT_EQ(clocks.of(1).source, ClockSource::nothing);
  EXPECT_EQ(clocks.of(2).source, ClockSource::measured);
  EXPECT_EQ(clocks.of(2).error_ns, unknown_error_ns);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_LE(clocks.of(i).map(least), clocks.of(i).map(most));
    EXPECT_LE(clocks.of(i).error_ns, unknown_error_ns);
    EXPECT_GE(clocks.of(i).error_ns, 0);
  }
}
