#include <gtest/gtest.h>

#include <cmath>

#include "model/merge.hpp"
#include "record_builder.hpp"

using namespace scope::model;
using namespace scope::test;
namespace wire = scope::wire;

namespace {

Profile merged(std::vector<RankRecord> records) {
  Collected collected;
  collected.records = std::move(records);
  Profile profile = merge(collected, {});
  EXPECT_EQ(conservation_violations(profile), std::vector<std::string>{});
  return profile;
}

const CallRow &call_named(const Profile &profile, const std::string &name) {
  for (const CallRow &row : profile.calls)
    if (row.name == name) return row;
  ADD_FAILURE() << "no row for " << name;
  static const CallRow none;
  return none;
}

std::vector<std::string> warning_ids(const Profile &profile) {
  std::vector<std::string> ids;
  for (const Warning &warning : profile.warnings) ids.push_back(warning.id);
  return ids;
}

std::string warning_text(const Profile &profile, const std::string &id) {
  for (const Warning &warning : profile.warnings)
    if (warning.id == id) return warning.text;
  return "";
}

using Ids = std::vector<std::string>;
using Numbers = std::vector<std::int64_t>;

/// Two ranks: 0 sends ten messages of 8 bytes, 1 one of 100; both in a barrier.
std::vector<RankRecord> two_ranks() {
  RankRecord first = record_of(0, 2), second = record_of(1, 2);
  first.signatures = {send_to(1, 8, 10, 1000), signature("MPI_Barrier", 1, 5000)};
  first.signatures[1].comm = 0;
  add_calls(first, "MPI_Send", 10, 100);
  add_calls(first, "MPI_Barrier", 1, 5000);
  second.signatures = {send_to(0, 100, 1, 300), signature("MPI_Barrier", 1, 200)};
  second.signatures[1].comm = 0;
  add_calls(second, "MPI_Send", 1, 300);
  add_calls(second, "MPI_Barrier", 1, 200);
  first.cost_ticks = second.cost_ticks = 12.5;
  first.cpu_ns = 70000;
  first.max_rss_bytes = 4096;
  return {second, first};  // the order of files does not matter
}

TEST(Merge, NothingIsAnEmptyProfile) {
  Profile profile = merged({});
  EXPECT_TRUE(profile.complete);
  EXPECT_TRUE(profile.ranks.empty());
  EXPECT_TRUE(profile.warnings.empty());
  EXPECT_EQ(profile.totals.mpi_share, 0);
}

TEST(Merge, RanksAndTotals) {
  Profile profile = merged(two_ranks());
  ASSERT_EQ(profile.ranks.size(), 2u);
  const Rank &first = profile.ranks[0];
  EXPECT_EQ(first.rank, 0);
  EXPECT_EQ(first.host, "node1");
  EXPECT_EQ(first.pid, 100);
  EXPECT_EQ(first.executable, "/opt/sim");
  EXPECT_EQ(first.status, "finalized");
  EXPECT_EQ(first.wall_ns, 100000);
  EXPECT_EQ(first.mpi_ns, 6000);
  EXPECT_EQ(first.cpu_ns, 70000);
  EXPECT_EQ(first.max_rss_bytes, 4096);
  EXPECT_EQ(first.overhead_ns, 138) << "11 calls of 12.5 ns";
  EXPECT_EQ(profile.ranks[1].rank, 1);
  EXPECT_EQ(profile.ranks[1].mpi_ns, 500);
  const Totals &totals = profile.totals;
  EXPECT_EQ(totals.wall_ns, 100000);
  EXPECT_EQ(totals.wall_sum_ns, 200000);
  EXPECT_EQ(totals.mpi_ns, 6500);
  EXPECT_EQ(totals.mpi_share, 0.0325);
  EXPECT_EQ(totals.calls, 13);
  EXPECT_EQ(totals.bytes_sent, 180);
  EXPECT_EQ(totals.bytes_received, 0);
  EXPECT_EQ(totals.overhead_ns, 138 + 25);
  EXPECT_TRUE(profile.complete);
  EXPECT_EQ(warning_ids(profile), Ids{"unmatched-messages"});
}

TEST(Merge, MetadataIsTheCallersWithWhatTheRanksKnow) {
  Collected collected;
  collected.records = two_ranks();
  Metadata metadata;
  metadata.command = {"mpiexec", "./sim"};
  metadata.label = "main";
  Profile profile = merge(collected, metadata);
  EXPECT_EQ(profile.metadata.command, metadata.command);
  EXPECT_EQ(profile.metadata.label, "main");
  EXPECT_EQ(profile.metadata.hosts, Ids{"node1"});
  EXPECT_EQ(profile.metadata.mpi_library, "Open MPI v4.1.4");
  EXPECT_EQ(profile.metadata.mpi_standard, "3.1");
  EXPECT_EQ(profile.metadata.run_id, "run-1");
  EXPECT_EQ(profile.metadata.exporter.substr(0, 15), "scope-profiler@");
}

TEST(Merge, Calls) {
  Profile profile = merged(two_ranks());
  ASSERT_EQ(profile.calls.size(), 2u);
  EXPECT_EQ(profile.calls[0].name, "MPI_Barrier") << "longest first";
  const CallRow &send = profile.calls[1];
  EXPECT_EQ(send.kind, "point-to-point");
  EXPECT_EQ(send.calls, 11);
  EXPECT_EQ(send.total_ns, 1300);
  EXPECT_EQ(send.min_ns, 100);
  EXPECT_EQ(send.max_ns, 300);
  EXPECT_DOUBLE_EQ(send.mean_ns, 1300.0 / 11);
  EXPECT_NEAR(send.std_ns, std::sqrt((10 * 100.0 * 100 + 300.0 * 300) / 11 - std::pow(1300.0 / 11, 2)), 1e-9);
  EXPECT_EQ(send.bytes_sent, 180);
  EXPECT_EQ(send.per_rank.calls, (Numbers{10, 1}));
  EXPECT_EQ(send.per_rank.total_ns, (Numbers{1000, 300}));
  EXPECT_EQ(send.per_rank.bytes_sent, (Numbers{80, 100}));
  EXPECT_EQ(send.per_rank.bytes_received, (Numbers{0, 0}));
}

TEST(Merge, SignaturesOfSeveralRanksAreOneRow) {
  Profile profile = merged(two_ranks());
  ASSERT_EQ(profile.signatures.size(), 3u);
  const SignatureRow &barrier = profile.signatures[0];
  EXPECT_EQ(barrier.region, "mpi:barrier kind=collective bytes=-1 peer=-1 root=-1 tag=-1 comm=0");
  EXPECT_EQ(barrier.ranks, (std::vector<int>{0, 1}));
  EXPECT_EQ(barrier.calls, 2);
  EXPECT_EQ(barrier.total_ns, 5200);
  EXPECT_EQ(barrier.min_ns, 200);
  EXPECT_EQ(barrier.max_ns, 5000);
  const SignatureRow &send = profile.signatures[1];
  EXPECT_EQ(send.region, "mpi:send kind=point-to-point bytes=8 peer=1 root=-1 tag=0 comm=0");
  EXPECT_EQ(send.call, "MPI_Send");
  EXPECT_EQ(send.ranks, std::vector<int>{0});
  EXPECT_EQ(send.peer, 1);
  EXPECT_EQ(send.bytes, 8);
  EXPECT_EQ(send.bytes_sent, 80);
}

TEST(Merge, RoundedChildrenAddUpToTheirParents) {
  std::vector<RankRecord> records = two_ranks();
  for (RankRecord &record : records) record.scale = {0, 0, 300000, 100000};  // three ticks a nanosecond
  for (int i = 1; i < 40; ++i) {
    records[0].signatures.push_back(send_to(0, 1000 + i, 1, 300 + static_cast<std::uint64_t>(i)));
    add_calls(records[0], "MPI_Send", 1, 300 + static_cast<std::uint64_t>(i));
  }
  Profile profile = merged(records);
  std::int64_t sum = 0;
  for (const SignatureRow &row : profile.signatures) sum += row.call == "MPI_Send" ? row.total_ns : 0;
  EXPECT_EQ(call_named(profile, "MPI_Send").total_ns, sum);
  EXPECT_EQ(profile.ranks[1].wall_ns, 33333);
}

TEST(Merge, FoldedKeysStayInTheNumbersAndAreNoneInTheName) {
  RankRecord record = record_of(0, 1);
  record.signatures = {send_to(wire::folded, 8, 1, 100)};
  record.signatures[0].tag = wire::folded;
  record.folded.tags = 3;
  record.folded.peers = 1;
  Profile profile = merged({record});
  EXPECT_EQ(profile.signatures[0].peer, -2);
  EXPECT_EQ(profile.signatures[0].tag, -2);
  EXPECT_EQ(profile.signatures[0].region, "mpi:send kind=point-to-point bytes=8 peer=-1 root=-1 tag=-1 comm=0");
  EXPECT_TRUE(profile.peers.p2p.src.empty());
  EXPECT_EQ(warning_ids(profile), Ids{"folded"});
  EXPECT_EQ(warning_text(profile, "folded"),
            "1 rank used more different calls than a rank's table holds. Folded together: tags in 3 calls, peers in 1 call. Totals stay exact.");
}

TEST(Merge, WaitsNameTheirOperation) {
  RankRecord record = record_of(0, 2);
  record.signatures = {signature("MPI_Waitall", 1, 100), signature("MPI_Waitall", 0, 40)};
  record.signatures[0].request_call = "MPI_Irecv";
  record.signatures[0].peer = 1;
  record.signatures[0].bytes = 8;
  record.signatures[0].bytes_received = 8;
  record.signatures[0].completions = 1;
  record.signatures[1].request_call = "MPI_Isend";
  record.signatures[1].completions = 2;
  add_calls(record, "MPI_Waitall", 1, 140);
  RankRecord other = record_of(1, 2);
  Profile profile = merged({record, other});
  ASSERT_EQ(profile.signatures.size(), 2u);
  EXPECT_EQ(profile.signatures[0].region, "mpi:waitall kind=wait bytes=8 peer=1 root=-1 tag=-1 comm=-1 request=irecv");
  EXPECT_EQ(profile.signatures[0].request, "irecv");
  EXPECT_EQ(profile.signatures[1].calls, 0);
  EXPECT_EQ(profile.signatures[1].completions, 2);
  const CallRow &row = call_named(profile, "MPI_Waitall");
  EXPECT_EQ(row.calls, 1);
  EXPECT_EQ(row.total_ns, 140);
  EXPECT_EQ(row.min_ns, 140) << "of whole calls, not of shares";
  EXPECT_EQ(row.bytes_received, 8);
  EXPECT_EQ(warning_ids(profile), Ids{}) << "time that a wait's shares leave is no lost entry";
}

TEST(Merge, UnknownProceduresAreOther) {
  RankRecord record = record_of(0, 1);
  record.signatures = {send_to(0, 8, 1, 100, "MPI_Invented")};
  Profile profile = merged({record});
  EXPECT_EQ(profile.calls[0].kind, "other");
  EXPECT_EQ(profile.signatures[0].region, "mpi:invented kind=other bytes=8 peer=0 root=-1 tag=0 comm=0");
  EXPECT_TRUE(profile.sizes.empty());
}

TEST(Percentiles, AreLinearInABucketAndWithinTheExtremes) {
  RankRecord record = record_of(0, 1);
  record.signatures = {signature("MPI_Barrier", 100, 90 * 128 + 10 * 8192)};
  add_calls(record, "MPI_Barrier", 90, 128);   // bucket 128 .. 143
  add_calls(record, "MPI_Barrier", 10, 8192);  // bucket 8192 .. 9215
  Profile profile = merged({record});
  const CallRow &row = profile.calls[0];
  EXPECT_EQ(row.p50_ns, 128 + 9) << "50 of 90 calls: 5/9 of 16 above the lower end";
  EXPECT_EQ(row.p95_ns, 8192) << "within the extremes";
  EXPECT_EQ(row.p99_ns, 8192);
}

TEST(Percentiles, ClocksOfDifferentRates) {
  RankRecord slow = record_of(0, 2), fast = record_of(1, 2);
  fast.scale = {0, 0, 400000, 100000};  // four ticks a nanosecond
  fast.begin = 4000;
  fast.end = fast.last_seen = 404000;
  slow.signatures = {signature("MPI_Barrier", 5, 5 * 4096)};
  fast.signatures = {signature("MPI_Barrier", 5, 5 * 4096)};
  add_calls(slow, "MPI_Barrier", 5, 4096);  // 4096 .. 4607 ns
  add_calls(fast, "MPI_Barrier", 5, 4096);  // 1024 .. 1151 ns
  Profile profile = merged({slow, fast});
  const CallRow &row = profile.calls[0];
  EXPECT_EQ(row.min_ns, 1024);
  EXPECT_EQ(row.max_ns, 4096);
  EXPECT_EQ(row.p50_ns, 1152);
  EXPECT_EQ(row.p95_ns, 4096);
  EXPECT_EQ(row.total_ns, 5 * 4096 + 5 * 1024);
}

TEST(Merge, WithoutStatisticsTheExtremesAreThoseOfSignatures) {
  RankRecord record = record_of(0, 1);
  record.signatures = {signature("MPI_Barrier", 1, 70), signature("MPI_Barrier", 2, 60)};
  record.signatures[1].comm = 0;
  Profile profile = merged({record});
  EXPECT_EQ(profile.calls[0].min_ns, 30);
  EXPECT_EQ(profile.calls[0].max_ns, 70);
}

TEST(Merge, LostEntriesBecomeASignatureOfTheirOwn) {
  RankRecord record = record_of(0, 2);
  record.signatures = {send_to(1, 8, 10, 1000)};
  add_calls(record, "MPI_Send", 12, 100);
  record.calls[0].bytes_sent = 80 + 300;
  record.calls[0].errors = 1;
  record.lost_entries = 2;
  Profile profile = merged({record, record_of(1, 2)});
  ASSERT_EQ(profile.signatures.size(), 2u);
  const SignatureRow &lost = profile.signatures[1];
  EXPECT_EQ(lost.region, "mpi:send kind=point-to-point bytes=-1 peer=-1 root=-1 tag=-1 comm=-1");
  EXPECT_EQ(lost.calls, 2);
  EXPECT_EQ(lost.total_ns, 200);
  EXPECT_EQ(lost.bytes_sent, 300);
  EXPECT_EQ(lost.errors, 1);
  EXPECT_EQ(lost.min_ns, 100);
  EXPECT_EQ(profile.calls[0].calls, 12);
  EXPECT_EQ(profile.calls[0].total_ns, 1200);
  EXPECT_EQ(profile.ranks[0].mpi_ns, 1200);
  EXPECT_EQ(profile.peers.p2p.bytes, Numbers{80});
  EXPECT_EQ(warning_ids(profile), Ids{"entries-lost"});
  EXPECT_EQ(warning_text(profile, "entries-lost").substr(0, 22), "2 updates on 1 rank fo");
}

TEST(Merge, ThreadsHaveTheUnion) {
  RankRecord record = record_of(0, 1);
  record.threads = 2;
  record.signatures = {signature("MPI_Barrier", 2, 9000)};
  record.mpi_ticks = 5000;
  EXPECT_EQ(merged({record}).ranks[0].mpi_ns, 5000);
  record.mpi_ticks = 9001;
  EXPECT_EQ(merged({record}).ranks[0].mpi_ns, 9000) << "never above the sum over calls";
  record.signatures = {signature("MPI_Barrier", 2, 190000)};
  record.mpi_ticks = 150000;
  EXPECT_EQ(merged({record}).ranks[0].mpi_ns, 100000) << "never above the wall time";
}

TEST(Merge, WallTimeOfRanksThatDidNotFinish) {
  RankRecord killed = record_of(0, 2);
  killed.status = RankStatus::killed;
  killed.signal = 9;
  killed.end = 0;
  killed.last_seen = 41000;
  InCall in_call;
  in_call.call = "MPI_Recv";
  killed.in_call = {in_call};
  RankRecord never = record_of(1, 2);
  never.begin = never.end = 0;
  never.last_seen = 77000;
  Profile profile = merged({killed, never});
  EXPECT_EQ(profile.ranks[0].wall_ns, 40000);
  EXPECT_EQ(profile.ranks[0].status, "killed");
  EXPECT_EQ(profile.ranks[0].signal, 9);
  EXPECT_EQ(profile.ranks[0].in_call, "MPI_Recv");
  EXPECT_EQ(profile.ranks[1].wall_ns, 77000) << "from the first instant to the last";
  killed.signatures = {signature("MPI_Barrier", 1, 50000)};
  EXPECT_EQ(merged({killed, never}).ranks[0].wall_ns, 50000) << "its calls took longer than what was seen";
}

TEST(Merge, CallsOutsideInitAndFinalizeExtendTheWallTime) {
  RankRecord record = record_of(0, 1);
  record.signatures = {signature("MPI_Init", 1, 99990), signature("MPI_Initialized", 1, 50)};
  Profile profile = merged({record});
  EXPECT_EQ(profile.ranks[0].mpi_ns, 100040);
  EXPECT_EQ(profile.ranks[0].wall_ns, 100040);
  record.signatures = {signature("MPI_Init", 1, 99990), signature("MPI_Barrier", 1, 50)};
  Collected collected;
  collected.records = {record};
  EXPECT_EQ(conservation_violations(merge(collected, {})),
            Ids{"rank 0 of world 0: mpi_ns 100040 is above wall_ns 100000"});
}

TEST(PeerMatrix, HoldsSendsByTheSendersCount) {
  RankRecord first = record_of(0, 3), second = record_of(1, 3);
  Signature start = signature("MPI_Startall", 1, 10);
  start.request_call = "MPI_Send_init";
  start.comm = 0;
  start.peer = 2;
  start.bytes = 16;
  start.completions = 5;
  start.bytes_sent = 80;
  Signature init = signature("MPI_Send_init", 1, 5);
  init.comm = 0;
  init.peer = 2;
  init.bytes = 16;
  Signature receive_start = start;
  receive_start.request_call = "MPI_Recv_init";
  receive_start.calls = 0;
  receive_start.bytes_sent = 0;
  Signature receive = send_to(1, 8, 4, 40, "MPI_Recv");
  receive.bytes_sent = 0;
  receive.bytes_received = 32;
  first.signatures = {send_to(1, 8, 2, 20),           send_to(1, 100, 1, 20, "MPI_Isend"), send_to(-1, 0, 3, 20),
                      send_to(2, 4, 1, 5, "MPI_Sendrecv"), init, start, receive_start, receive};
  second.signatures = {send_to(1, 7, 1, 20), send_to(0, 0, 1, 1, "MPI_Ssend")};
  Profile profile = merged({first, second, record_of(2, 3)});
  const PeerMatrix &p2p = profile.peers.p2p;
  EXPECT_EQ(p2p.world, (std::vector<int>{0, 0, 0, 0}));
  EXPECT_EQ(p2p.src, (std::vector<int>{0, 0, 1, 1}));
  EXPECT_EQ(p2p.dst, (std::vector<int>{1, 2, 0, 1}));
  EXPECT_EQ(p2p.messages, (Numbers{3, 6, 1, 1}));
  EXPECT_EQ(p2p.bytes, (Numbers{116, 84, 0, 7}));
  EXPECT_TRUE(profile.peers.rma.src.empty());
}

TEST(PeerMatrix, ForeignGroupsAndUnknownRanksAreNotInIt) {
  RankRecord record = record_of(0, 2);
  CommInfo foreign;
  foreign.key = 99;
  foreign.size = 2;
  foreign.remote_size = 1;
  foreign.foreign = true;
  record.comms.push_back(foreign);
  record.signatures = {send_to(0, 8, 1, 10), send_to(0, 8, 1, 10), send_to(7, 8, 1, 10)};
  record.signatures[1].comm = 1;
  Profile profile = merged({record, record_of(1, 2)});
  EXPECT_EQ(profile.peers.p2p.bytes, Numbers{8});
  EXPECT_TRUE(profile.communicators[1].foreign);
  EXPECT_EQ(profile.communicators[1].remote_size, 1);
}

TEST(PeerMatrix, OneSidedAccessesAreBookedFromOriginToTarget) {
  RankRecord record = record_of(0, 2);
  Signature get = send_to(1, 8, 2, 10, "MPI_Get");
  get.bytes_sent = 0;
  get.bytes_received = 16;
  Signature rget = send_to(1, 8, 1, 10, "MPI_Rget");
  rget.bytes_sent = 0;
  Signature wait = signature("MPI_Wait", 1, 10);
  wait.request_call = "MPI_Rget";
  wait.peer = 1;
  wait.bytes = 8;
  wait.completions = 1;
  wait.bytes_received = 8;
  record.signatures = {send_to(1, 100, 1, 10, "MPI_Put"), get, rget, wait};
  Profile profile = merged({record, record_of(1, 2)});
  EXPECT_TRUE(profile.peers.p2p.src.empty());
  EXPECT_EQ(profile.peers.rma.src, std::vector<int>{0});
  EXPECT_EQ(profile.peers.rma.dst, std::vector<int>{1});
  EXPECT_EQ(profile.peers.rma.messages, Numbers{4});
  EXPECT_EQ(profile.peers.rma.bytes, Numbers{124});
}

TEST(Sizes, ArePowersOfTwo) {
  RankRecord record = record_of(0, 2);
  for (std::int64_t bytes : {0, 1, 2, 3, 4, 7, 8, 1023, 1024}) record.signatures.push_back(send_to(1, bytes, 1, 10));
  record.signatures.push_back(send_to(1, 64, 3, 5, "MPI_Send_init"));
  record.signatures.back().bytes_sent = 0;
  Profile profile = merged({record, record_of(1, 2)});
  std::vector<std::vector<std::int64_t>> rows;
  for (const SizeRow &row : profile.sizes) {
    EXPECT_EQ(row.call, "MPI_Send");
    rows.push_back({row.bytes_from, row.bytes_to, row.calls, row.bytes, row.total_ns});
  }
  EXPECT_EQ(rows, (std::vector<std::vector<std::int64_t>>{{0, 0, 1, 0, 10},
                                                          {1, 1, 1, 1, 10},
                                                          {2, 3, 2, 5, 20},
                                                          {4, 7, 2, 11, 20},
                                                          {8, 15, 1, 8, 10},
                                                          {512, 1023, 1, 1023, 10},
                                                          {1024, 2047, 1, 1024, 10}}));
}

}  // namespace

TEST(Merge, NamesRanksThatEndedWithoutFinalize) {
  std::vector<RankRecord> records = two_ranks();
  records[0].status = RankStatus::exited;  // rank 1, with a dump
  Profile profile = merged(records);
  EXPECT_EQ(warning_ids(profile), Ids{"not-finalized"});
  EXPECT_EQ(warning_text(profile, "not-finalized"), "1 rank (1) ended without MPI_Finalize. ranks[] says how each ended.");
}

TEST(Merge, WorldsAreInTheOrderOfTheirStart) {
  RankRecord late = record_of(0, 1), early = record_of(0, 1);
  late.world_key = "a";  // of keys it would be the first
  early.world_key = "b";
  late.pid = 1;
  early.pid = 2;
  late.unix_ns = 1796051308848815397u;
  early.unix_ns = late.unix_ns - 1000000;
  Profile profile = merged({late, early});
  ASSERT_EQ(profile.ranks.size(), 2u);
  EXPECT_EQ(profile.ranks[0].pid, 2);
  EXPECT_EQ(profile.ranks[1].pid, 1);
}
