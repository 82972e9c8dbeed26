// Calls, signatures, peers, sizes and communicators, all added up from the same converted signatures.

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

#include "model/limits.hpp"
#include "model/merge_parts.hpp"
#include "model/region_name.hpp"
#include "wire/live_block.hpp"

namespace scope::model {
namespace {

const CallStats *find_stats(const RankRecord &record, std::string_view call) {
  for (const CallStats &stats : record.calls)
    if (stats.name == call) return &stats;
  return nullptr;
}

/// What the signatures of one procedure of one rank hold together.
struct Held {
  std::uint64_t calls = 0, errors = 0, total = 0, bytes_sent = 0, bytes_received = 0;
};

std::uint64_t difference(std::uint64_t whole, std::uint64_t part) { return whole > part ? whole - part : 0; }

std::int64_t as_signed(std::uint64_t count) {
  std::int64_t result = 0;
  add_to(result, count);
  return result;
}

/// The part of a procedure's statistics that no signature holds. Without lost entries only whole calls are missed (a rank that
/// was killed between two updates): durations differ by what dividing a wait's time among its requests leaves.
bool lost_part(const RankRecord &record, const CallStats &stats, const Held &held, Converted &lost) {
  std::uint64_t calls = difference(stats.calls, held.calls);
  if (record.lost_entries == 0 && calls == 0) return false;
  lost.call = stats.name;
  lost.calls = as_signed(calls);
  lost.errors = as_signed(difference(stats.errors, held.errors));
  lost.total_ns = record.scale.duration_ns(static_cast<double>(difference(stats.total, held.total)));
  lost.min_ns = record.scale.duration_ns(static_cast<double>(stats.min));
  lost.max_ns = record.scale.duration_ns(static_cast<double>(stats.max));
  lost.bytes_sent = as_signed(difference(stats.bytes_sent, held.bytes_sent));
  lost.bytes_received = as_signed(difference(stats.bytes_received, held.bytes_received));
  return lost.calls != 0 || lost.errors != 0 || lost.total_ns != 0 || lost.bytes_sent != 0 || lost.bytes_received != 0;
}

/// A procedure over all ranks while it is added up.
struct CallSum {
  CallRow row;
  double sum_sq_ns2 = 0;
  DurationHistogram histogram;
  bool has_extremes = false;

