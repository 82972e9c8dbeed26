#include "analyze/findings.hpp"

#include <gtest/gtest.h>

namespace {

using namespace scope;
using analyze::Fact;

constexpr std::int64_t ms = 1'000'000;

/// Ranks with these times outside MPI, all of them as long in the run as the longest; MPI_Init takes 50 ms more.
model::Profile job(const std::vector<std::int64_t> &compute_ms, std::int64_t run_ms) {
  model::Profile profile;
  profile.worlds = {{0, static_cast<int>(compute_ms.size()), std::nullopt, static_cast<int>(compute_ms.size()), {}, true, ""}};
  model::CallRow init;
  init.name = "MPI_Init";
  init.kind = "process";
  for (std::size_t i = 0; i < compute_ms.size(); ++i) {
    model::Rank rank;
    rank.rank = static_cast<int>(i);
    rank.host = "node1";
    rank.wall_ns = (run_ms + 50) * ms;
    rank.mpi_ns = rank.wall_ns - compute_ms[i] * ms;
    profile.totals.wall_sum_ns += rank.wall_ns;
    profile.ranks.push_back(rank);
    init.per_rank.calls.push_back(1);
    init.per_rank.total_ns.push_back(50 * ms);
  }
  profile.calls = {init};
  return profile;
}

void add_call(model::Profile &profile, const std::string &name, const std::string &kind, const std::vector<std::int64_t> &times_ms) {
  model::CallRow call;
  call.name = name;
  call.kind = kind;
  for (std::int64_t time : times_ms) {
    call.per_rank.calls.push_back(10);
    call.per_rank.total_ns.push_back(time * ms);
  }
  profile.calls.push_back(call);
}

model::SignatureRow &add_signature(model::Profile &profile, const std::string &name, int rank, int peer, std::int64_t bytes, std::int64_t calls,
                                   std::int64_t total_ns, std::int64_t min_ns = 0) {
  model::SignatureRow row;
  row.call = name;
  row.ranks = {rank};
  row.peer = peer;
  row.bytes = bytes;
  row.calls = calls;
  row.total_ns = total_ns;
  row.min_ns = min_ns;
  profile.signatures.push_back(row);
  return profile.signatures.back();
}

std::vector<std::string> ids(const std::vector<Fact> &facts) {
  std::vector<std::string> result;
  for (const Fact &fact : facts) result.push_back(fact.id);
  return result;
}

using Ids = std::vector<std::string>;

TEST(Findings, ImbalanceNamesWhoComesLast) {
  auto profile = job({500, 900, 500, 500}, 1000);
  add_call(profile, "MPI_Barrier", "collective", {300, 50, 300, 300});
  add_call(profile, "MPI_Allreduce", "collective", {120, 0, 100, 110});
  add_call(profile, "MPI_Bcast", "collective", {0, 999, 0, 0});  // does not synchronise
  const auto facts = analyze::find_facts(profile);
  ASSERT_EQ(ids(facts), Ids{"load-imbalance"});
  EXPECT_EQ(facts[0].lost_ns, (420 + 50 + 400 + 410) / 4 * ms - 50 * ms);
  EXPECT_EQ(facts[0].ranks, std::vector<int>{1});
  EXPECT_EQ(facts[0].subject, "MPI_Barrier");
  EXPECT_EQ(facts[0].severity, "high") << "27 % of the run of 1000 ms";
  EXPECT_EQ(facts[0].evidence.at("computes_longer_ns"), 400e6);
  EXPECT_EQ(facts[0].evidence.at("others_wait_ns"), 360e6);
  EXPECT_EQ(facts[0].evidence.at("from_computation"), 1);
}

TEST(Findings, WorthTellingFromFivePercentOn) {
  auto profile = job({500, 500}, 1000);
  add_call(profile, "MPI_Barrier", "collective", {0, 100});
  EXPECT_EQ(ids(analyze::find_facts(profile)), Ids{"load-imbalance"}) << "50 of 1000 ms";
  EXPECT_EQ(analyze::find_facts(profile)[0].severity, "medium");
  EXPECT_EQ(analyze::find_facts(profile)[0].evidence.at("from_computation"), 0) << "nobody computes longer";
  profile.calls.back().per_rank.total_ns[1] -= 2;
  EXPECT_EQ(ids(analyze::find_facts(profile)), Ids{});
}

TEST(Findings, AWaitHasOneName) {
  auto profile = job({500, 500, 900, 900}, 1000);
  add_call(profile, "MPI_Barrier", "collective", {400, 400, 0, 0});
  profile.ranks[2].host = profile.ranks[3].host = "node2";
  auto facts = analyze::find_facts(profile);
  ASSERT_EQ(ids(facts), Ids{"outlier-node"});
  EXPECT_EQ(facts[0].subject, "node2");
  EXPECT_EQ(facts[0].ranks, (std::vector<int>{2, 3}));
  EXPECT_EQ(facts[0].lost_ns, 200 * ms) << "two of four wait for 400 ms";
  profile.ranks[3].host = "node1";  // one fast and one slow on either
  profile.ranks[3].mpi_ns = profile.ranks[3].wall_ns - 500 * ms;
  profile.ranks[1].mpi_ns = profile.ranks[1].wall_ns - 950 * ms;
  EXPECT_EQ(ids(analyze::find_facts(profile)), Ids{"load-imbalance"});
}

TEST(Findings, CommunicatorsOfSomeRanks) {
  auto profile = job({900, 500, 500, 500}, 1000);
  add_call(profile, "MPI_Barrier", "collective", {0, 400, 0, 0});
  auto &row = add_signature(profile, "MPI_Barrier", 1, -1, -1, 10, 400 * ms);
  row.comm = 1;
  model::CommunicatorRow half;
  half.id = 1;
  half.size = 2;
  half.calls = 20;
  half.total_ns = 400 * ms;
  half.name = "half";
  profile.communicators = {half};
  auto facts = analyze::find_facts(profile);
  ASSERT_EQ(ids(facts), (Ids{"outlier-rank", "communicator"})) << "ranks 2 and 3 have no part in it";
  EXPECT_EQ(facts[1].lost_ns, 100 * ms);
  EXPECT_EQ(facts[1].subject, "half");
  EXPECT_EQ(facts[1].evidence.at("size"), 2);
  profile.communicators[0].size = 4;
  EXPECT_EQ(ids(analyze::find_facts(profile)), Ids{"load-imbalance"});
}

TEST(Findings, OutlierRank) {
  auto profile = job({200, 210, 800, 190}, 1000);
  auto facts = analyze::find_facts(profile);
  ASSERT_EQ(ids(facts), Ids{"outlier-rank"});
  EXPECT_EQ(facts[0].ranks, std::vector<int>{2});
  EXPECT_EQ(facts[0].lost_ns, 450 * ms);
  EXPECT_EQ(facts[0].evidence.at("others_spread_ns"), 20e6);
  EXPECT_EQ(ids(analyze::find_facts(job({200, 420, 800, 190}, 1000))), Ids{}) << "the others differ, too";
  EXPECT_EQ(ids(analyze::find_facts(job({200, 800, 190}, 1000))), Ids{}) << "of three, one is no outlier";
}

TEST(Findings, LateSenderIsWhatATransferDoesNotNeed) {
  auto profile = job({400, 100}, 1000);
  auto &row = add_signature(profile, "MPI_Recv", 1, 0, 1'000'000, 100, 500 * ms);
  row.bytes_received = 100'000'000;  // 100 ms at 1 ns a byte, and 100 x 5 us
  auto facts = analyze::find_facts(profile);
  ASSERT_EQ(ids(facts), Ids{"late-sender"});
  EXPECT_EQ(facts[0].lost_ns, (500 - 100) * ms / 2 - 250'000);
  EXPECT_EQ(facts[0].ranks, std::vector<int>{0});
  EXPECT_EQ(facts[0].evidence.at("computes_longer_ns"), 300e6);
  profile.signatures[0].total_ns = 190 * ms;
  EXPECT_EQ(ids(analyze::find_facts(profile)), Ids{});
  // A wait counts for the receive that it completed, not for a send.
  profile.signatures.clear();
  auto &wait = add_signature(profile, "MPI_Wait", 1, 0, 8, 1, 500 * ms);
  wait.completions = 1;
  wait.request = "isend";
  EXPECT_EQ(ids(analyze::find_facts(profile)), Ids{});
  profile.signatures[0].request = "irecv";
  EXPECT_EQ(ids(analyze::find_facts(profile)), Ids{"late-sender"});
}

model::Profile chain(const std::vector<std::int64_t> &waits_ms, int step) {
  auto profile = job({100, 100, 100, 100}, 1000);
  for (int rank = 0; rank < 4; ++rank) {
    const int from = rank - step;
    if (from < 0 || from > 3) continue;
    add_signature(profile, "MPI_Recv", rank, from, 8, 1, waits_ms[static_cast<std::size_t>(rank)] * ms + 5000);
    auto &peers = profile.peers.p2p;
    peers.world.push_back(0);
    peers.src.push_back(from);
    peers.dst.push_back(rank);
    peers.messages.push_back(1);
    peers.bytes.push_back(8);
  }
  return profile;
}

TEST(Findings, AChainWaitsLongerAndLonger) {
  auto facts = analyze::find_facts(chain({0, 100, 200, 300}, 1));
  ASSERT_EQ(ids(facts), Ids{"serialised-chain"});
  EXPECT_EQ(facts[0].lost_ns, 150 * ms);
  EXPECT_EQ(facts[0].ranks, (std::vector<int>{0, 3}));
  facts = analyze::find_facts(chain({300, 200, 100, 0}, -1));
  ASSERT_EQ(ids(facts), Ids{"serialised-chain"});
  EXPECT_EQ(facts[0].ranks, (std::vector<int>{3, 0}));
  EXPECT_EQ(ids(analyze::find_facts(chain({0, 200, 200, 200}, 1))), Ids{"late-sender"}) << "one late rank, whose lateness is handed on";
  auto ring = chain({0, 100, 200, 300}, 1);
  ring.peers.p2p.dst[2] = 0;
  EXPECT_EQ(ids(analyze::find_facts(ring)), Ids{"late-sender"});
}

TEST(Findings, SmallAndEagerMessagesCostTheirFastestCall) {
  auto profile = job({100}, 1000);
  add_signature(profile, "MPI_Send", 0, 0, 1024, 80'000, 900 * ms, 1000);
  add_signature(profile, "MPI_Send", 0, 0, 1 << 20, 20'000, 100 * ms, 1000);
  auto facts = analyze::find_facts(profile);
  ASSERT_EQ(ids(facts), Ids{"small-messages"});
  EXPECT_EQ(facts[0].lost_ns, 80 * ms);
  EXPECT_EQ(facts[0].evidence.at("messages_share"), 0.8);
  profile.signatures[0].calls = 79'999;
  EXPECT_EQ(ids(analyze::find_facts(profile)), Ids{});
  profile.signatures[0].bytes = 2048;
  EXPECT_EQ(ids(analyze::find_facts(profile)), Ids{"eager-messages"});
  profile.signatures[0].bytes = 2047;
  EXPECT_EQ(ids(analyze::find_facts(profile)), Ids{});
  // One that waited all the time: no more than 5 us and 1 ns a byte of it is a transfer.
  add_signature(profile, "MPI_Recv", 0, 0, 8, 1, 900 * ms, 900 * ms);
  EXPECT_EQ(ids(analyze::find_facts(profile)), Ids{"late-sender"});
}

TEST(Findings, TheProfilesOwnFaultsAreAlwaysTold) {
  auto profile = job({1000, 1000}, 1000);
  profile.worlds[0].size = 3;
  profile.worlds[0].missing = {2};
  profile.totals.overhead_ns = profile.totals.wall_sum_ns / 50;
  EXPECT_EQ(ids(analyze::find_facts(profile)), (Ids{"mpi-negligible", "incomplete"})) << "2 % is not more than 2 %";
  profile.totals.overhead_ns += 1000;
  const auto facts = analyze::find_facts(profile);
  EXPECT_EQ(ids(facts), (Ids{"tool-overhead", "mpi-negligible", "incomplete"}));
  EXPECT_EQ(facts[0].severity, "warning");
  EXPECT_EQ(facts[1].severity, "info");
  EXPECT_EQ(facts[2].ranks, std::vector<int>{2});
}

TEST(Findings, AtMostFiveMostCostlyFirst) {
  auto profile = job({100, 100, 100, 100}, 1000);
  add_call(profile, "MPI_Barrier", "collective", {0, 100, 100, 100});
  add_call(profile, "MPI_Iprobe", "point-to-point", {200, 0, 200, 0});
  add_call(profile, "MPI_File_write", "io", {300, 300, 300, 300});
  add_signature(profile, "MPI_Recv", 1, 0, 8, 1, 2000 * ms);
  add_signature(profile, "MPI_Send", 0, 1, 8, 100'000, 240 * ms, 2400);
  add_signature(profile, "MPI_Send", 0, 1, 8000, 60'000, 600 * ms, 10'000);
  profile.worlds[0].missing = {9};
  EXPECT_EQ(ids(analyze::find_facts(profile)), (Ids{"late-sender", "file-io", "eager-messages", "polling", "incomplete"}));
}

TEST(Findings, NothingOfNothing) {
  EXPECT_EQ(ids(analyze::find_facts({})), Ids{});
  EXPECT_EQ(ids(analyze::find_facts(job({0}, 0))), Ids{});
}

TEST(Findings, ACompleteTimelineIsBelievedAndNothingIsEstimated) {
  model::Profile profile = job({400, 900, 400, 400}, 1000);
  add_call(profile, "MPI_Allreduce", "collective", {500, 0, 500, 500});
  profile.timeline_results.emplace();
  model::TimelineResults &timeline = *profile.timeline_results;
  auto wait = [&](const char *pattern, int rank, const char *call, int peer, std::int64_t wait_ms) {
    model::WaitStateRow row;
    row.pattern = pattern;
    row.rank = rank;
    row.call = call;
    row.peer = peer;
    row.total_ns = wait_ms * ms;
    timeline.wait_states.push_back(row);
  };
  wait("wait-nxn", 0, "MPI_Allreduce", -1, 450);
  wait("wait-nxn", 2, "MPI_Allreduce", -1, 350);
  wait("late-sender", 3, "MPI_Recv", 2, 240);
  wait("late-sender", 0, "MPI_Waitall", 1, 160);
  timeline.delays = {{0, 1, "solve", "", 700 * ms}, {0, 2, "", "MPI_Recv", 400 * ms}, {0, 3, "", "", 100 * ms}};
  const std::vector<Fact> facts = analyze::find_facts(profile);
  ASSERT_EQ(ids(facts), (std::vector<std::string>{"load-imbalance", "late-sender"}));
  EXPECT_TRUE(facts[0].from_timeline);
  EXPECT_EQ(facts[0].lost_ns, 200 * ms);  // 800 ms over 4 ranks
  EXPECT_EQ(facts[0].subject, "MPI_Allreduce");
  EXPECT_EQ(facts[0].ranks, (std::vector<int>{1, 2}));
  EXPECT_EQ(facts[0].region, "solve");
  EXPECT_EQ(facts[0].origin, "");
  EXPECT_EQ(facts[0].evidence.at("others_wait_ns"), 400e6);
  EXPECT_EQ(facts[1].lost_ns, 100 * ms);
  EXPECT_EQ(facts[1].ranks, (std::vector<int>{2}));
  EXPECT_EQ(facts[1].subject, "MPI_Recv");
  EXPECT_EQ(facts[1].evidence.at("for_that_rank_ns"), 240e6);
  EXPECT_EQ(facts[1].evidence.at("late_senders"), 2);
  timeline.info.complete = false;  // of a part of the run only: sums are of the whole
  for (const Fact &fact : analyze::find_facts(profile)) EXPECT_FALSE(fact.from_timeline);
  timeline.info.complete = true;
  timeline.wait_states.clear();
  EXPECT_TRUE(ids(analyze::find_facts(profile)).empty() || ids(analyze::find_facts(profile))[0] != "load-imbalance");
}

}  // namespace
