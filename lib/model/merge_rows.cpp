// Calls, signatures, peers, sizes and communicators, all added up from the same converted signatures.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "model/limits.hpp"
#include "model/merge_parts.hpp"
#include "model/region_name.hpp"
#include "support/text.hpp"
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

struct SignatureKey {
  int world = 0;
  std::string_view call, request_call;  ///< of Names: equal texts are the same text
  int comm = -1, peer = -1, root = -1, tag = -1;
  std::int64_t bytes = -1;
  auto operator<=>(const SignatureKey &) const = default;
};

struct SignatureHash {
  std::size_t operator()(const SignatureKey &key) const {
    std::uint64_t hash = 0;
    auto mix = [&hash](std::uint64_t value) {  // the finaliser of SplitMix64 (Steele, Lea, Flood 2014)
      hash += value + 0x9e3779b97f4a7c15u;
      hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
      hash ^= hash >> 27;
    };
    auto both = [](int high, int low) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(high)) << 32 | static_cast<std::uint32_t>(low); };
    mix(reinterpret_cast<std::uintptr_t>(key.call.data()));
    mix(reinterpret_cast<std::uintptr_t>(key.request_call.data()));
    mix(both(key.world, key.comm));
    mix(both(key.peer, key.root));
    mix(both(key.tag, 0) ^ static_cast<std::uint64_t>(key.bytes));
    return hash;
  }
};

/// One text for each name, however many ranks use it.
class Names {
 public:
  std::string_view one_of(std::string_view name) {
    auto found = names_.find(name);
    return found != names_.end() ? *found : *names_.insert(std::string(name)).first;
  }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_set<std::string, Hash, std::equal_to<>> names_;
};

using SizeKey = std::tuple<std::string_view, std::int64_t>;