  void extremes(std::int64_t min_ns, std::int64_t max_ns) {
    row.min_ns = has_extremes ? std::min(row.min_ns, min_ns) : min_ns;
    row.max_ns = std::max(row.max_ns, max_ns);
    has_extremes = true;
  }
};

struct SignatureSum {
  SignatureRow row;
  bool has_extremes = false;
};

using SignatureKey = std::tuple<int, std::string_view, std::string_view, int, int, int, int, std::int64_t>;
using MatrixKey = std::tuple<int, int, int>;

struct MatrixCell {
  std::int64_t messages = 0, bytes = 0;
};

/// Everything that is added up, in orders that do not depend on the ranks' order of calls.
struct Sums {
  std::map<std::string_view, CallSum> calls;
  std::map<SignatureKey, SignatureSum> signatures;
  std::map<MatrixKey, MatrixCell> p2p, rma;
  std::map<std::tuple<std::string_view, std::int64_t>, SizeRow> sizes;
};

void add_call(CallSum &sum, const Converted &signature, std::size_t rank, std::size_t ranks) {
  CallRow &row = sum.row;
  if (row.name.empty()) {
    row.name = signature.call;
    row.kind = kind_of(find_call(signature.call));
    for (auto *column : {&row.per_rank.calls, &row.per_rank.total_ns, &row.per_rank.bytes_sent, &row.per_rank.bytes_received})
      column->assign(ranks, 0);
  }
  add_to(row.calls, signature.calls);
  add_to(row.errors, signature.errors);
  add_to(row.total_ns, signature.total_ns);
  add_to(row.bytes_sent, signature.bytes_sent);
  add_to(row.bytes_received, signature.bytes_received);
  add_to(row.per_rank.calls[rank], signature.calls);
  add_to(row.per_rank.total_ns[rank], signature.total_ns);
  add_to(row.per_rank.bytes_sent[rank], signature.bytes_sent);
  add_to(row.per_rank.bytes_received[rank], signature.bytes_received);
}

/// Extremes, spread and histogram of whole calls come from the procedure's statistics; from its signatures where a dump has
/// none.
void add_distribution(const RankRecord &record, Sums &sums) {
  const double scale = record.scale.ns_per_tick();
  auto ns = [&record](std::uint64_t ticks) { return record.scale.duration_ns(static_cast<double>(ticks)); };
  for (const CallStats &stats : record.calls) {
    auto found = sums.calls.find(stats.name);
    if (stats.calls == 0 || found == sums.calls.end()) continue;
    CallSum &sum = found->second;
    sum.extremes(ns(stats.min), ns(stats.max));
    sum.sum_sq_ns2 += stats.sum_sq * scale * scale;
    sum.histogram.add(stats.histogram, scale);
  }
  for (const Signature &signature : record.signatures) {
    if (find_stats(record, signature.call)) continue;
    CallSum &sum = sums.calls.at(signature.call);
    sum.extremes(ns(signature.min), ns(signature.max));
    sum.sum_sq_ns2 += signature.sum_sq * scale * scale;
  }
}

void add_signature(SignatureSum &sum, const Converted &signature, const Placed &placed) {
  SignatureRow &row = sum.row;
  if (row.call.empty()) {
    row.world = placed.world;
    row.call = signature.call;
    row.comm = signature.comm;
    row.peer = signature.peer;
    row.root = signature.root;
    row.tag = signature.tag;
    row.bytes = signature.bytes;
    row.request = signature.request_call.empty() ? "" : operation_of(signature.request_call);
    // The grammar knows -1 only: what stands for several values is none there.
    row.region = format_region_name({operation_of(signature.call), kind_of(find_call(signature.call)), signature.bytes,
                                     std::max(signature.peer, -1), std::max(signature.root, -1), std::max(signature.tag, -1),
                                     signature.comm, row.request});
  }
  add_to(row.calls, signature.calls);
  add_to(row.completions, signature.completions);
  add_to(row.errors, signature.errors);
  add_to(row.total_ns, signature.total_ns);
  add_to(row.bytes_sent, signature.bytes_sent);
  add_to(row.bytes_received, signature.bytes_received);
  row.min_ns = sum.has_extremes ? std::min(row.min_ns, signature.min_ns) : signature.min_ns;
  row.max_ns = std::max(row.max_ns, signature.max_ns);
  sum.has_extremes = true;
  if (row.ranks.empty() || row.ranks.back() != placed.rank) row.ranks.push_back(placed.rank);
}

void add_transfer(Sums &sums, const Converted &signature, const Placed &placed, int world_size) {
  Transfer transfer = transfer_of(find_call(signature.call), find_call(signature.request_call));
  bool counted = signature.peer >= 0 && signature.peer < world_size && !signature.foreign;
  if (transfer.traffic == Traffic::none || !counted) return;
  auto &matrix = transfer.traffic == Traffic::p2p ? sums.p2p : sums.rma;
  MatrixCell &cell = matrix[{placed.world, placed.rank, signature.peer}];
  if (!transfer.no_message) add_to(cell.messages, transfer.by_completions ? signature.completions : signature.calls);
  add_to(cell.bytes, signature.bytes_sent);
  if (!transfer.sends_only) add_to(cell.bytes, signature.bytes_received);
}

void add_size(Sums &sums, const Converted &signature) {
  if (signature.bytes < 0 || !moves_data(find_call(signature.call))) return;
  std::int64_t from = signature.bytes;
  while ((from & (from - 1)) != 0) from &= from - 1;
  SizeRow &row = sums.sizes[{signature.call, from}];
  if (row.call.empty()) {
    row.call = signature.call;
    row.bytes_from = from;
    row.bytes_to = from == 0 ? 0 : 2 * from - 1;
  }
  add_to(row.calls, signature.calls);
  add_to(row.bytes, signature.bytes_sent);
  add_to(row.bytes, signature.bytes_received);
  add_to(row.total_ns, signature.total_ns);
}

void add_communicator(Profile &profile, const Converted &signature) {
  if (signature.comm < 0) return;
  CommunicatorRow &row = profile.communicators[static_cast<std::size_t>(signature.comm)];
  add_to(row.calls, signature.calls);
  add_to(row.total_ns, signature.total_ns);
  add_to(row.bytes, signature.bytes_sent);
}

CallRow finished(CallSum &sum) {
  CallRow &row = sum.row;
  if (row.calls > 0) {
    double calls = static_cast<double>(row.calls);
    row.mean_ns = static_cast<double>(row.total_ns) / calls;
    row.std_ns = std::sqrt(std::max(0.0, sum.sum_sq_ns2 / calls - row.mean_ns * row.mean_ns));
    // A number from a damaged dump that is beyond what a double holds.
    if (!std::isfinite(row.std_ns)) row.std_ns = 0;
  }
  std::vector<std::int64_t> quantiles = sum.histogram.quantiles({0.50, 0.95, 0.99}, row.min_ns, row.max_ns);
  row.p50_ns = quantiles[0];
  row.p95_ns = quantiles[1];
  row.p99_ns = quantiles[2];
  return std::move(row);
}

PeerMatrix matrix_of(const std::map<MatrixKey, MatrixCell> &cells) {
  PeerMatrix matrix;
  for (const auto &[key, cell] : cells) {
    matrix.world.push_back(std::get<0>(key));
    matrix.src.push_back(std::get<1>(key));
    matrix.dst.push_back(std::get<2>(key));
    matrix.messages.push_back(cell.messages);
    matrix.bytes.push_back(cell.bytes);
  }
  return matrix;
}

}  // namespace

std::vector<Converted> convert_signatures(const RankRecord &record, const std::vector<int> &comm_ids, const Profile &profile) {
  std::vector<Converted> result;
  std::unordered_map<std::string_view, Held> held;
  result.reserve(record.signatures.size());
  auto ns = [&record](std::uint64_t ticks) { return record.scale.duration_ns(static_cast<double>(ticks)); };
  for (const Signature &signature : record.signatures) {
    Converted &one = result.emplace_back();
    one.call = signature.call;
    one.request_call = signature.request_call;
    if (signature.comm < comm_ids.size()) {
      one.comm = comm_ids[signature.comm];
      one.foreign = profile.communicators[static_cast<std::size_t>(one.comm)].foreign;
    }
    one.peer = signature.peer;
    one.root = signature.root;
    one.tag = signature.tag;
    one.bytes = signature.bytes;
    one.calls = as_signed(signature.calls);
    one.completions = as_signed(signature.completions);
    one.errors = as_signed(signature.errors);
    one.total_ns = ns(signature.total);
    one.min_ns = ns(signature.min);
    one.max_ns = ns(signature.max);
    one.bytes_sent = as_signed(signature.bytes_sent);
    one.bytes_received = as_signed(signature.bytes_received);
    one.site = signature.site;
    Held &sum = held[signature.call];
    add_to(sum.calls, signature.calls);
    add_to(sum.errors, signature.errors);
    add_to(sum.total, signature.total);
    add_to(sum.bytes_sent, signature.bytes_sent);
    add_to(sum.bytes_received, signature.bytes_received);
  }
  for (const CallStats &stats : record.calls) {
    Converted lost;
    if (lost_part(record, stats, held[stats.name], lost)) result.push_back(lost);
  }
  return result;
}

void fill_rows(const std::vector<Placed> &placed, const std::vector<std::vector<Converted>> &converted, Profile &profile) {
  Sums sums;
  for (std::size_t rank = 0; rank < placed.size(); ++rank) {
    int world_size = profile.worlds[static_cast<std::size_t>(placed[rank].world)].size;
    for (const Converted &one : converted[rank]) {
      add_call(sums.calls[one.call], one, rank, placed.size());
      SignatureKey key{placed[rank].world, one.call, one.request_call, one.comm, one.peer, one.root, one.tag, one.bytes};
      add_signature(sums.signatures[key], one, placed[rank]);
      add_transfer(sums, one, placed[rank], world_size);
      add_size(sums, one);
      add_communicator(profile, one);
    }
    add_distribution(*placed[rank].record, sums);
  }
  for (auto &[name, sum] : sums.calls) profile.calls.push_back(finished(sum));
  for (auto &[key, sum] : sums.signatures) profile.signatures.push_back(std::move(sum.row));
  for (auto &[key, row] : sums.sizes) profile.sizes.push_back(std::move(row));
  profile.peers.p2p = matrix_of(sums.p2p);
  profile.peers.rma = matrix_of(sums.rma);
  // Longest first; the names decide between equal times, so that the order is the same on every machine.
  std::sort(profile.calls.begin(), profile.calls.end(), [](const CallRow &a, const CallRow &b) {
    return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.name < b.name;
  });
  std::stable_sort(profile.signatures.begin(), profile.signatures.end(), [](const SignatureRow &a, const SignatureRow &b) {
    return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.region < b.region;
  });
}

}  // namespace scope::model
