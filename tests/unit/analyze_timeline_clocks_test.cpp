#include "analyze/timeline_clocks.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "timeline_builder.hpp"

using namespace scope;
using test::Call;
using test::TimelineBuilder;

namespace {

using Row = std::tuple<std::uint32_t, std::uint32_t, std::int64_t, std::int64_t>;

std::vector<Row> rows(const std::vector<timeline::ClockMessage> &messages) {
  std::vector<Row> result;
  for (const auto &one : messages) result.emplace_back(one.from, one.to, one.sent_ns, one.received_ns);
  return result;
}

}  // namespace

// Ranks 0 and 1 share a node, rank 2 has another one, whose clock is behind by 1000: it seems to receive before anyone sends.
TEST(MessagesBetweenNodes, AreMatchedWhateverTheClocksSay) {
  TimelineBuilder run(3, 10'000);
  run.add(0, 2'000, 2'010, test::to(Call::MPI_Send, 2, 1));
  run.add(0, 2'100, 2'110, test::to(Call::MPI_Send, 1, 1));
  const auto posted = run.add(0, 2'120, 2'130, test::to(Call::MPI_Irecv, 2, 4));
  run.add(0, 2'200, 2'260, {Call::MPI_Wait, Call::MPI_Irecv, 0, 2, -1, 4, 8, 0}, timeline::Kind::call, posted);
  run.add(1, 2'050, 2'120, test::to(Call::MPI_Recv, 0, 1));
  run.add(1, 2'300, 2'310, test::to(Call::MPI_Isend, 2, 3));
  run.add(2, 1'000, 1'020, test::to(Call::MPI_Recv, 0, 1));
  run.add(2, 1'190, 1'200, test::to(Call::MPI_Send, 0, 4));
  run.add(2, 1'250, 1'330, test::to(Call::MPI_Recv, 1, 3));
  run.add(2, 1'400, 1'410, test::to(Call::MPI_Send, 1, 9));  // never received
  auto found = analyze::messages_between_nodes(run.timeline(), {0, 0, 1});
  EXPECT_EQ(rows(found), (std::vector<Row>{{0, 2, 2'000, 1'020}, {1, 2, 2'300, 1'330}, {2, 0, 1'190, 2'260}}));
  EXPECT_TRUE(analyze::messages_between_nodes(run.timeline(), {0, 0, 0}).empty());
}