struct MatrixCell {
  std::int64_t messages = 0, bytes = 0;
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
void add_distribution(const RankRecord &record, std::map<std::string_view, CallSum> &calls) {
  const double scale = record.scale.ns_per_tick();
  auto ns = [&record](std::uint64_t ticks) { return record.scale.duration_ns(static_cast<double>(ticks)); };
  for (const CallStats &stats : record.calls) {
    auto found = calls.find(stats.name);
    if (stats.calls == 0 || found == calls.end()) continue;
    CallSum &sum = found->second;
    sum.extremes(ns(stats.min), ns(stats.max));
    sum.sum_sq_ns2 += stats.sum_sq * scale * scale;
    sum.histogram.add(stats.histogram, scale);
  }
  for (const Signature &signature : record.signatures) {
    if (find_stats(record, signature.call)) continue;
    CallSum &sum = calls.at(signature.call);
    sum.extremes(ns(signature.min), ns(signature.max));
    sum.sum_sq_ns2 += signature.sum_sq * scale * scale;
  }
}

void add_signature(SignatureSum &sum, const Converted &signature, const Placed &placed) {
  add_measures(sum, signature);
  sum.row.ranks.push_back(placed.rank);
}

/// Two sums of one signature under a key that no longer tells them apart.
void add_sum(SignatureSum &sum, const SignatureSum &other) {
  add_measures(sum, other.row);
  sum.row.ranks.join(other.row.ranks);
}

std::int64_t power_of_two_below(std::int64_t bytes) {
  while ((bytes & (bytes - 1)) != 0) bytes &= bytes - 1;
  return bytes;
}

/// What the rows of signatures still tell apart.
enum class Fold { nothing, peers, tags, sizes, roots };

SignatureKey folded(SignatureKey key, Fold fold) {
  if (fold >= Fold::peers && key.peer >= 0) key.peer = wire::folded;
  if (fold >= Fold::tags && key.tag >= 0) key.tag = wire::folded;
  if (fold >= Fold::sizes && key.bytes > 0) key.bytes = power_of_two_below(key.bytes);
  if (fold >= Fold::roots && key.root >= 0) key.root = wire::folded;
  return key;
}

SignatureRow row_of(const SignatureKey &key, SignatureRow &&sums) {
  SignatureRow row = std::move(sums);
  row.world = key.world;
  row.call = key.call;
  row.comm = key.comm;
  row.peer = key.peer;
  row.root = key.root;
  row.tag = key.tag;
  row.bytes = key.bytes;
  row.request = key.request_call.empty() ? "" : operation_of(key.request_call);
  // The grammar knows -1 only: what stands for several values is none there.
  row.region = format_region_name({operation_of(key.call), kind_of(find_call(key.call)), key.bytes, std::max(key.peer, -1),
                                   std::max(key.root, -1), std::max(key.tag, -1), key.comm, row.request});
  return row;
}

/// Ranks come in order, so the cells of one follow those of the one before.
void append_cells(const Placed &placed, const std::map<int, MatrixCell> &cells, PeerMatrix &matrix) {
  for (const auto &[peer, cell] : cells) {
    matrix.world.push_back(placed.world);
    matrix.src.push_back(placed.rank);
    matrix.dst.push_back(peer);
    matrix.messages.push_back(cell.messages);
    matrix.bytes.push_back(cell.bytes);
  }
}

void add_transfer(std::map<int, MatrixCell> &p2p, std::map<int, MatrixCell> &rma, const Converted &signature, int world_size) {
  bool counted = signature.peer >= 0 && signature.peer < world_size && !signature.foreign;
  if (!counted) return;
  Transfer transfer = transfer_of(find_call(signature.call), find_call(signature.request_call));
  if (transfer.traffic == Traffic::none) return;
  MatrixCell &cell = (transfer.traffic == Traffic::p2p ? p2p : rma)[signature.peer];
  if (!transfer.no_message) add_to(cell.messages, transfer.by_completions ? signature.completions : signature.calls);
  add_to(cell.bytes, signature.bytes_sent);
  if (!transfer.sends_only) add_to(cell.bytes, signature.bytes_received);
}

void add_size(std::map<SizeKey, SizeRow> &sizes, const Converted &signature, std::string_view call) {
  if (signature.bytes < 0 || !moves_data(find_call(signature.call))) return;
  const std::int64_t from = power_of_two_below(signature.bytes);
  SizeRow &row = sizes[{call, from}];
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

struct RowSums::Sums {
  Names names;
  std::map<std::string_view, CallSum> calls;
  std::unordered_map<SignatureKey, SignatureSum, SignatureHash> signatures;
  std::map<SizeKey, SizeRow> sizes;
  Fold fold = Fold::nothing;
  std::size_t most_signatures = 0;

  void fold_signatures() {
    while (signatures.size() > most_signatures && fold != Fold::roots) {
      fold = static_cast<Fold>(static_cast<int>(fold) + 1);
      // In the keys' order, so that the result does not depend on the table's.
      std::map<SignatureKey, SignatureSum> before;
      for (auto &[key, sum] : signatures) before.emplace(key, std::move(sum));
      signatures.clear();
      for (auto &[key, sum] : before) {
        auto [at, is_new] = signatures.try_emplace(folded(key, fold));
        if (is_new) at->second = std::move(sum);
        else add_sum(at->second, sum);
      }
    }
  }
};

RowSums::RowSums(std::size_t ranks, Profile &profile, std::size_t most_signatures)
    : ranks_(ranks), profile_(profile), sums_(std::make_unique<Sums>()) {
  sums_->most_signatures = most_signatures;
}
RowSums::~RowSums() = default;

void RowSums::add(std::size_t index, const Placed &placed, const RankRows &rows) {
  const int world_size = profile_.worlds[static_cast<std::size_t>(placed.world)].size;
  std::map<int, MatrixCell> p2p, rma;
  for (const Converted &one : rows.converted) {
    const std::string_view call = sums_->names.one_of(one.call), request = sums_->names.one_of(one.request_call);
    add_call(sums_->calls[call], one, index, ranks_);
    const SignatureKey key{placed.world, call, request, one.comm, one.peer, one.root, one.tag, one.bytes};
    add_signature(sums_->signatures[folded(key, sums_->fold)], one, placed);
    add_transfer(p2p, rma, one, world_size);
    add_size(sums_->sizes, one, call);
    add_communicator(profile_, one);
  }
  append_cells(placed, p2p, profile_.peers.p2p);
  append_cells(placed, rma, profile_.peers.rma);
  add_distribution(rows.record, sums_->calls);
  sums_->fold_signatures();
}

void RowSums::finish() {
  for (auto &[name, sum] : sums_->calls) profile_.calls.push_back(finished(sum));
  for (auto &[key, row] : sums_->sizes) profile_.sizes.push_back(std::move(row));
  // Longest first; the names decide between equal times, so that the order is the same on every machine.
  std::sort(profile_.calls.begin(), profile_.calls.end(), [](const CallRow &a, const CallRow &b) {
    return a.total_ns != b.total_ns ? a.total_ns > b.total_ns : a.name < b.name;
  });
  std::vector<std::pair<SignatureKey, SignatureRow>> rows;
  for (auto &[key, sum] : sums_->signatures) rows.emplace_back(key, row_of(key, std::move(sum.row)));
  std::sort(rows.begin(), rows.end(), [](const auto &a, const auto &b) {
    return std::tuple(b.second.total_ns, std::string_view(a.second.region), a.first) <
           std::tuple(a.second.total_ns, std::string_view(b.second.region), b.first);
  });
  for (auto &[key, row] : rows) profile_.signatures.push_back(std::move(row));
  if (sums_->fold == Fold::nothing) return;
  const char *const kept[] = {"", "peers", "peers and tags", "peers and tags (and sizes to powers of two)",
                              "peers, tags and roots (and sizes to powers of two)"};
  profile_.warnings.push_back({"signatures-folded", "The ranks together made more than " + support::format_count(static_cast<std::int64_t>(sums_->most_signatures)) +
                                                        " different calls. signatures[] does not tell " + kept[static_cast<int>(sums_->fold)] +
                                                        " apart. The matrix of peers and all sums are exact."});
}

}  // namespace scope::model
