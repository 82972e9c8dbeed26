#include "rank_ends.hpp"

#include <gtest/gtest.h>

#include <csignal>

using namespace scope::cli;
using scope::launch::LauncherKind;
using scope::launch::RankEnd;
using scope::model::RankRecord;
using scope::model::RankStatus;

namespace {

RankRecord record(std::uint32_t pid, RankStatus status = RankStatus::recovered) {
  RankRecord result;
  result.host = "h";
  result.pid = pid;
  result.start_time = pid + 1000;
  result.status = status;
  return result;
}

RankEnd end(std::int64_t pid, int order, std::optional<int> wait_status = std::nullopt) {
  return {"h", pid, static_cast<std::uint64_t>(pid) + 1000, order, wait_status, 0};
}

constexpr int exited_with_3 = 3 << 8;

}  // namespace

TEST(SignalToldBy, OpenMpiAndShellsSay128AndTheSignal) {
  EXPECT_EQ(signal_told_by(LauncherKind::openmpi, 137), SIGKILL);
  EXPECT_EQ(signal_told_by(LauncherKind::none, 139), SIGSEGV);
  EXPECT_EQ(signal_told_by(LauncherKind::openmpi, 9), std::nullopt);
  EXPECT_EQ(signal_told_by(LauncherKind::openmpi, 0), std::nullopt);
  EXPECT_EQ(signal_told_by(LauncherKind::openmpi, 128), std::nullopt);
  EXPECT_EQ(signal_told_by(LauncherKind::openmpi, 255), std::nullopt);
}

TEST(SignalToldBy, HydrasCodeIsNotBelieved) {
  EXPECT_EQ(signal_told_by(LauncherKind::hydra, 9), std::nullopt);
  EXPECT_EQ(signal_told_by(LauncherKind::hydra, 139), std::nullopt);
}

TEST(ApplyRankEnds, WhatTheKernelSaidCounts) {
  std::vector records{record(1), record(2), record(3)};
  apply_rank_ends(records, {end(2, 0, SIGSEGV | 0x80), end(1, 1, SIGKILL), end(3, 2, exited_with_3)}, LauncherKind::hydra, 11);
  EXPECT_EQ(records[0].status, RankStatus::killed);
  EXPECT_EQ(records[0].signal, SIGKILL);
  EXPECT_EQ(records[1].status, RankStatus::killed);
  EXPECT_EQ(records[1].signal, SIGSEGV);  // with the core dump's bit
  EXPECT_EQ(records[2].status, RankStatus::exited);
  EXPECT_EQ(records[2].signal, 0);
}

TEST(ApplyRankEnds, OnlyRecoveredRecordsChange) {
  std::vector records{record(1, RankStatus::finalized), record(2, RankStatus::aborted), record(3, RankStatus::exited)};
  apply_rank_ends(records, {end(1, 0, SIGKILL), end(2, 0, SIGKILL), end(3, 0, SIGKILL)}, LauncherKind::openmpi, 137);
  EXPECT_EQ(records[0].status, RankStatus::finalized);
  EXPECT_EQ(records[1].status, RankStatus::aborted);
  EXPECT_EQ(records[2].status, RankStatus::exited);
  for (const auto &record : records) EXPECT_EQ(record.signal, 0);
}

TEST(ApplyRankEnds, TheFirstToDieGetsTheLaunchersSignal) {
  std::vector records{record(1), record(2), record(3, RankStatus::finalized)};
  apply_rank_ends(records, {end(3, 0), end(2, 1), end(1, 2)}, LauncherKind::openmpi, 139);
  EXPECT_EQ(records[0].status, RankStatus::recovered);
  EXPECT_EQ(records[1].status, RankStatus::killed);
  EXPECT_EQ(records[1].signal, SIGSEGV);
  EXPECT_EQ(records[2].status, RankStatus::finalized);
}

TEST(ApplyRankEnds, NobodyIsBlamedWhereTheOrderIsNotKnown) {
  std::vector together{record(1), record(2)};
  apply_rank_ends(together, {end(1, 0), end(2, 0)}, LauncherKind::openmpi, 139);
  EXPECT_EQ(together[0].status, RankStatus::recovered);
  EXPECT_EQ(together[1].status, RankStatus::recovered);
  std::vector unseen{record(1), record(2)};
  apply_rank_ends(unseen, {}, LauncherKind::openmpi, 139);
  EXPECT_EQ(unseen[0].status, RankStatus::recovered);
  EXPECT_EQ(unseen[1].status, RankStatus::recovered);
}

TEST(ApplyRankEnds, AKnownEndOfTheFirstLeavesTheOthers) {
  std::vector records{record(1), record(2)};
  apply_rank_ends(records, {end(1, 0, exited_with_3), end(2, 1)}, LauncherKind::openmpi, 137);
  EXPECT_EQ(records[0].status, RankStatus::exited);
  EXPECT_EQ(records[1].status, RankStatus::recovered);
}

TEST(ApplyRankEnds, TheOnlyOneWithoutADumpNeedsNoOrder) {
  std::vector records{record(1, RankStatus::finalized), record(2)};
  apply_rank_ends(records, {}, LauncherKind::none, 134);
  EXPECT_EQ(records[1].status, RankStatus::killed);
  EXPECT_EQ(records[1].signal, SIGABRT);
}

TEST(ApplyRankEnds, APidOfAnotherHostOrStartIsAnotherProcess) {
  std::vector records{record(1), record(2)};
  RankEnd other_host = end(1, 0, SIGKILL), other_start = end(2, 0, SIGKILL);
  other_host.host = "elsewhere";
  other_start.start_time += 1;
  apply_rank_ends(records, {other_host, other_start}, LauncherKind::openmpi, 0);
  EXPECT_EQ(records[0].status, RankStatus::recovered);
  EXPECT_EQ(records[1].status, RankStatus::recovered);
}

TEST(RefineRecovered, GivesRecordsOfThisBootALaterInstant) {
  auto mine = record(1), foreign = record(2), finished = record(3, RankStatus::finalized);
  for (auto *each : {&mine, &foreign, &finished}) {
    each->boot_id = "boot";
    each->clock = "monotonic";
    each->scale = {1000, 1000, 1000, 1000};
  }
  foreign.boot_id = "another";
  std::vector records{mine, foreign, finished};
  refine_recovered(records, "boot");
  EXPECT_GT(records[0].scale.last_ns, 1000u);
  EXPECT_GT(records[0].scale.last_ticks, 1000u);
  EXPECT_EQ(records[1].scale.last_ns, 1000u);
  EXPECT_EQ(records[2].scale.last_ns, 1000u);
}

TEST(TicksNow, IsTheMonotonicClockUnlessTheCounterIsMeant) {
  auto first = ticks_now("monotonic"), second = ticks_now("monotonic");
  EXPECT_GE(second, first);
  EXPECT_LT(second - first, 1'000'000'000u);
}

TEST(ApplyRankEnds, ARankThatDiedComputingRanUntilThen) {
  std::vector records{record(1), record(2)};
  for (auto &one : records) {
    one.scale = {1000, 5000, 2000, 7000};  // 2 ns a tick
    one.last_seen = 1500;
  }
  records[1].in_call.emplace_back().call = "MPI_Recv";
  RankEnd first = end(1, 0), second = end(2, 1);
  first.monotonic_ns = second.monotonic_ns = 8000;
  apply_rank_ends(records, {first, second}, LauncherKind::hydra, 9);
  EXPECT_EQ(records[0].last_seen, 2500u);
  EXPECT_EQ(records[1].last_seen, 1500u);  // in a call that did not return: its time is not known
}
