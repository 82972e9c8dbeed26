#include "analyze/views.hpp"

#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <map>
#include <tuple>

#include "sample_profile.hpp"

namespace {

using namespace scope;

analyze::Filter filter_of(const model::Profile &profile, const std::string &ranks, const std::string &include = "",
                          const std::string &exclude = "") {
  return analyze::make_filter(profile, ranks, include, exclude);
}

template <class Rows, class Field>
auto column(const Rows &rows, Field field) {
  std::vector<std::decay_t<decltype(rows.front().*field)>> values;
  for (const auto &row : rows) values.push_back(row.*field);
  return values;
}

using Strings = std::vector<std::string>;
using Ints = std::vector<int>;
using Numbers = std::vector<std::int64_t>;

TEST(ByCall, OfAllRanks) {
  const model::Profile profile = test::sample_profile();
  const auto rows = analyze::by_call(profile, {});
  EXPECT_EQ(column(rows, &analyze::CallView::call), (Strings{"MPI_Allreduce", "MPI_Recv", test::long_call, "MPI_Send"}));
  EXPECT_EQ(rows[1].kind, "point-to-point");
  EXPECT_EQ(rows[1].calls, 15);
  EXPECT_EQ(rows[1].errors, 0);
  EXPECT_EQ(rows[1].total_ns, 1'500'000);
  EXPECT_DOUBLE_EQ(*rows[1].mpi_share, 1.5 / 8);
  EXPECT_DOUBLE_EQ(*rows[1].rank_share, 1.5 / 40);
  EXPECT_DOUBLE_EQ(*rows[1].mean_ns, 100'000);
  EXPECT_EQ(rows[1].min_ns, 1'000);
  EXPECT_EQ(rows[1].max_ns, 600'000);
  EXPECT_EQ(rows[1].p95_ns, 500'000);
  EXPECT_EQ(rows[1].bytes_sent, 0);
  EXPECT_EQ(rows[1].bytes_received, 30'720);
  EXPECT_DOUBLE_EQ(rows[1].imbalance, 1 - 0.375 / 0.8);
}

TEST(ByCall, OfChosenRanksHasOnlyTheirNumbers) {
  const model::Profile profile = test::sample_profile();
  const auto rows = analyze::by_call(profile, filter_of(profile, "2"));
  EXPECT_EQ(column(rows, &analyze::CallView::call), (Strings{"MPI_Allreduce", test::long_call, "MPI_Send"}));
  EXPECT_EQ(column(rows, &analyze::CallView::total_ns), (Numbers{1'500'000, 800'000, 700'000}));
  EXPECT_EQ(rows[2].calls, 5);
  EXPECT_EQ(rows[2].bytes_sent, 20'480);
  EXPECT_DOUBLE_EQ(*rows[2].mean_ns, 140'000);
  EXPECT_DOUBLE_EQ(*rows[2].mpi_share, 0.7 / 3);
  EXPECT_DOUBLE_EQ(*rows[2].rank_share, 0.07);
  EXPECT_EQ(rows[2].imbalance, 0);
  EXPECT_FALSE(rows[2].errors || rows[2].min_ns || rows[2].max_ns || rows[2].p95_ns);
}

TEST(ByCall, ChosenRanksAddUpToAll) {
  const model::Profile profile = test::sample_profile();
  std::map<std::string, std::array<std::int64_t, 4>> parts, whole;
  const auto add = [](auto &sums, const std::vector<analyze::CallView> &rows) {
    for (const auto &row : rows) {
      auto &sum = sums[row.call];
      sum[0] += row.calls;
      sum[1] += row.total_ns;
      sum[2] += row.bytes_sent;
      sum[3] += row.bytes_received;
    }
  };
  add(whole, analyze::by_call(profile, {}));
  for (const char *ranks : {"0,3", "1", "2"}) add(parts, analyze::by_call(profile, filter_of(profile, ranks)));
  EXPECT_EQ(parts, whole);
  EXPECT_EQ(whole.size(), 4u);
}

TEST(ByCall, SharesOfAllCallsAddUpToOne) {
  const model::Profile profile = test::sample_profile();
  for (const char *ranks : {"", "1", "0,2-3"}) {
    double sum = 0;
    for (const auto &row : analyze::by_call(profile, filter_of(profile, ranks))) sum += *row.mpi_share;
    EXPECT_NEAR(sum, 1, 1e-12) << ranks;
  }
}

TEST(ByCall, ProceduresAreChosenAgainstTheSameDenominator) {
  const model::Profile profile = test::sample_profile();
  const auto rows = analyze::by_call(profile, filter_of(profile, "", "_[SR]e", "Send"));
  ASSERT_EQ(column(rows, &analyze::CallView::call), (Strings{"MPI_Recv"}));
  EXPECT_DOUBLE_EQ(*rows[0].mpi_share, 1.5 / 8);
}

TEST(ByCall, SharesAreNullWithoutMpiTime) {
  model::Profile profile = test::sample_profile();
  for (model::Rank &rank : profile.ranks) rank.mpi_ns = rank.wall_ns = 0;
  EXPECT_FALSE(analyze::by_call(profile, {})[0].mpi_share);
  EXPECT_FALSE(analyze::by_call(profile, {})[0].rank_share);
}

TEST(ByRank, HasTheRanksInOrder) {
  const model::Profile profile = test::broken_profile(0);
  const auto rows = analyze::by_rank(profile, {});
  EXPECT_EQ(column(rows, &analyze::RankView::rank), (Ints{0, 1, 2, 3}));
  EXPECT_EQ(column(rows, &analyze::RankView::calls), (Numbers{13, 13, 8, 8}));
  EXPECT_EQ(column(rows, &analyze::RankView::mpi_ns), (Numbers{1'000'000, 2'000'000, 3'000'000, 2'000'000}));
  EXPECT_EQ(column(rows, &analyze::RankView::bytes_sent), (Numbers{10'256, 16, 20'496, 16}));
  EXPECT_EQ(column(rows, &analyze::RankView::bytes_received), (Numbers{16, 10'256, 16, 20'496}));
  EXPECT_DOUBLE_EQ(*rows[2].mpi_share, 0.3);
  EXPECT_EQ(rows[2].host, test::wide_host);
  EXPECT_EQ(rows[2].pid, 1002);
  EXPECT_EQ(rows[2].status, "killed");
  EXPECT_EQ(rows[2].signal, 9);
  EXPECT_EQ(rows[2].in_call, "MPI_Send");
}

TEST(ByRank, WithProceduresHasTheTimeInThose) {
  const model::Profile profile = test::sample_profile();
  const auto rows = analyze::by_rank(profile, filter_of(profile, "1-2", "Allreduce|Send"));
  EXPECT_EQ(column(rows, &analyze::RankView::rank), (Ints{1, 2}));
  EXPECT_EQ(column(rows, &analyze::RankView::mpi_ns), (Numbers{1'000'000, 2'200'000}));
  EXPECT_EQ(column(rows, &analyze::RankView::calls), (Numbers{2, 7}));
  EXPECT_DOUBLE_EQ(*rows[1].mpi_share, 0.22);
}

TEST(ByPeer, HasBothLayersByBytes) {
  const model::Profile profile = test::sample_profile();
  const auto rows = analyze::by_peer(profile, {}).rows;
  EXPECT_EQ(column(rows, &analyze::PeerView::src), (Ints{2, 0, 1}));
  EXPECT_EQ(column(rows, &analyze::PeerView::dst), (Ints{3, 1, 0}));
  EXPECT_EQ(column(rows, &analyze::PeerView::messages), (Numbers{5, 10, 4}));
  EXPECT_EQ(rows[0].layer, analyze::Layer::point_to_point);
  EXPECT_EQ(rows[2].layer, analyze::Layer::one_sided);
  EXPECT_DOUBLE_EQ(*rows[0].mean_bytes, 4096);
  EXPECT_DOUBLE_EQ(*rows[0].bytes_share, 0.5);
}

TEST(ByPeer, RanksChooseTheSource) {
  const model::Profile profile = test::sample_profile();
  const auto rows = analyze::by_peer(profile, filter_of(profile, "0-1")).rows;
  EXPECT_EQ(column(rows, &analyze::PeerView::src), (Ints{0, 1}));
  EXPECT_DOUBLE_EQ(*rows[0].bytes_share, 0.5);
}

TEST(BySize, IsByTimeAndKnowsProcedures) {
  const model::Profile profile = test::sample_profile();
  const auto rows = analyze::by_size(profile, filter_of(profile, "", "Send"));
  EXPECT_EQ(column(rows, &analyze::SizeView::bytes_from), (Numbers{4096, 1024}));
  EXPECT_EQ(column(rows, &analyze::SizeView::bytes_to), (Numbers{8191, 2047}));
  EXPECT_EQ(column(rows, &analyze::SizeView::bytes), (Numbers{20'480, 10'240}));
  EXPECT_DOUBLE_EQ(*rows[1].mean_ns, 30'000);
  EXPECT_EQ(analyze::by_size(profile, {}).size(), 3u);
}

TEST(WhichRanks, SignaturesSayWhoHasPartInARow) {
  model::Profile profile;
  profile.sizes = {{"MPI_Send", 0, 0, 1, 0, 10}, {"MPI_Send", 4, 7, 3, 15, 30}, {"MPI_Recv", 4, 7, 1, 5, 20}};
  profile.communicators.resize(2);
  for (int id : {0, 1}) {
    profile.communicators[static_cast<std::size_t>(id)].id = id;
    profile.communicators[static_cast<std::size_t>(id)].calls = 1;
  }
  auto add = [&](const char *call, int comm, std::int64_t bytes, std::vector<int> ranks) {
    model::SignatureRow row;
    row.call = call;
    row.comm = comm;
    row.bytes = bytes;
    row.ranks = std::move(ranks);
    profile.signatures.push_back(std::move(row));
  };
  add("MPI_Send", 0, 0, {3});
  add("MPI_Send", 0, 4, {0, 2});
  add("MPI_Send", 1, 7, {2, 5});
  add("MPI_Recv", 1, 5, {1});
  add("MPI_Barrier", 0, -1, {7});
  const auto sizes = analyze::by_size(profile, {});  // by time
  ASSERT_EQ(sizes.size(), 3u);
  EXPECT_EQ(sizes[0].rank_list, (std::vector<int>{0, 2, 5}));
  EXPECT_EQ(sizes[1].rank_list, std::vector<int>{1});
  EXPECT_EQ(sizes[2].rank_list, std::vector<int>{3});
  const auto comms = analyze::by_communicator(profile, {});
  ASSERT_EQ(comms.size(), 2u);
  EXPECT_EQ(comms[0].rank_list, (std::vector<int>{0, 2, 3, 7}));
  EXPECT_EQ(comms[1].rank_list, (std::vector<int>{1, 2, 5}));
}

TEST(ByCommunicator, IsByTime) {
  const model::Profile profile = test::sample_profile();
  const auto rows = analyze::by_communicator(profile, {});
  EXPECT_EQ(column(rows, &analyze::CommunicatorView::id), (Ints{0, 2, 1}));
  EXPECT_EQ(column(rows, &analyze::CommunicatorView::calls), (Numbers{36, 4, 2}));
  EXPECT_DOUBLE_EQ(*rows[1].mpi_share, 1.5 / 8);
}

TEST(ByCommunicator, WithoutCallsIsLeftOut) {
  model::Profile profile = test::sample_profile();
  profile.communicators.push_back(test::sample_communicator(3, "MPI_COMM_SELF", 1, 0, 0, 0));
  EXPECT_EQ(analyze::by_communicator(profile, {}).size(), 3u);
}

TEST(ByCommunicator, WithProceduresAddsUpSignatures) {
  const model::Profile profile = test::sample_profile();
  const auto rows = analyze::by_communicator(profile, filter_of(profile, "", "Allreduce|Send"));
  EXPECT_EQ(column(rows, &analyze::CommunicatorView::id), (Ints{0, 1}));
  EXPECT_EQ(column(rows, &analyze::CommunicatorView::calls), (Numbers{21, 2}));
  EXPECT_EQ(column(rows, &analyze::CommunicatorView::total_ns), (Numbers{4'000'000, 1'000'000}));
  EXPECT_EQ(column(rows, &analyze::CommunicatorView::bytes), (Numbers{30'768, 16}));
  EXPECT_EQ(rows[1].name, test::markup_name);
}

TEST(ByCommunicator, AllProceduresAddUpToTheRows) {
  const model::Profile profile = test::sample_profile();
  const auto rows = analyze::by_communicator(profile, {});
  const auto sums = analyze::by_communicator(profile, filter_of(profile, "", "."));
  EXPECT_EQ(column(sums, &analyze::CommunicatorView::calls), column(rows, &analyze::CommunicatorView::calls));
  EXPECT_EQ(column(sums, &analyze::CommunicatorView::total_ns), column(rows, &analyze::CommunicatorView::total_ns));
  EXPECT_EQ(column(sums, &analyze::CommunicatorView::bytes), column(rows, &analyze::CommunicatorView::bytes));
}

TEST(ByRegion, OfAllAndOfChosenRanks) {
  model::Profile profile = test::sample_profile();
  model::RegionRow region;
  region.path = "main/solve";
  region.calls = 4;
  region.total_ns = 20'000'000;
  region.self_ns = 12'000'000;
  region.mpi_ns = 8'000'000;
  region.per_rank = {{1, 1, 1, 1}, {4'000'000, 5'000'000, 6'000'000, 5'000'000}, {}, {}};
  profile.regions = {region};
  const auto all = analyze::by_region(profile, {});
  EXPECT_EQ(all[0].path, "main/solve");
  EXPECT_DOUBLE_EQ(*all[0].rank_share, 0.5);
  EXPECT_EQ(all[0].self_ns, 12'000'000);
  const auto some = analyze::by_region(profile, filter_of(profile, "2"));
  EXPECT_EQ(some[0].total_ns, 6'000'000);
  EXPECT_DOUBLE_EQ(*some[0].rank_share, 0.6);
  EXPECT_FALSE(some[0].self_ns);
  // Files of this version have these by rank, too.
  profile.regions[0].rank_self_ns = {1, 2, 3, 4};
  profile.regions[0].rank_mpi_ns = {0, 0, 3'000'000, 0};
  profile.regions[0].rank_mpi_calls = {0, 0, 7, 0};
  const auto by_rank = analyze::by_region(profile, filter_of(profile, "2"));
  EXPECT_EQ(by_rank[0].self_ns, 3);
  EXPECT_EQ(by_rank[0].mpi_calls, 7);
  EXPECT_DOUBLE_EQ(*by_rank[0].mpi_share, 0.5);
  // MPI time is not known where MPI calls were not profiled.
  for (model::World &world : profile.worlds) world.mpi = false;
  EXPECT_FALSE(analyze::by_region(profile, {})[0].mpi_ns);
}

TEST(Headline, OfTheWhole) {
  const analyze::Headline line = analyze::headline(test::broken_profile(0), {});
  EXPECT_EQ(line.denominators.mpi_ns, 8'000'000);
  EXPECT_EQ(line.denominators.rank_ns, 40'000'000);
  EXPECT_EQ(line.denominators.peer_bytes, 40'960);
  EXPECT_FALSE(line.denominators.threads);
  EXPECT_EQ(line.expected_ranks, 5);
  EXPECT_EQ(line.reported_ranks, 4);
  EXPECT_EQ(line.hosts, 2u);
  EXPECT_EQ(line.wall_ns, 10'000'000);
  EXPECT_DOUBLE_EQ(*line.mpi_share, 0.2);
  EXPECT_EQ(line.calls, 42);
  EXPECT_EQ(line.p2p_messages, 15);
  EXPECT_EQ(line.p2p_bytes, 30'720);
  EXPECT_EQ(line.rma_messages, 4);
  EXPECT_EQ(line.rma_bytes, 10'240);
  EXPECT_EQ(line.overhead_ns, 2'000);
  EXPECT_DOUBLE_EQ(*line.overhead_share, 0.00025);
  EXPECT_DOUBLE_EQ(*line.efficiency.parallel, 0.8);
  ASSERT_EQ(line.unfinished.size(), 1u);
  EXPECT_EQ(line.unfinished[0].rank, 2);
}

TEST(Headline, NamesTheLikelyCulpritsFirst) {
  model::Profile profile = test::sample_profile();
  const std::vector<std::pair<std::string, int>> ends = {{"killed", SIGTERM}, {"exited", 0}, {"killed", SIGSEGV}, {"aborted", 0}};
  for (std::size_t i = 0; i < 4; ++i) std::tie(profile.ranks[i].status, profile.ranks[i].signal) = ends[i];
  EXPECT_EQ(column(analyze::headline(profile, {}).unfinished, &analyze::RankView::rank), (Ints{2, 3, 0, 1}));
}

TEST(Headline, OfChosenRanks) {
  const model::Profile profile = test::sample_profile();
  const analyze::Headline line = analyze::headline(profile, filter_of(profile, "0-1"));
  EXPECT_EQ(line.denominators.mpi_ns, 3'000'000);
  EXPECT_EQ(line.denominators.ranks, 2u);
  EXPECT_EQ(line.denominators.all_ranks, 4u);
  EXPECT_EQ(line.calls, 26);
  EXPECT_EQ(line.bytes_sent, 10'272);
  EXPECT_EQ(line.p2p_messages, 10);
  EXPECT_EQ(line.rma_messages, 4);
  EXPECT_EQ(line.overhead_ns, 600);
  EXPECT_EQ(line.hosts, 1u);
  EXPECT_DOUBLE_EQ(*line.efficiency.load_balance, 8.5 / 9);
}

TEST(Headline, OfNothing) {
  const analyze::Headline line = analyze::headline({}, {});
  EXPECT_FALSE(line.mpi_share);
  EXPECT_FALSE(line.overhead_share);
  EXPECT_EQ(line.hosts, 0u);
}

TEST(Views, SurviveMatricesOfUnequalLengths) {
  model::Profile profile = test::sample_profile();
  profile.peers.p2p.bytes.pop_back();
  profile.peers.p2p.world.clear();
  EXPECT_EQ(analyze::by_peer(profile, {}).rows.size(), 2u);
  EXPECT_EQ(analyze::denominators(profile, {}).peer_bytes, 20'480);
}

}  // namespace
