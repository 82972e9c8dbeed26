// What must hold in every merged profile: children add up to their parents, and the same traffic is seen from every side.

#include <algorithm>
#include <map>

#include "model/limits.hpp"
#include "model/merge_parts.hpp"

namespace scope::model {
namespace {

using Violations = std::vector<std::string>;

void expect_equal(Violations &violations, const std::string &what, std::int64_t found, std::int64_t expected) {
  if (found == expected) return;
  violations.push_back(what + " is " + std::to_string(found) + ", expected " + std::to_string(expected));
}

std::int64_t sum_of(const std::vector<std::int64_t> &values) {
  std::int64_t sum = 0;
  for (std::int64_t value : values) add_to(sum, value);
  return sum;
}

std::string name_of(const Rank &rank) { return "rank " + std::to_string(rank.rank) + " of world " + std::to_string(rank.world); }

/// Calls, times and bytes that are compared together.
struct Sum {
  std::int64_t calls = 0, errors = 0, total_ns = 0, bytes_sent = 0, bytes_received = 0;
};

template <class Row>
void add_row(Sum &sum, const Row &row) {
  add_to(sum.calls, row.calls);
  add_to(sum.errors, row.errors);
  add_to(sum.total_ns, row.total_ns);
  add_to(sum.bytes_sent, row.bytes_sent);
  add_to(sum.bytes_received, row.bytes_received);
}

/// Where call sites were asked for, every call has one.
void check_callsites(const Profile &profile, Violations &violations) {
  if (profile.callsites.empty()) return;
  std::map<std::string, Sum> sites;
  for (const CallSiteRow &row : profile.callsites) add_row(sites[row.call], row);
  for (const CallRow &row : profile.calls) {
    const Sum &sum = sites[row.name];
    expect_equal(violations, row.name + ": calls of its call sites", sum.calls, row.calls);
    expect_equal(violations, row.name + ": errors of its call sites", sum.errors, row.errors);
    expect_equal(violations, row.name + ": total_ns of its call sites", sum.total_ns, row.total_ns);
    expect_equal(violations, row.name + ": bytes_sent of its call sites", sum.bytes_sent, row.bytes_sent);
    expect_equal(violations, row.name + ": bytes_received of its call sites", sum.bytes_received, row.bytes_received);
  }
}

void check_per_rank(const CallRow &row, const Profile &profile, Violations &violations) {
  const PerRank &per_rank = row.per_rank;
  for (const auto *column : {&per_rank.calls, &per_rank.total_ns, &per_rank.bytes_sent, &per_rank.bytes_received})
    expect_equal(violations, row.name + ": length of a per_rank vector", static_cast<std::int64_t>(column->size()),
                 static_cast<std::int64_t>(profile.ranks.size()));
  expect_equal(violations, row.name + ": sum of per_rank.calls", sum_of(per_rank.calls), row.calls);
  expect_equal(violations, row.name + ": sum of per_rank.total_ns", sum_of(per_rank.total_ns), row.total_ns);
  expect_equal(violations, row.name + ": sum of per_rank.bytes_sent", sum_of(per_rank.bytes_sent), row.bytes_sent);
  expect_equal(violations, row.name + ": sum of per_rank.bytes_received", sum_of(per_rank.bytes_received), row.bytes_received);
}

/// What the ranks' quantiles leave possible for their sum.
void check_spread(const CallRow &row, const Profile &profile, Violations &violations) {
  const RankSpread &spread = *row.spread;
  const auto ranks = static_cast<std::int64_t>(profile.ranks.size());
  expect_equal(violations, row.name + ": ranks of its spread", static_cast<std::int64_t>(spread.ranks), ranks);
  auto within = [&](const char *what, const Quantiles &quantiles, std::int64_t sum) {
    if (!std::is_sorted(quantiles.begin(), quantiles.end())) violations.push_back(row.name + ": quantiles of " + what + " are not in order");
    if (sum < quantiles.front() * ranks || static_cast<double>(sum) > static_cast<double>(quantiles.back()) * static_cast<double>(ranks))
      violations.push_back(row.name + ": no ranks with this spread of " + what + " add up to " + std::to_string(sum));
  };
  within("calls", spread.calls, row.calls);
  within("total_ns", spread.total_ns, row.total_ns);
  within("bytes_sent", spread.bytes_sent, row.bytes_sent);
  within("bytes_received", spread.bytes_received, row.bytes_received);
}

void check_calls(const Profile &profile, Violations &violations) {
  std::map<std::string, Sum> signatures;
  for (const SignatureRow &row : profile.signatures) add_row(signatures[row.call], row);
  for (const CallRow &row : profile.calls) {
    if (row.spread) check_spread(row, profile, violations);
    else check_per_rank(row, profile, violations);
    const Sum &sum = signatures[row.name];
    expect_equal(violations, row.name + ": calls of its signatures", sum.calls, row.calls);
    expect_equal(violations, row.name + ": errors of its signatures", sum.errors, row.errors);
    expect_equal(violations, row.name + ": total_ns of its signatures", sum.total_ns, row.total_ns);
    expect_equal(violations, row.name + ": bytes_sent of its signatures", sum.bytes_sent, row.bytes_sent);
    expect_equal(violations, row.name + ": bytes_received of its signatures", sum.bytes_received, row.bytes_received);
    std::int64_t steps[] = {0, row.min_ns, row.p50_ns, row.p95_ns, row.p99_ns, row.max_ns};
    if (!std::is_sorted(std::begin(steps), std::end(steps)))
      violations.push_back(row.name + ": min, p50, p95, p99 and max are not in order");
    signatures.erase(row.name);
  }
  for (const auto &[name, sum] : signatures) violations.push_back(name + " has signatures but no row in calls");
}

void check_ranks(const Profile &profile, Violations &violations) {
  for (std::size_t i = 0; i < profile.ranks.size(); ++i) {
    const Rank &rank = profile.ranks[i];
    std::int64_t calls_ns = 0;
    for (const CallRow &row : profile.calls)
      if (i < row.per_rank.total_ns.size()) add_to(calls_ns, row.per_rank.total_ns[i]);
    const bool each = keeps_each_rank(profile);
    if (each && rank.threads == 1) expect_equal(violations, name_of(rank) + ": mpi_ns", rank.mpi_ns, calls_ns);
    if (each && rank.threads > 1 && rank.mpi_ns > calls_ns)
      violations.push_back(name_of(rank) + ": mpi_ns is above the sum over its calls");
    if (rank.mpi_ns > rank.wall_ns)
      violations.push_back(name_of(rank) + ": mpi_ns " + std::to_string(rank.mpi_ns) + " is above wall_ns " +
                           std::to_string(rank.wall_ns));
    if (rank.mpi_ns < 0 || rank.wall_ns < 0) violations.push_back(name_of(rank) + " has a negative time");
  }
  for (const World &world : profile.worlds) {
    auto ranks = std::count_if(profile.ranks.begin(), profile.ranks.end(),
                               [&](const Rank &rank) { return rank.world == world.id; });
    std::string name = "world " + std::to_string(world.id);
    expect_equal(violations, name + ": ranks_reported", world.ranks_reported, ranks);
    expect_equal(violations, name + ": reported and missing ranks", ranks + static_cast<std::int64_t>(world.missing.size()),
                 world.size);
    expect_equal(violations, name + ": complete", world.complete, world.missing.empty());
  }
}

void check_totals(const Profile &profile, Violations &violations) {
  Totals sum;
  for (const Rank &rank : profile.ranks) {
    sum.wall_ns = std::max(sum.wall_ns, rank.wall_ns);
    add_to(sum.wall_sum_ns, rank.wall_ns);
    add_to(sum.mpi_ns, rank.mpi_ns);
    add_to(sum.overhead_ns, rank.overhead_ns);
  }
  for (const CallRow &row : profile.calls) {
    add_to(sum.calls, row.calls);
    add_to(sum.bytes_sent, row.bytes_sent);
    add_to(sum.bytes_received, row.bytes_received);
  }
  const Totals &totals = profile.totals;
  expect_equal(violations, "totals.wall_ns", totals.wall_ns, sum.wall_ns);
  expect_equal(violations, "totals.wall_sum_ns", totals.wall_sum_ns, sum.wall_sum_ns);
  expect_equal(violations, "totals.mpi_ns", totals.mpi_ns, sum.mpi_ns);
  expect_equal(violations, "totals.overhead_ns", totals.overhead_ns, sum.overhead_ns);
  expect_equal(violations, "totals.calls", totals.calls, sum.calls);
  expect_equal(violations, "totals.bytes_sent", totals.bytes_sent, sum.bytes_sent);
  expect_equal(violations, "totals.bytes_received", totals.bytes_received, sum.bytes_received);
}

bool is_foreign(const Profile &profile, int comm) {
  return comm >= 0 && static_cast<std::size_t>(comm) < profile.communicators.size() &&
         profile.communicators[static_cast<std::size_t>(comm)].foreign;
}

/// The traffic that signatures and calls say there is, to compare the peer matrix with.
struct ExpectedTraffic {
  std::int64_t p2p_messages = 0, p2p_bytes = 0, rma_messages = 0, rma_bytes = 0;
  std::map<int, bool> all_known;  ///< world: whether all that it sent went to a peer that is known
};

ExpectedTraffic expected_traffic(const Profile &profile) {
  ExpectedTraffic expected;
  for (const World &world : profile.worlds) expected.all_known[world.id] = true;
  for (const SignatureRow &row : profile.signatures) {
    const wire::CallInfo *call = find_call(row.call);
    Transfer transfer = transfer_of(call, row.request.empty() ? nullptr : find_operation(row.request));
    bool in_world = row.world >= 0 && static_cast<std::size_t>(row.world) < profile.worlds.size();
    int size = in_world ? profile.worlds[static_cast<std::size_t>(row.world)].size : 0;
    bool counted = row.peer >= 0 && row.peer < size && !is_foreign(profile, row.comm);
    bool starts = call && (call->rule == wire::Rule::START || call->rule == wire::Rule::STARTALL);
    if (transfer.traffic == Traffic::p2p && counted) {
      add_to(expected.p2p_messages, transfer.by_completions ? row.completions : row.calls);
      add_to(expected.p2p_bytes, row.bytes_sent);
    } else if ((transfer.traffic == Traffic::p2p || starts) && row.bytes_sent > 0) {
      expected.all_known[row.world] = false;
    }
    if (transfer.traffic == Traffic::rma && counted) {
      if (!transfer.no_message) add_to(expected.rma_messages, row.calls);
      add_to(expected.rma_bytes, row.bytes_sent);
      add_to(expected.rma_bytes, row.bytes_received);
    }
  }
  return expected;
}

/// Bytes that a rank handed to point-to-point procedures.
std::int64_t sent_by(const Profile &profile, std::size_t rank) {
  std::int64_t sum = 0;
  for (const CallRow &row : profile.calls) {
    const wire::CallInfo *call = find_call(row.name);
    bool starts = call && (call->rule == wire::Rule::START || call->rule == wire::Rule::STARTALL);
    bool sends = starts || transfer_of(call, nullptr).traffic == Traffic::p2p;
    if (sends && rank < row.per_rank.bytes_sent.size()) add_to(sum, row.per_rank.bytes_sent[rank]);
  }
  return sum;
}

void check_peers(const Profile &profile, Violations &violations) {
  // Where signatures no longer name the peers, the matrix does, and nothing is left to compare it with.
  auto folded = [](const Warning &warning) { return warning.id == "signatures-folded"; };
  if (!keeps_each_rank(profile) || std::any_of(profile.warnings.begin(), profile.warnings.end(), folded)) return;
  const PeerMatrix &p2p = profile.peers.p2p, &rma = profile.peers.rma;
  ExpectedTraffic expected = expected_traffic(profile);
  expect_equal(violations, "peers.p2p: sum of messages", sum_of(p2p.messages), expected.p2p_messages);
  expect_equal(violations, "peers.p2p: sum of bytes", sum_of(p2p.bytes), expected.p2p_bytes);
  expect_equal(violations, "peers.rma: sum of messages", sum_of(rma.messages), expected.rma_messages);
  expect_equal(violations, "peers.rma: sum of bytes", sum_of(rma.bytes), expected.rma_bytes);
  std::map<std::pair<int, int>, std::int64_t> sent;
  for (std::size_t i = 0; i < p2p.src.size(); ++i) add_to(sent[{p2p.world[i], p2p.src[i]}], p2p.bytes[i]);
  for (std::size_t i = 0; i < profile.ranks.size(); ++i) {
    const Rank &rank = profile.ranks[i];
    std::int64_t row_sum = sent[{rank.world, rank.rank}], by_calls = sent_by(profile, i);
    if (expected.all_known[rank.world]) {
      expect_equal(violations, name_of(rank) + ": bytes of its row in peers.p2p", row_sum, by_calls);
    } else if (row_sum > by_calls) {
      violations.push_back(name_of(rank) + ": its row in peers.p2p holds more bytes than it sent");
    }
  }
}

void check_communicators(const Profile &profile, Violations &violations) {
  std::map<int, Sum> sums;
  for (const SignatureRow &row : profile.signatures)
    if (row.comm >= 0) add_row(sums[row.comm], row);
  for (std::size_t i = 0; i < profile.communicators.size(); ++i) {
    const CommunicatorRow &row = profile.communicators[i];
    std::string name = "communicator " + std::to_string(row.id);
    expect_equal(violations, name + ": id", row.id, static_cast<std::int64_t>(i));
    expect_equal(violations, name + ": calls", row.calls, sums[row.id].calls);
    expect_equal(violations, name + ": total_ns", row.total_ns, sums[row.id].total_ns);
    expect_equal(violations, name + ": bytes", row.bytes, sums[row.id].bytes_sent);
    sums.erase(row.id);
  }
  for (const auto &[id, sum] : sums) violations.push_back("communicator " + std::to_string(id) + " of a signature has no row");
}

void check_sizes(const Profile &profile, Violations &violations) {
  std::map<std::string, Sum> expected, found;
  for (const SignatureRow &row : profile.signatures)
    if (row.bytes >= 0 && moves_data(find_call(row.call))) add_row(expected[row.call], row);
  for (const SizeRow &row : profile.sizes) {
    Sum &sum = found[row.call];
    add_to(sum.calls, row.calls);
    add_to(sum.total_ns, row.total_ns);
    add_to(sum.bytes_sent, row.bytes);
  }
  for (const auto &[call, sum] : found) expected.try_emplace(call);
  for (const auto &[call, sum] : expected) {
    std::int64_t bytes = sum.bytes_sent;
    add_to(bytes, sum.bytes_received);
    expect_equal(violations, "sizes of " + call + ": calls", found[call].calls, sum.calls);
    expect_equal(violations, "sizes of " + call + ": total_ns", found[call].total_ns, sum.total_ns);
    expect_equal(violations, "sizes of " + call + ": bytes", found[call].bytes_sent, bytes);
  }
}

}  // namespace

std::vector<std::string> conservation_violations(const Profile &profile) {
  Violations violations;
  check_calls(profile, violations);
  check_callsites(profile, violations);
  check_ranks(profile, violations);
  check_totals(profile, violations);
  check_peers(profile, violations);
  check_communicators(profile, violations);
  check_sizes(profile, violations);
  return violations;
}

}  // namespace scope::model
