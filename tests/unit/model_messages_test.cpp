#include "model/messages.hpp"

#include <gtest/gtest.h>

#include "model/merge.hpp"
#include "record_builder.hpp"

using namespace scope::model;
using namespace scope::test;

namespace {

using Counts = std::map<MessageKey, std::int64_t>;

Signature message(const std::string &call, int peer, int tag, std::uint64_t calls, const std::string &request = "") {
  Signature result = signature(call, request.empty() ? calls : 0, 0);
  result.request_call = request;
  if (!request.empty()) result.completions = calls;
  result.comm = 0;
  result.peer = peer;
  result.tag = tag;
  return result;
}

Messages messages(std::vector<Signature> signatures) {
  RankRecord record = record_of(0, 3);
  record.signatures = std::move(signatures);
  return messages_of(record, {7});
}

TEST(Messages, OfEveryKindOfCall) {
  Messages found =
      messages({message("MPI_Send", 1, 5, 2), message("MPI_Isend", 1, 5, 3), message("MPI_Start", 1, 5, 4, "MPI_Send_init"),
                message("MPI_Send_init", 1, 5, 1), message("MPI_Wait", 1, 5, 3, "MPI_Isend"), message("MPI_Send", -1, 5, 9),
                message("MPI_Recv", 2, 6, 10), message("MPI_Mrecv", 2, 6, 1), message("MPI_Imrecv", 2, 6, 20),
                message("MPI_Irecv", -1, 6, 30), message("MPI_Start", 2, 6, 40, "MPI_Recv_init"),
                message("MPI_Waitall", 2, 6, 20, "MPI_Imrecv"), message("MPI_Testany", 2, 6, 29, "MPI_Irecv"),
                message("MPI_Wait", 2, 6, 40, "MPI_Recv_init"), message("MPI_Barrier", -1, -1, 5)});
  EXPECT_TRUE(found.exact);
  EXPECT_EQ(found.sent, (Counts{{{7, 1, 5}, 9}}));
  EXPECT_EQ(found.received, (Counts{{{7, 2, 6}, 100}}));
  EXPECT_EQ(found.open_receives, 1);
}

TEST(Messages, WhatMakesThemInexact) {
  for (const char *call : {"MPI_Pcontrol", "MPI_Request_free", "MPI_Cancel", "MPI_Sendrecv", "MPI_Sendrecv_replace"})
    EXPECT_FALSE(messages({message(call, 1, 5, 1)}).exact) << call;
  EXPECT_FALSE(messages({message("MPI_Send", -2, 5, 1)}).exact);
  EXPECT_FALSE(messages({message("MPI_Wait", 1, -2, 1, "MPI_Irecv")}).exact);
  Signature failed = message("MPI_Recv", 1, 5, 1);
  failed.errors = 1;
  EXPECT_FALSE(messages({failed}).exact);
  Signature anywhere = message("MPI_Recv", 1, 5, 1);
  anywhere.comm = scope::wire::none_comm;
  EXPECT_FALSE(messages({anywhere}).exact);
  RankRecord lost = record_of(0, 2);
  lost.lost_entries = 1;
  EXPECT_FALSE(messages_of(lost, {7}).exact);
}

TEST(Messages, OfIntercommunicatorsAreLeftOut) {
  RankRecord record = record_of(0, 3);
  record.comms[0].remote_size = 2;
  record.signatures = {message("MPI_Send", 1, 5, 2)};
  Messages found = messages_of(record, {7});
  EXPECT_TRUE(found.exact);
  EXPECT_EQ(found.sent, Counts{});
}

/// Two ranks: 0 sends five messages with tag 1 and two with tag 2; 1 receives `received` of the former.
Profile merged(std::uint64_t received, std::vector<Signature> more = {}, RankStatus status = RankStatus::finalized) {
  Collected collected;
  collected.records = {record_of(0, 2), record_of(1, 2)};
  collected.records[0].signatures = {message("MPI_Send", 1, 1, 5), message("MPI_Isend", 1, 2, 2)};
  collected.records[1].signatures = {message("MPI_Recv", 0, 1, received), message("MPI_Recv", 0, 2, 2)};
  collected.records[1].status = status;
  for (Signature &signature : more) collected.records[1].signatures.push_back(signature);
  return merge(collected, {});
}

std::string unmatched(const Profile &profile) {
  std::string text;
  for (const Warning &warning : profile.warnings)
    if (warning.id == "unmatched-messages") text = warning.text;
  if (text.empty()) return text;
  EXPECT_EQ(profile.findings.size(), 1u);
  EXPECT_EQ(profile.findings[0].id, "unmatched-messages");
  EXPECT_EQ(profile.findings[0].text, text);
  return text;
}

TEST(UnmatchedMessages, AreNamed) {
  Profile profile = merged(3);
  EXPECT_EQ(unmatched(profile), "2 messages were sent and never received: rank 0 to rank 1, tag 1, comm 0: 2.");
  EXPECT_EQ(profile.findings[0].evidence.at("messages"), 2);
  EXPECT_EQ(unmatched(merged(5)), "");
}

TEST(UnmatchedMessages, OnlyWhereTheCountsAreExact) {
  EXPECT_EQ(unmatched(merged(3, {message("MPI_Sendrecv", 0, 1, 1)})), "");
  EXPECT_EQ(unmatched(merged(3, {message("MPI_Irecv", 0, 1, 1)})), "");  // may have got one; nobody waited for it
  EXPECT_EQ(unmatched(merged(3, {}, RankStatus::killed)), "");
}

TEST(UnmatchedMessages, OnlyWhereAllRanksReported) {
  Collected collected;
  collected.records = {record_of(0, 2)};
  collected.records[0].signatures = {message("MPI_Send", 1, 1, 5)};
  Profile profile = merge(collected, {});
  EXPECT_EQ(unmatched(profile), "");
}

TEST(UnmatchedMessages, AtMostFiveKindsAreNamed) {
  Collected collected;
  collected.records = {record_of(0, 2), record_of(1, 2)};
  for (int tag = 0; tag < 8; ++tag) collected.records[1].signatures.push_back(message("MPI_Send", 0, tag, 1));
  std::string list;
  for (int tag = 0; tag < 5; ++tag)
    list += (tag ? "; " : "") + std::string("rank 1 to rank 0, tag ") + std::to_string(tag) + ", comm 0: 1";
  EXPECT_EQ(unmatched(merge(collected, {})), "8 messages were sent and never received: " + list + "; and 3 more of such kinds.");
}

}  // namespace
